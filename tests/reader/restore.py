"""The text that a stream was made from. man/mbt-format.5: RESTORING TEXT."""

import hashlib
import importlib
import json
import re

from csv_text import CsvStyle
from json_text import JsonStyle
from sections import Bytes, Damaged, NotRead, need

LINE = b"\x80\x00"
SPACE = re.compile(rb"[ \t\r\n]*")
SCALAR = re.compile(rb'"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+', re.DOTALL)


def style_of(text):
    words = re.match(r"(\S+)(?: ([a-z0-9]+))?(?: (\{.*))?$", text, re.DOTALL)
    if not words:
        raise NotRead("the layout of the text is not read here")
    form, name, options = words[1], words[2] or "", json.loads(words[3] or "{}")
    options.pop("encoding", None)
    if form in ("csv", "tsv"):
        return CsvStyle(name, options, form == "tsv")
    if form == "json" and options.get("array") is False:
        del options["array"]
        form = "document"
    if form in ("json", "document", "ndjson"):
        return JsonStyle(name, options, form == "json")
    raise NotRead(f"text in {form} is not read here")


def encoding_of(text):
    options = re.search(r"\{.*$", text, re.DOTALL)
    return json.loads(options[0]).get("encoding") if options else None


def encoded(text):
    return text.encode("utf-8", "surrogateescape")


def patches_of(metadata, rows, columns, values):
    """The patch of each row, or None."""
    if "patches of drafts" in metadata:
        raise NotRead("the patches of drafts are not read here")
    for column, of_column in zip(columns, values):
        if column.metadata.get("mbt.role") == "patch":
            return of_column
    patches, row = [None] * rows, 0
    packed = Bytes(metadata.get("mbt.patches", b""))
    while packed.at < len(packed.data):
        row += packed.number()
        need(row < rows, "patches of rows that are not there")
        patches[row] = packed.string()
        row += 1
    return patches


def stepped(patch, printed):
    """Applies the steps of a patch."""
    out, at, copied_in_all = bytearray(), 0, 0
    while patch.at < len(patch.data):
        copied, inserted, moved = patch.number(), patch.string(), patch.signed()
        need(at + copied <= len(printed), "a step copies too much")
        copied_in_all += copied
        out += printed[at : at + copied] + inserted
        at += copied + moved
        need(0 <= at <= len(printed), "a step goes too far")
    need(copied_in_all <= 4 * len(printed), "a patch copies too much")
    return bytes(out + printed[at:])


class Reorder:
    """Moves members of the objects in a printed record."""

    def __init__(self, record, patch):
        self.record, self.object, self.moves, place = record, 0, {}, 0
        for _ in range(patch.number()):
            place += patch.number()
            self.moves[place] = [(patch.number(), patch.number()) for _ in range(patch.number())]
            place += 1

    def apply(self):
        if not self.moves:
            return self.record
        start = SPACE.match(self.record).end()
        if self.record[start : start + 1] == b",":
            start = SPACE.match(self.record, start + 1).end()
        text, end = self.value(start, 0)
        need(not self.moves, "members of objects that are not there")
        return self.record[:start] + text + self.record[end:]

    def value(self, at, depth):
        """A value with its members moved, and where it ends."""
        bracket = self.record[at : at + 1]
        if bracket not in (b"{", b"["):
            end = SCALAR.match(self.record, at).end()
            return self.record[at:end], end
        moves = None
        if bracket == b"{" and depth < 64:
            moves = self.moves.pop(self.object, [])
            self.object += 1
        items, between, at, start = [], [], at + 1, at
        while True:
            at = SPACE.match(self.record, at).end()
            if self.record[at : at + 1] in (b"}", b"]"):
                break
            if self.record[at : at + 1] == b",":
                at = SPACE.match(self.record, at + 1).end()
            between.append(self.record[start:at])
            key = b""
            if bracket == b"{":
                colon = SPACE.match(self.record, SCALAR.match(self.record, at).end()).end()
                value = SPACE.match(self.record, colon + 1).end()
                key, at = self.record[at:value], value
            item, at = self.value(at, depth + 1)
            items.append(key + item)
            start = at
        for origin, target in moves or ():
            need(max(origin, target) < len(items), "members that are not there")
            items.insert(target, items.pop(origin))
        between.append(self.record[start : at + 1])
        pairs = zip(between, items)
        return b"".join(before + item for before, item in pairs) + between[-1], at + 1


def frame_text(style, frame, is_first):
    """The records of a frame."""
    rows, metadata, columns, values = frame
    out = []
    for row, patch in enumerate(patches_of(metadata, rows, columns, values)):
        cells = [column[row] for column in values]
        is_line = isinstance(style, CsvStyle) and patch is not None
        if is_line and (patch == b"" or patch[:2] == LINE):
            line = encoded(style.line(columns, cells))
            out.append(stepped(Bytes(patch[2:]), line))
            continue
        record = encoded(style.record(columns, cells, is_first and row == 0))
        if patch is not None:
            patch = Bytes(patch)
            if isinstance(style, JsonStyle):
                record = Reorder(record, patch).apply()
            record = stepped(patch, record)
        out.append(record)
    return b"".join(out)


def check_hash(text, kind, expected):
    if kind == 1:
        found = hashlib.sha256(text).digest()
    else:
        try:
            found = importlib.import_module("xxhash").xxh3_128(text).intdigest().to_bytes(16, "little")
        except ImportError:
            raise NotRead("hash 0 (XXH3-128) is not read here") from None
    need(found == expected, "the text has another hash")


def restored(frames, ending):
    """The text of a segment, given its frames as (rows, metadata, columns, values) and its index."""
    if ending is None or not frames or "mbt.head" not in frames[0][1]:
        raise NotRead("the frames do not hold one complete text")
    length, tail, kind, expected = ending
    head = frames[0][1]["mbt.head"]
    parts, has_rows = [], False
    for at, frame in enumerate(frames):
        style = style_of(frame[1]["mbt.text"])
        if at == 0 and head == "=":
            columns = frame[2]
            parts.append(encoded(style.head(columns) if isinstance(style, CsvStyle) else style.head()))
        elif at == 0:
            parts.append(encoded(head))
        parts.append(frame_text(style, frame, not has_rows))
        has_rows = has_rows or frame[0] > 0
    text = b"".join(parts) + tail
    encoding = encoding_of(frames[0][1]["mbt.text"])
    if encoding:
        text = text.decode("utf-8").encode(encoding)
    need(len(text) == length, f"the text has {len(text)} bytes instead of {length}")
    check_hash(text, kind, expected)
    return text
