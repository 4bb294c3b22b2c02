"""Rows as CSV. man/mbt-format.5: RESTORING TEXT."""

from json_text import PLAIN, column_name, is_hidden
from sections import NotRead
from text import is_json, leaf_text

DEFAULTS = {
    "delimiter": ",", "quote": '"', "escape": None, "line_end": "\n", "header": True, "null": "",
    "empty": None, "quoted": (), "bare": None, "spaces": None, "width": None,
    "comment": None, "skip_lines": 0,
}


class CsvStyle:
    """A named style with the given differences."""

    def __init__(self, name="", options=None, tsv=False):
        if name not in ("", "crlf"):
            raise NotRead(f"the style {name} is not read here")
        unknown = [key for key in options or {} if key not in DEFAULTS]
        if unknown:
            raise NotRead(f"the style has {unknown[0]}, which is not read here")
        named = {"delimiter": "\t" if tsv else ",", "line_end": "\r\n" if name else "\n"}
        self.__dict__.update({**DEFAULTS, **named, **(options or {})})

    def head(self, columns):
        if not self.header:
            return ""
        names = enumerate(column for column in columns if not is_hidden(column))
        cells = [self.name(column_name(column, at + 1), at) for at, column in names]
        return self.delimiter.join(cells) + self.line_end

    def name(self, name, position):
        quotes = self.is_quoted(position) or self.must_quote(name)
        return self.in_quotes(name) if quotes else name

    def is_quoted(self, position):
        return self.quoted is True or position in self.quoted

    def must_quote(self, cell):
        special = (self.delimiter, self.quote or self.delimiter, "\r", "\n")
        blank = (" ", "\t")
        return (
            any(c in cell for c in special)
            or cell == "" and self.empty != "bare"
            or cell.startswith("\ufeff")
            or self.comment is not None and cell.startswith(self.comment)
            or self.spaces == "leading" and cell.startswith(blank)
            or self.spaces == "edges" and (cell.startswith(blank) or cell.endswith(blank))
            or self.spaces == "any" and any(c in cell for c in blank)
        )

    def in_quotes(self, cell):
        if self.quote is None:
            return cell
        if self.escape is None:
            cell = cell.replace(self.quote, self.quote * 2)
        else:
            cell = cell.replace(self.escape, self.escape * 2).replace(self.quote, self.escape + self.quote)
        return self.quote + cell + self.quote

    def null_word(self, column, position):
        """How the nulls of a column are printed."""
        word = column.metadata.get("mbt.null")
        if word is None:
            return self.null
        if word == '""':
            word = ""
        always = self.is_quoted(position)
        quotes = word != self.bare if always else self.must_quote(word)
        return self.in_quotes(word) if quotes else word

    def cell(self, column, value, position):
        null = self.null_word(column, position)
        if value is None:
            return null
        text = self.text(column, value)
        looks_null = text in (null, self.null) and not (text == "" and self.empty == "bare")
        if self.is_quoted(position):
            quotes = text != self.bare
        else:
            quotes = looks_null or self.must_quote(text)
        return self.in_quotes(text) if quotes else text

    def text(self, column, value):
        if 48 <= column.type <= 52:
            return PLAIN.value(column, value, 0)
        if column.type == 53:
            entries = column.children[0]
            entries.metadata = {**entries.metadata, **column.metadata}
            return self.text(entries, value)
        return value if is_json(column) else leaf_text(column, value)[0]

    def record(self, columns, values, _is_first):
        visible = [pair for pair in zip(columns, values) if not is_hidden(pair[0])]
        if self.width is not None:
            while len(visible) > self.width and visible[-1][1] is None and "mbt.null" not in visible[-1][0].metadata:
                visible.pop()
        cells = [self.cell(column, value, at) for at, (column, value) in enumerate(visible)]
        return self.delimiter.join(cells) + self.line_end

    def line(self, columns, values):
        """The line in the first column, if the text is not a table."""
        for column, value in zip(columns, values):
            if not is_hidden(column):
                if value is not None:
                    return self.text(column, value) + self.line_end
                word = column.metadata.get("mbt.null", self.null)
                return ("" if word == '""' else word) + self.line_end
        return self.line_end
