"""Random conditions on five tables: mbt must keep the rows that DuckDB keeps. And random lists of columns, nested ones
and renamed ones among them, which must hold the values that DuckDB selects.

Each table is written as CSV (the flat ones), NDJSON, Arrow and frames, and each condition is applied to all of them.
Where the dialects differ, a condition has two spellings: DuckDB counts items of lists from 1, and its ~ matches the
whole text.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.ipc

MBT = sys.argv[1]
SEED = 18
CONDITIONS_PER_TABLE = 40
SELECTIONS_PER_TABLE = 8
ROWS = 60

rng = random.Random(SEED)


def some(make, nulls=0.15):
    return [None if rng.random() < nulls else make() for _ in range(ROWS)]


def words(letters="abcAé_%", longest=4):
    return lambda: "".join(rng.choice(letters) for _ in range(rng.randint(1, longest)))


def day():
    return date(2024, 1, 1) + timedelta(days=rng.randint(0, 40))


def moment():
    return datetime(2024, 1, 1) + timedelta(minutes=rng.randint(0, 60 * 24 * 30))


class Column:
    """Values, their Arrow type, and how a condition spells one of them: (mbt, DuckDB)."""

    def __init__(self, values, type_, kind, name=None):
        self.values, self.type, self.kind = values, type_, kind
        self.name = name

    def literal(self):
        value = rng.choice([v for v in self.values if v is not None])
        kind = self.kind
        if kind == "number":
            if rng.random() < 0.2:
                value = value + 1
            return str(value), str(value)
        if kind == "float":
            return repr(value), repr(value)
        if kind == "bool":
            word = str(value).lower()
            return word, word
        if kind == "date":
            if rng.random() < 0.3:
                # The same instants, spelled as times.
                return f"'{value}T00:00:00'", f"timestamp '{value} 00:00:00'"
            return f"'{value}'", f"date '{value}'"
        if kind == "time":
            spelled = rng.choice(["'{:%Y-%m-%dT%H:%M:%S}'", "'{:%Y-%m-%d %H:%M}'", "'{:%Y-%m-%dT%H:%M:%S.000000Z}'"])
            return spelled.format(value), f"timestamp '{value}'"
        text = "'" + value.replace("'", "''") + "'"
        return text, text


def quote(name):
    return name if name.isidentifier() else '"' + name.replace('"', '""') + '"'


def tables():
    i64, f64, text, boolean = pa.int64(), pa.float64(), pa.string(), pa.bool_()
    numbers = {
        "i": Column(some(lambda: rng.randint(-5, 15)), i64, "number"),
        "large": Column(some(lambda: rng.choice([2**53, 2**53 + 1, 2**62, -(2**62), 7])), i64, "number"),
        "u": Column(some(lambda: rng.choice([2**64 - 1, 2**63, 5, 6])), pa.uint64(), "number"),
        "price": Column(
            some(lambda: Decimal(rng.randint(-2000, 2000)).scaleb(-2)), pa.decimal128(18, 2), "number"
        ),
        "f": Column(some(lambda: rng.choice([0.5, -1.25, 3.0, 1e100, 0.1])), f64, "float"),
        "g": Column(some(lambda: rng.choice([0.5, -1.25, 3.5, 0.1])), f64, "float"),
    }
    texts = {
        "name": Column(some(words()), text, "text"),
        "other": Column(some(words()), text, "text"),
        "odd name": Column(some(words("xyz'\" ", 3), 0.3), text, "text"),
        "flag": Column(some(lambda: rng.random() < 0.5), boolean, "bool"),
        "id": Column(list(range(ROWS)), i64, "number"),
    }
    times = {
        "day": Column(some(day), pa.date32(), "date"),
        "until": Column(some(day), pa.date32(), "date"),
        "at": Column(some(moment), pa.timestamp("us"), "time"),
        "order": Column(list(range(ROWS)), i64, "number"),
    }
    nested = {
        "user": Column(
            some(lambda: {"name": rng.choice(["ann", "bob", None]), "age": rng.choice([3, 5, None])}),
            pa.struct([("name", text), ("age", i64)]),
            None,
        ),
        "tags": Column(some(lambda: [rng.choice("abc") for _ in range(rng.randint(0, 3))]), pa.list_(text), None),
        "n": Column(some(lambda: rng.randint(0, 9)), i64, "number"),
    }
    sparse = {
        "a": Column(some(lambda: rng.randint(0, 3), 0.6), i64, "number"),
        "b": Column(some(lambda: rng.randint(0, 3), 0.6), i64, "number"),
        "c": Column(some(words("xy", 2), 0.6), text, "text"),
        "end": Column(list(range(ROWS)), i64, "number"),
    }
    return {"numbers": numbers, "texts": texts, "times": times, "nested": nested, "sparse": sparse}


def leaves(columns):
    """What can be compared: (mbt's name, DuckDB's name, column)."""
    found = []
    for name, column in columns.items():
        if column.kind:
            found.append((quote(name), '"' + name.replace('"', '""') + '"', column))
    if "user" in columns:
        def of(key):
            return [u and u[key] for u in columns["user"].values]
        found.append(("user.name", '"user".name', Column(of("name"), None, "text")))
        found.append(("user.age", '"user".age', Column(of("age"), None, "number")))
        at = lambda i: [t[i] if t and len(t) > abs(i) - (i < 0) else None for t in columns["tags"].values]
        found.append(("tags[0]", "tags[1]", Column(at(0), None, "text")))
        found.append(("tags[-1]", "tags[-1]", Column(at(-1), None, "text")))
    return found


def comparison(columns):
    known = leaves(columns)
    mine, theirs, column = rng.choice(known)
    kind = rng.randint(0, 9)
    if kind <= 3:
        op = rng.choice(["=", "==", "<>", "!=", "<", "<=", ">", ">="])
        a, b = column.literal()
        if rng.random() < 0.2:
            return f"{a} {op} {mine}", f"{b} {op} {theirs}"
        return f"{mine} {op} {a}", f"{theirs} {op} {b}"
    negated = rng.choice(["", "not "])
    if kind == 4:
        (a, b), (c, d) = column.literal(), column.literal()
        return f"{mine} {negated}between {a} and {c}", f"{theirs} {negated}between {b} and {d}"
    if kind == 5:
        pairs = [column.literal() for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.2:
            pairs.append(("null", "null"))
        a, b = (", ".join(part) for part in zip(*pairs))
        return f"{mine} {negated}in ({a})", f"{theirs} {negated}in ({b})"
    if kind == 6:
        return f"{mine} is {negated}null", f"{theirs} is {negated}null"
    if kind == 7:
        peers = [it for it in known if it[2].kind == column.kind or {it[2].kind, column.kind} == {"date", "time"}]
        other, their_other, _ = rng.choice(peers)
        op = rng.choice(["=", "<>", "<", "<=", ">", ">="])
        return f"{mine} {op} {other}", f"{theirs} {op} {their_other}"
    if column.kind == "text":
        if kind == 8:
            like = rng.choice(["like", "ilike"])
            pattern = rng.choice(["a%", "%a", "%b%", "_", "a_", "%", "A%", "x%y", "é%", "%c_%"])
            return f"{mine} {negated}{like} '{pattern}'", f"{theirs} {negated}{like} '{pattern}'"
        pattern = rng.choice(["^a", "b$", "a|x", "[bc]{2}", "^.$", "%"])
        bang = "!" if negated else ""
        return f"{mine} {bang}~ '{pattern}'", f"{negated}regexp_matches({theirs}, '{pattern}')"
    if column.kind == "bool":
        return f"{negated}{mine}", f"{negated}{theirs}"
    return comparison(columns)


def condition(columns, depth=0):
    kind = rng.random()
    if depth >= 3 or kind < 0.35:
        return comparison(columns)
    if kind < 0.5:
        a, b = condition(columns, depth + 1)
        return f"not ({a})", f"not ({b})"
    (a, b), (c, d) = condition(columns, depth + 1), condition(columns, depth + 1)
    if kind < 0.6:
        truth = rng.choice(["true", "false", "unknown", "not true", "not false"])
        theirs = truth.replace("unknown", "null")
        return f"({a}) is {truth}", f"({b}) is {theirs}"
    joint = rng.choice(["and", "or"])
    return f"({a}) {joint} {c}" if joint == "or" else f"({a} and ({c}))", (
        f"({b}) {joint} {d}" if joint == "or" else f"({b} and ({d}))"
    )


def selection(columns):
    """A list of columns, the same for DuckDB, and the names of the output."""
    # JSON has no other types, and Python prints floats differently.
    known = [it for it in leaves(columns) if it[2].kind in ("text", "number") and it[0] not in ("price", "f", "g")]
    chosen = rng.sample(known, rng.randint(1, min(4, len(known))))
    mine, theirs, names = [], [], []
    for at, (own, other, _) in enumerate(chosen):
        name = own.strip('"').replace('""', '"')
        if rng.random() < 0.5:
            name = rng.choice([f"c{at}", f"c {at}", f"c,{at}"])
            own += f" as {quote(name)}"
        mine.append(own)
        theirs.append(f'{other} as "{name}"')
        names.append(name)
    return ",".join(mine), ", ".join(theirs), names


def run(*args):
    done = subprocess.run([MBT, *args], capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode()


def plain(value):
    if isinstance(value, Decimal):
        return f"<{value}>"
    return value.isoformat() if isinstance(value, (date, datetime)) else value


def ndjson(rows):
    lines = []
    for row in rows:
        line = json.dumps({key: plain(value) for key, value in row.items()}, ensure_ascii=False)
        lines.append(line.replace('"<', "").replace('>"', ""))
    return "\n".join(lines) + "\n"


def cell(value):
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, datetime):
        text = value.isoformat()
    return '"' + text.replace('"', '""') + '"' if isinstance(value, str) else text


def main():
    folder = tempfile.TemporaryDirectory()
    checked = 0
    asked = []
    selected = []
    for name, columns in tables().items():
        schema = pa.schema([(key, column.type) for key, column in columns.items()] + [("row", pa.int64())])
        rows = [
            {**{key: column.values[at] for key, column in columns.items()}, "row": at} for at in range(ROWS)
        ]
        table = pa.Table.from_pylist(rows, schema=schema)
        path = os.path.join(folder.name, name)
        with pa.ipc.new_file(path + ".arrow", schema) as out:
            out.write_table(table)
        with open(path + ".ndjson", "w") as out:
            out.write(ndjson(rows))
        inputs = [path + ".arrow", path + ".ndjson"]
        if name != "nested":
            with open(path + ".csv", "w") as out:
                out.write(",".join(cell(key) for key in rows[0]) + "\n")
                out.writelines(",".join(cell(value) for value in row.values()) + "\n" for row in rows)
            inputs.append(path + ".csv")
        for source in list(inputs):
            frames = source + ".mbt"
            code, _, said = run("convert", "-q", "--frame-rows", "13", source, "-o", frames)
            assert code == 0, said
            inputs.append(frames)
        database = duckdb.connect()
        database.register("t", table)
        for _ in range(CONDITIONS_PER_TABLE):
            mine, theirs = condition(columns)
            expected = database.execute(f'select "row" from t where {theirs} order by "row"').fetchall()
            expected = "".join(f"{row}\n" for (row,) in expected)
            asked.append((inputs, mine, theirs, expected))
        for _ in range(SELECTIONS_PER_TABLE):
            mine, theirs, names = selection(columns)
            rows = database.execute(f'select {theirs} from t order by "row"').fetchall()
            selected.append((inputs, mine, theirs, [dict(zip(names, row)) for row in rows]))

    def check(case):
        inputs, mine, theirs, expected = case
        for source in inputs:
            code, out, said = run(
                "convert", "-q", source, "--to", "csv", "--columns", "row", "--exact", "off", "--where", mine
            )
            found = out.decode().removeprefix("row\n")
            if code != 0 or found != expected:
                name = os.path.basename(source)
                return f"{name}: {mine}\n  DuckDB: {theirs}\n  found {found.split()} {said}\n  expected {expected.split()}"
        return None

    def check_selection(case):
        inputs, mine, theirs, expected = case
        for source in inputs:
            code, out, said = run("convert", "-q", source, "--to", "ndjson", "--columns", mine)
            found = [json.loads(line) for line in out.splitlines()]
            names = expected[0].keys()
            found = [{name: row.get(name) for name in names} for row in found]
            if code != 0 or found != expected:
                name = os.path.basename(source)
                return f"{name}: {mine}\n  DuckDB: {theirs}\n  found {found} {said}\n  expected {expected}"
        return None

    with ThreadPoolExecutor(2) as pool:
        wrong = [it for it in pool.map(check, asked) if it]
        wrong += [it for it in pool.map(check_selection, selected) if it]
    if wrong:
        sys.exit(f"{len(wrong)} of {len(asked) + len(selected)} differ:\n" + "\n".join(wrong[:10]))
    print(f"checked {len(asked)} conditions and {len(selected)} lists of columns with DuckDB {duckdb.__version__}")


main()
