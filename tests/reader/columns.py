"""Columns and their types. man/mbt-format.5: Columns, Types, Values."""

import struct

from runs import FLOAT, STRING, WHOLE, cut, read_run, signed64
from sections import U64, Buffers, Bytes, NotRead, need

KEYS = [None, "ARROW:extension:name", "mbt.form", "mbt.null", "mbt.role", "mbt.variant", "mbt.gap",
        "mbt.text", "mbt.head", "patches of drafts", "mbt.fixed", "mbt.hash", "mbt.cells"]
STRINGS = range(32, 39)


def read_metadata(header):
    pairs = {}
    for _ in range(header.number()):
        key = header.byte()
        if key >= len(KEYS) and key != 128:
            header.string()  # of a newer version
            if key > 128:
                pairs["mbt.text"] = "of a newer version"
            continue
        key = "mbt.patches" if key == 128 else KEYS[key] or header.text()
        need(key not in pairs, "a metadata key occurs twice")
        is_bytes = key in ("mbt.patches", "patches of drafts")
        pairs[key] = header.string() if is_bytes else header.text()
    return pairs


def read_statistics(header):
    """The least and the greatest value, and for strings whether the greatest is cut off."""
    kind = header.byte()
    if kind == 0:
        least = header.signed()
        return least, signed64(least + header.signed())
    if kind == 1:
        return struct.unpack("<dd", header.take(16))
    if kind == 4:
        least = header.wide()
        wide = (least + header.wide()) & ((1 << 128) - 1)
        return least, wide - (wide >> 127 << 128)
    if kind not in (2, 3):
        raise NotRead(f"statistics of kind {kind} are not read here")
    least, same = header.string(), header.byte()
    need(same <= len(least), "statistics that share more than there is")
    return least, least[:same] + header.string(), kind == 3


def extremes(kind, values):
    """The statistics of these values."""
    if kind in STRINGS:
        data = [value.encode() if isinstance(value, str) else value for value in values]
        return min(data)[:16], max(data)[:16], len(max(data)) > 16
    if kind == 9:
        return signed64(min(values)), signed64(max(values))
    return min(values), max(values)


def skip_type(header):
    """Skips a type that is not followed by child columns."""
    Column.read_type(Column.__new__(Column), header)


def sized_column(header, body, rows, position):
    """The column that is described by the next string of a header."""
    described = Bytes(header.string())
    buffers = Buffers(body, position)
    try:
        column = Column(described, buffers, rows)
    except NotRead as unread:
        column = Column.__new__(Column)
        column.name, column.unread, column.metadata = Bytes(described.data).text(), unread, {}
        column.key, column.reference, column.type = None, None, None
        return column
    need(described.at == len(described.data), "a column has bytes after its values")
    buffers.end()
    return column


def nearest(value):
    """The integer nearest to a double, ties to even, in 64 bits; 0 for NaN."""
    if value != value:
        return 0
    limit = 1 << 63
    return min(max(round(value), -limit), limit - 1) if abs(value) < limit else limit - 1 if value > 0 else -limit


