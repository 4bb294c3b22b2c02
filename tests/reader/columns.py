"""Columns and their types. man/mbt-format.5: Columns, Types, Values."""

import struct

from runs import FLOAT, STRING, WHOLE, cut, read_run
from sections import U64, need

KEYS = [None, "ARROW:extension:name", "mbt.form", "mbt.null", "mbt.role", "mbt.variant", "mbt.gap",
        "mbt.text", "mbt.head", "mbt.patches"]
STRINGS = range(32, 39)


def read_metadata(header):
    pairs = {}
    for _ in range(header.number()):
        key = header.byte()
        need(key < len(KEYS), "an unknown metadata key")
        key = KEYS[key] or header.text()
        pairs[key] = header.string() if key == "mbt.patches" else header.text()
    return pairs


def skip_statistics(header):
    kind = header.byte()
    if kind == 0:
        header.signed(), header.signed()
    elif kind == 1:
        header.take(16)
    else:
        need(kind in (2, 3), "unknown statistics")
        header.string(), header.byte(), header.string()


def skip_type(header):
    """A type that no column follows."""
    Column.read_type(Column.__new__(Column), header)


class Column:
    """A column of a header; decode() gives its values, None for null."""

    def __init__(self, header, body, rows, depth=0):
        need(depth < 128, "columns are nested too deep")
        self.rows, self.name = rows, header.text()
        self.read_type(header)
        flags = header.byte()
        self.metadata = read_metadata(header)
        if flags & 4:
            skip_statistics(header)
        self.valid, self.validity, self.children, self.runs = rows, None, [], []
        self.key = None
        need(flags < 32, "unknown flags")
        if flags & 2:
            self.valid = header.number()
            need(self.valid < rows, "there are no nulls")
            if self.valid:
                self.validity = read_run(header, body, WHOLE, rows)
        if flags & 16:
            need(depth == 0 and self.type not in (0, *range(48, 54)), "what cannot be grouped is")
            self.key = header.number()
        run = lambda kind: self.runs.append(read_run(header, body, kind, self.valid))
        child = lambda rows: self.children.append(Column(header, body, rows, depth + 1))
        if self.type == 48:
            for _ in range(header.number()):
                child(self.valid)
        elif self.type in (49, 50, 51, 52, 53):
            items = header.number()
            if self.type != 51 and self.valid:
                run(WHOLE)
            child(items)
        elif self.valid and self.type != 0:
            kind = FLOAT if self.type == 12 else STRING if self.type in STRINGS else WHOLE
            run(kind)
            if self.type == 15:
                run(WHOLE)

    def read_type(self, header):
        self.type, self.unit, self.zone, self.scale, self.size = header.byte(), None, None, 0, 0
        if self.type in (13, 14, 15):
            header.byte()
            self.scale = struct.unpack("b", header.take(1))[0]
        elif self.type in (18, 19, 20, 21, 22):
            self.unit = header.byte()
            need(self.unit < 4, "an unknown unit")
            self.zone = header.text() if self.type == 21 else None
        elif self.type in (38, 51):
            self.size = header.signed()
        elif self.type == 52:
            header.byte()
        elif self.type == 53:
            need(2 <= header.byte() <= 9, "keys are whole numbers")
        else:
            known = [*range(13), 16, 17, 23, *range(32, 38), 48, 49, 50]
            need(self.type in known, f"there is no type {self.type}")

    def decode(self, columns=()):
        """The values of all rows; `columns` are all of the header."""
        values = self.valid_values()
        need(len(values) == self.valid, "a run of another length")
        if self.validity is None and self.valid < self.rows:
            return [None] * self.rows
        bits = self.validity() if self.validity else [1] * self.rows
        need(sum(bits) == self.valid and set(bits) <= {0, 1}, "validity")
        rest, decoded = iter(values), [None] * self.rows
        for row in self.order(columns):
            if bits[row]:
                decoded[row] = next(rest)
        return decoded

    def order(self, columns):
        """The rows in the order in which their values are stored."""
        if self.key is None:
            return range(self.rows)
        need(self.key < len(columns), "a key that is not there")
        key = columns[self.key]
        need(key.key is None and key.type not in (0, 15, *range(48, 54)), "a key that is none")
        groups = {}
        for row, value in enumerate(key.decode()):
            bits = struct.pack("<d", value) if isinstance(value, float) else value
            groups.setdefault(bits, []).append(row)
        return [row for group in groups.values() for row in group]

    def valid_values(self):
        if self.type == 48:
            columns = [child.decode() for child in self.children]
            return [[column[row] for column in columns] for row in range(self.valid)]
        if self.type in (49, 50, 51, 52):
            lengths = [self.size] * self.valid if self.type == 51 else self.run()
            return cut(self.children[0].decode(), lengths)
        if self.type == 53:
            entries = self.children[0].decode()
            return [entries[key] for key in self.run()]
        values = self.run()
        if self.type == 1:
            return [(False, True)[value] for value in values]
        if self.type == 9:
            return [value & U64 for value in values]
        if self.type in (10, 11):
            word, float_ = ("<H", "<e") if self.type == 10 else ("<I", "<f")
            return [struct.unpack(float_, struct.pack(word, value))[0] for value in values]
        if self.type == 15 and self.valid:
            return [high << 64 | low & U64 for low, high in zip(values, self.runs[1]())]
        if self.type in (32, 33, 34):
            return [value.decode() for value in values]
        if self.type == 17:
            self.whole_days = all(value % 86_400_000 == 0 for value in values)
        need(self.type != 38 or all(len(v) == self.size for v in values), "fixed binary")
        return values

    def run(self):
        return self.runs[0]() if self.runs else []
