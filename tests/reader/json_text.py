"""Rows as JSON, in any style. man/mbt-format.5: METADATA, RESTORING TEXT."""

import json
import re

from sections import NotRead, need
from text import JSON_WORDS, is_json, leaf_text, replace_form

PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
SPACED = {"colon": ": ", "comma": ", "}
ITEMS = ("comma", "lines", "pad", "empty")
LEVELS = 64


class JsonStyle:
    """A named style with the given differences."""

    def __init__(self, name="", options=None, array=False):
        self.array, self.colon, self.indent, self.depth, self.crlf = array, ":", "", 0, False
        self.between = "," if array else "\n"
        self.ascii, self.upper, self.slash, self.hex = False, False, False, ""
        objects = {"comma": ",", "lines": False, "pad": "", "empty": ""}
        arrays = {}
        if name == "spaced":
            self.colon, objects["comma"] = ": ", ", "
            self.between = ", " if array else "\n"
        elif name:
            indents = {"tab": "\t", "ruby": "  ", **{str(n): " " * n for n in range(1, 9)}}
            if name not in indents:
                raise NotRead(f"the style {name} is not read here")
            self.colon, self.indent, objects["lines"] = ": ", indents[name], True
            if name == "ruby":
                objects["empty"], arrays["empty"] = "\n", "\n\n"
            if array:
                self.between, self.depth = ",\n" + self.indent, 1
        for key, value in (options or {}).items():
            if key in ITEMS:
                objects[key] = value
            elif key == "arrays":
                arrays.update(value)
            elif key in ("between", "colon", "indent", "depth", "crlf", "ascii", "upper", "slash", "hex", "records"):
                setattr(self, key, value)
            else:
                raise NotRead(f"the style has {key}, which is not read here")
        self.spacing = {"{": objects, "[": {**objects, **arrays}}
        compact = {"comma": ",", "lines": False, "pad": "", "empty": ""}
        plain_escapes = not (self.ascii or self.upper or self.slash or self.hex)
        spacing = list(self.spacing.values())
        self.is_plain = plain_escapes and self.colon == ":" and spacing == [compact, compact]

    def head(self):
        if not self.array:
            return ""
        after = self.between.split(",", 1)[1]
        return "[" + (after if after[:1] in ("\r", "\n") else self.spacing["["]["pad"])

    def line(self, level):
        return ("\r\n" if self.crlf else "\n") + self.indent * min(level, LEVELS)

    def inside(self, bracket, level):
        return level + (1 if self.spacing[bracket]["lines"] else 0)

    def container(self, bracket, items, level):
        space, close = self.spacing[bracket], {"{": "}", "[": "]"}[bracket]
        if not items:
            line = self.indent * min(level, LEVELS) if space["empty"].endswith("\n") else ""
            return bracket + space["empty"] + line + close
        if space["lines"]:
            line = self.line(level + 1)
            return bracket + line + (space["comma"] + line).join(items) + self.line(level) + close
        return bracket + space["pad"] + space["comma"].join(items) + space["pad"] + close

    def quoted(self, text):
        text = json.dumps(text, ensure_ascii=False)[1:-1]
        if self.slash:
            text = text.replace("/", "\\/")
        if self.upper:
            text = re.sub(r"\\u00..|\\.", lambda m: "\\u" + m[0][2:].upper() if m[0][1] == "u" else m[0], text)
        return '"' + re.sub(r'\\.|[^\\]', self.escaped, text, flags=re.DOTALL) + '"'

    def escaped(self, match):
        text = match[0]
        if text[0] == "\\":
            character = json.loads(f'"{text}"') if text[1] not in "u" else None
            if character is None or character not in self.hex:
                return text
            text = character
        elif text not in self.hex and not (self.ascii and text >= "\x80"):
            return text
        units = text.encode("utf-16-be")
        digits = "04X" if self.upper else "04x"
        return "".join(
            f"\\u{int.from_bytes(units[at : at + 2], 'big'):{digits}}" for at in range(0, len(units), 2)
        )

    def laid_out(self, text, level):
        """The text of a JSON value in this style."""
        try:
            json.loads(text, parse_constant=lambda word: need(False, word))
        except ValueError:
            return self.quoted(text)
        if self.is_plain and "\n" not in text and "\r" not in text:
            return text
        pieces = PIECE.findall(text)
        pieces.reverse()
        return self.piece(pieces, level)

    def piece(self, pieces, level):
        piece = pieces.pop()
        if piece[0] == '"':
            return self.respelled(piece)
        if piece not in "{[":
            return piece
        items, inside = [], self.inside(piece, level)
        while pieces[-1] not in "}]":
            if pieces[-1] == ",":
                pieces.pop()
            key = ""
            if piece == "{":
                key = self.respelled(pieces.pop()) + self.colon
                pieces.pop()
            items.append(key + self.piece(pieces, inside))
        pieces.pop()
        return self.container(piece, items, level)

    def respelled(self, string):
        text = json.loads(string)
        # A lone surrogate can only be written as an escape.
        if self.is_plain or any("\ud800" <= c < "\ue000" for c in text):
            return string
        return self.quoted(text)

    def value(self, column, value, level):
        """The JSON of a value of a column."""
        if column.type == 53:
            entries = column.children[0]
            entries.metadata = {**entries.metadata, **column.metadata}
            column = entries
        kind = column.type
        if value is None:
            return "null"
        if kind == 48 and column.metadata.get("mbt.variant") == "true":
            kinds = zip(column.children, value)
            return next((self.value(child, v, level) for child, v in kinds if v is not None), "null")
        if kind == 48:
            return self.members(column.children, value, level)
        if kind in (49, 50, 51):
            item, inside = column.children[0], self.inside("[", level)
            return self.container("[", [self.value(item, v, inside) for v in value], level)
        if kind == 52:
            (key, item), inside = column.children[0].children, self.inside("{", level)
            pairs = ((self.value(key, k, inside), self.value(item, v, inside)) for k, v in value)
            texts = [f"{k if k[0] == chr(34) else self.quoted(k)}{self.colon}{v}" for k, v in pairs]
            return self.container("{", texts, level)
        if is_json(column) or column.metadata.get("mbt.type") == "json":
            return self.laid_out(value if isinstance(value, str) else leaf_text(column, value)[0], level)
        form = column.metadata.get("mbt.form", "")
        if form.startswith(","):
            column = replace_form(column, form[1:])
        text, is_string = leaf_text(column, value)
        if is_string and kind in (10, 11, 12):
            text = JSON_WORDS[0 if value != value else 1 if value > 0 else 2]
        return self.quoted(text) if is_string else text

    def members(self, columns, values, level, is_row=False):
        """An object, without hidden columns and absent members."""
        members, shown, inside = [], 0, self.inside("{", level)
        for at, (column, value) in enumerate(zip(columns, values)):
            if is_hidden(column):
                continue
            shown += 1
            if value is None:
                hidden = at + 1 < len(columns) and is_hidden(columns[at + 1])
                if values[at + 1] if hidden else column.metadata.get("mbt.gap") == "absent":
                    continue
            name = column_name(column, shown) if is_row else column.name
            members.append(self.quoted(name) + self.colon + self.value(column, value, inside))
        return self.container("{", members, level)

    def row(self, columns, values):
        shown = [at for at, column in enumerate(columns) if column.metadata.get("mbt.role") != "patch"]
        columns, values = [columns[at] for at in shown], [values[at] for at in shown]
        is_bare = len(columns) == 1 and (
            columns[0].metadata.get("mbt.role") == "row"
            or columns[0].name == "$"
            and is_json(columns[0])
            and columns[0].metadata.get("mbt.role") != "key"
        )
        if is_bare:
            return self.value(columns[0], values[0], self.depth)
        return self.members(columns, values, self.depth, is_row=True)

    def record(self, columns, values, is_first):
        """A row with the text that separates it from others."""
        row = self.row(columns, values)
        if not self.array:
            return row + self.between
        return row if is_first else self.between + row


def is_hidden(column):
    return column.metadata.get("mbt.role") in ("absent", "patch")


def column_name(column, position):
    """The name of a column in text; `position` counts the visible ones from 1."""
    if column.name or column.metadata.get("mbt.role") == "key":
        return column.name
    return f"column_{position}"


PLAIN = JsonStyle()