class Column:
    """A column of a header; decode() gives its values, None for null."""

    unread = None

    def __init__(self, header, body, rows, depth=0):
        need(depth < 128, "columns are nested too deep")
        self.rows, self.name = rows, header.text()
        self.read_type(header)
        flags = header.byte()
        if flags & (0x80 if body.has_lengths else 0xE0):
            raise NotRead(f"column flags {flags} are not read here")
        has_metadata = flags & 32 or not body.has_lengths
        self.metadata = read_metadata(header) if has_metadata else {}
        self.is_nullable = flags & 1
        self.statistics = read_statistics(header) if flags & 4 else None
        self.valid, self.validity, self.children, self.runs = rows, None, [], []
        self.key, self.reference = None, None
        if flags & 2:
            need(flags & 1 or self.type == 0, "a column that is not nullable has nulls")
            self.valid = header.number()
            need(self.valid < rows, "there are no nulls")
            if self.valid:
                self.validity = read_run(header, body, WHOLE, rows)
        if flags & 16:
            need(depth == 0 and self.type not in (0, *range(48, 54)), "what cannot be grouped is")
            self.key = header.number()
        if flags & 64:
            need(depth == 0 and not flags & 16, "differences of what has none")
            need(self.is_number(), "differences of what is no number")
            self.reference, self.lag = header.number(), header.number()
            self.exponent = header.byte() if self.type == 12 else None
            need((self.exponent or 0) <= 22, "an exponent that is too large")
        run = lambda kind: self.runs.append(read_run(header, body, kind, self.valid))
        child = lambda rows: self.children.append(Column(header, body, rows, depth + 1))
        if self.type == 48:
            for _ in range(header.number()):
                child(self.valid)
        elif self.positions:
            for _ in range(self.positions):
                child(self.valid)
            of_items = [column.field() for column in self.children]
            need(of_items.count(of_items[0]) == self.positions, "items of different types at positions")
        elif self.type in (49, 50, 51, 52, 53):
            items = header.number()
            if self.type != 51 and self.valid:
                run(WHOLE)
            child(items)
        elif self.valid and self.type != 0:
            kind = FLOAT if self.type == 12 and not flags & 64 else STRING if self.type in STRINGS else WHOLE
            run(kind)
            if self.type == 15:
                run(WHOLE)

    def field(self):
        """What columns of the same field have in common."""
        parameters = (self.unit, self.zone, self.precision, self.scale, self.size, self.keys)
        of_children = self.children[:1] if self.positions else self.children
        return (self.name, self.type, parameters, self.is_nullable, self.metadata,
                [child.field() for child in of_children])

    def read_type(self, header):
        self.positions, self.precision, self.keys = None, None, None
        self.read_own_type(header)
        if self.type == 54:
            self.positions = header.number()
            self.read_own_type(header)
            need(2 <= self.positions <= 1024 and self.type in (49, 50), "what cannot be by position is")

    def read_own_type(self, header):
        self.type, self.unit, self.zone, self.scale, self.size = header.byte(), None, None, 0, 0
        if self.type in (13, 14, 15):
            self.precision = header.byte()
            need(1 <= self.precision <= (9, 18, 38)[self.type - 13], "a decimal of no such precision")
            self.scale = struct.unpack("b", header.take(1))[0]
            need(self.scale <= self.precision, "a scale that is greater than the precision")
        elif self.type in (18, 19, 20, 21, 22):
            self.unit = header.byte()
            units = {18: (0, 1), 19: (2, 3)}.get(self.type, range(4))
            need(self.unit in units, "a unit that the type does not have")
            self.zone = header.text() if self.type == 21 else None
        elif self.type in (38, 51):
            self.size = header.signed()
            need(0 <= self.size < 1 << 31, "an invalid length")
        elif self.type == 52:
            self.keys = header.byte()
        elif self.type == 53:
            self.keys = header.byte()
            need(2 <= self.keys <= 9, "keys are whole numbers")
        else:
            known = [*range(13), 16, 17, 23, *range(32, 38), 48, 49, 50, 54]
            if self.type not in known:
                raise NotRead(f"type {self.type} is not read here")

    def decode(self, columns=()):
        """The values of all rows; `columns` are all of the header."""
        if self.unread:
            raise self.unread
        bits = self.validity() if self.validity else [int(self.valid > 0)] * self.rows
        need(sum(bits) == self.valid and set(bits) <= {0, 1}, "validity")
        values = self.valid_values(self.restored(columns, bits))
        need(len(values) == self.valid, "a run of another length")
        if self.statistics:
            need(values and self.type not in (0, *range(48, 54)), "statistics without values")
            need(extremes(self.type, values) == tuple(self.statistics), "statistics that are false")
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

    def is_number(self):
        """True if the values are one run of numbers."""
        return self.type not in (0, 15, *STRINGS, *range(48, 54))

    def restored(self, columns, bits):
        """The numbers of the run, with those of the reference column added."""
        values = self.run()
        if self.reference is None or not self.valid:
            return values
        need(self.reference < len(columns), "a reference column that is not there")
        other = columns[self.reference]
        if other.unread:
            raise other.unread
        need(other.reference is None and other.is_number(), "a reference column that is none")
        need((other.type == 12) == (self.type == 12), "a reference column of another kind")
        known = other.numbers(columns)
        first = next((value for value in known if value is not None), 0)
        last, filled = first, []
        for value in known:
            last = last if value is None else value
            filled.append(last)
        rows = [row for row in range(self.rows) if bits[row]]
        of_rows = [filled[max(row - self.lag, 0)] for row in rows]
        if self.exponent is None:
            return [signed64(value + of) for value, of in zip(values, of_rows)]
        power = 10.0**self.exponent
        return [float(signed64(value + nearest(of * power))) / power for value, of in zip(values, of_rows)]

    def numbers(self, columns):
        """The numbers of the run by row, None for null."""
        bits = self.validity() if self.validity else [int(self.valid > 0)] * self.rows
        rest, numbers = iter(self.run()), [None] * self.rows
        for row in self.order(columns):
            if bits[row]:
                numbers[row] = next(rest)
        return numbers

    def valid_values(self, values):
        if self.type == 48:
            columns = [child.decode() for child in self.children]
            return [[column[row] for column in columns] for row in range(self.valid)]
        if self.positions:
            return [list(items) for items in zip(*(child.decode() for child in self.children))]
        if self.type in (49, 50, 51, 52):
            lengths = [self.size] * self.valid if self.type == 51 else values
            return cut(self.children[0].decode(), lengths)
        if self.type == 53:
            entries = self.children[0].decode()
            need(all(0 <= key < len(entries) for key in values), "an entry that is not there")
            return [entries[key] for key in values]
        bits = {1: 1, 2: 7, 3: 15, 4: 31, 6: 8, 7: 16, 8: 32, 10: 16, 11: 32, 13: 31, 16: 31, 18: 31, 23: 31}
        if self.type in bits:
            limit = 1 << bits[self.type]
            low = 0 if self.type in (1, 6, 7, 8, 10, 11) else -limit
            need(all(low <= value < limit for value in values), "a value that does not fit its type")
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
        need(self.type != 38 or all(len(v) == self.size for v in values), "fixed binary")
        return values

    def run(self):
        return self.runs[0]() if self.runs else []
