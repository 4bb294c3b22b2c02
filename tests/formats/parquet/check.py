"""Compares `mbt convert` with pyarrow's Parquet. The first argument is the binary; files of other writers follow."""

import datetime as dt
import decimal
import json
import math
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

BIN = sys.argv[1]
D = decimal.Decimal
# What takes up bytes of a file besides columns.
PARTS = ("header", "index", "unused")
# Columns that keep their values but not their type: decimals that fit in a shorter one, and timestamps with a zone in
# seconds, which pyarrow stores as milliseconds with a schema that says seconds.
PLAIN_VALUES_ONLY = {"decimal256 of 20 digits", "timestamp s +02:00", "timestamp s Europe/Berlin"}


def mbt(*args, data=b""):
    done = subprocess.run([BIN, *map(str, args)], input=data, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{args}: {done.stderr.decode()}")
    return done.stdout


def columns():
    yield "null", pa.nulls(4)
    yield "bool", pa.array([True, False, None, True])
    for bits in (8, 16, 32, 64):
        ends = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, None, 0]
        yield f"i{bits}", pa.array(ends, f"int{bits}")
        yield f"u{bits}", pa.array([0, 2**bits - 1, None, 5], f"uint{bits}")
    yield "f16", pa.array([1.5, -0.0, None, float("inf")], pa.float16())
    yield "f32", pa.array([1.5, 0.1, None, -0.0], pa.float32())
    yield "f64", pa.array([1.5, 1e300, None, -0.0])
    small = [D("1.50"), D("-3.25"), None, D(0)]
    if hasattr(pa, "decimal64"):
        yield "d32", pa.array(small, pa.decimal32(9, 2))
        yield "d64", pa.array(small, pa.decimal64(18, 2))
    yield "d128 short", pa.array(small, pa.decimal128(7, 2))
    large = [D("1.50"), D("-123456789012345678901234567890123456.25"), None, D(0)]
    yield "d128", pa.array(large, pa.decimal128(38, 2))
    yield "d256", pa.array(large, pa.decimal256(60, 2))
    yield "decimal256 of 20 digits", pa.array(small, pa.decimal256(20, 2))
    days = [dt.date(2024, 1, 1), dt.date(1, 1, 1), None, dt.date(1970, 1, 1)]
    yield "date32", pa.array(days)
    yield "date64", pa.array(days, pa.date64())
    for unit, make in (("s", pa.time32), ("ms", pa.time32), ("us", pa.time64), ("ns", pa.time64)):
        yield f"time {unit}", pa.array([1, 86399, None, 0], make(unit))
        yield f"duration {unit}", pa.array([1, 1_700_000_000, None, -1], pa.duration(unit))
        for zone in (None, "UTC", "+02:00", "Europe/Berlin"):
            yield f"timestamp {unit} {zone}", pa.array([1, 17_000, None, -1], pa.timestamp(unit, zone))
    texts = ["a", "", None, 'é"\n, and more than twelve bytes']
    yield "string", pa.array(texts)
    yield "large_string", pa.array(texts, pa.large_string())
    yield "string_view", pa.array(texts, pa.string_view())
    raw = [b"a", b"", None, b"\xff" * 20]
    yield "binary", pa.array(raw)
    yield "large_binary", pa.array(raw, pa.large_binary())
    yield "binary_view", pa.array(raw, pa.binary_view())
    yield "fixed", pa.array([b"abc", b"\0\0\0", None, b"\xff\xfe\xfd"], pa.binary(3))
    yield "uuid", pa.array([uuid.UUID(int=i).bytes for i in range(4)], pa.uuid())
    if hasattr(pa, "json_"):
        yield "json", pa.array(['{"a":1}', None, "[]", "1"], pa.json_())
    yield "list", pa.array([[1, 2], [], None, [None]])
    yield "large_list", pa.array([[1, 2], [], None, [None]], pa.large_list(pa.int64()))
    yield "fixed_list", pa.array([[1, 2], [3, 4], None, [None, 5]], pa.list_(pa.int64(), 2))
    yield "struct", pa.array([{"x": 1, "y": "a"}, {"x": None, "y": None}, None, {"x": 2, "y": "b"}])
    yield "deep", pa.array([[{"x": [1]}], [], None, [None, {"x": None}]])
    entries = [[("k", 1)], [], None, [("a", None), ("b", 2)]]
    yield "map", pa.array(entries, pa.map_(pa.string(), pa.int64()))
    yield "dictionary", pa.array(["a", "b", None, "a"]).dictionary_encode()
    yield "dictionary of bools", pa.array([True, False, None, True]).dictionary_encode()
    yield "dictionary of decimals", pa.array([D("1.50"), D("-3.25"), None, D(0)]).dictionary_encode()
    halves = pa.array([1.5, -0.0, None, 0.5], pa.float16()).dictionary_encode()
    yield "list of dictionaries", pa.ListArray.from_arrays([0, 2, 2, 3, 4], halves)
    required = pa.field("x", pa.int64(), nullable=False)
    yield "required", pa.array([{"x": i} for i in range(4)], pa.struct([required]))


def plain(value):
    """The value, with NaN replaced by something that equals itself."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def same_values(found, expected, what):
    names = found.column_names
    if names != expected.column_names:
        raise SystemExit(f"{what}: found columns {names}, expected {expected.column_names}")
    for at, name in enumerate(names):
        ours, theirs = found.column(at), expected.column(at)
        if ours.equals(theirs):
            continue
        for row, (one, other) in enumerate(zip(ours.to_pylist(), theirs.to_pylist(), strict=True)):
            if plain(one) != plain(other):
                raise SystemExit(f"{what}: column {name}, row {row}: found {one!r}, expected {other!r}")


def same(found, expected, what):
    found.validate(full=True)
    same_values(found, expected, what)
    if not found.schema.equals(expected.schema, check_metadata=True):
        ours = found.schema.to_string(show_schema_metadata=True)
        theirs = expected.schema.to_string(show_schema_metadata=True)
        raise SystemExit(f"{what}: found\n{ours}\nexpected\n{theirs}")


def check_columns(folder):
    count = 0
    path, frames, out = folder / "a.parquet", folder / "a.mbt", folder / "b.parquet"
    for name, array in columns():
        field = pa.field("c", array.type, metadata={"k": "v"})
        schema = pa.schema([field], metadata={"source": "check", "pandas": "{}"})
        table = pa.table([array], schema=schema)
        for codec in ("none", "snappy", "zstd", "gzip", "lz4"):
            pq.write_table(table, path, compression=codec, row_group_size=3, version="2.6")
            # Field metadata has the number that pyarrow gives each field.
            expected = pq.read_table(path)
            compare = same_values if name in PLAIN_VALUES_ONLY else same
            mbt("convert", path, "-o", out, "--force", "-c", codec)
            compare(pq.read_table(out), expected, f"{name} {codec}")
            chunk = pq.read_metadata(out).row_group(0).column(0)
            assert chunk.compression in {"none": ["UNCOMPRESSED"], "lz4": ["LZ4", "LZ4_RAW"]}.get(codec, [codec.upper()])
        # Wire 2 has no such type, and says so.
        if name == "d256":
            continue
        mbt("convert", path, "-o", frames, "--force")
        mbt("convert", frames, "-o", out, "--force")
        compare(pq.read_table(out), expected, f"{name} through frames")
        count += 1
    return count


def check_tables(folder):
    path, out = folder / "many.parquet", folder / "out.parquet"
    rows = 90_000
    table = pa.table({
        "i": range(rows),
        "s": [None if i % 7 == 0 else f"text {i % 1000}" for i in range(rows)],
        "l": [[j for j in range(i % 4)] for i in range(rows)],
        "w": [f"{i:060}" for i in range(rows)],
    })
    for version in ("1.0", "2.0"):
        for groups in (1000, 50_000, rows):
            pq.write_table(table, path, row_group_size=groups, data_page_version=version)
            # pyarrow uses another name for the items of lists.
            table = pq.read_table(path)
            results = set()
            for threads in (1, 2, 5):
                mbt("convert", path, "-o", out, "--force", "-T", threads)
                same(pq.read_table(out), table, f"{version} {groups}")
                results.add(out.read_bytes())
            assert len(results) == 1, "the number of threads shows"
            mbt("convert", path, "-o", out, "--force", "--rows", "48000..51111", "--columns", "s,i")
            same(pq.read_table(out), table.select(["s", "i"]).slice(48_000, 3111), "a selection")
            mbt("convert", path, "-o", out, "--force", "--where", "i >= 49995 and i < 50005", "--columns", "s")
            same(pq.read_table(out), table.select(["s"]).slice(49_995, 10), "a condition")
    # A pipe is copied to a temporary file, and output is written without seeking.
    piped = mbt("convert", "-", "--to", "parquet", data=path.read_bytes())
    same(pq.read_table(pa.BufferReader(piped)), table, "from pipe to pipe")
    mbt("convert", path, path, "-o", out, "--force")
    same(pq.read_table(out), pa.concat_tables([table] * 2), "twice")
    empty = table.slice(0, 0)
    pq.write_table(empty, path)
    mbt("convert", path, "-o", out, "--force")
    same(pq.read_table(out), empty, "no rows")


def check_order(folder):
    """The crate that writes Parquet rebuilds dictionaries, so their order must not be claimed."""
    path, out = folder / "o.arrow", folder / "o.parquet"
    keys, words = pa.array([2, 0]), pa.array(["lo", "mid", "hi"])
    table = pa.table({"c": pa.DictionaryArray.from_arrays(keys, words, ordered=True)})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    mbt("convert", path, "-o", out)
    found = pq.read_table(out)["c"]
    assert found.to_pylist() == ["hi", "lo"] and not found.type.ordered


def check_statistics(folder):
    path, out = folder / "s.csv", folder / "s.parquet"
    path.write_text("i,s\n" + "".join(f"{i},w{i % 9}\n" for i in range(2_500_000)))
    mbt("convert", path, "-o", out)
    metadata = pq.read_metadata(out)
    assert metadata.num_row_groups > 1
    first = 0
    for at in range(metadata.num_row_groups):
        group = metadata.row_group(at)
        assert group.num_rows < 1_700_000, group.num_rows
        statistics = group.column(0).statistics
        assert (statistics.min, statistics.max) == (first, first + group.num_rows - 1)
        first += group.num_rows
        assert group.column(0).compression == "ZSTD"


def check_text(folder):
    path, out = folder / "b.csv", folder / "c.parquet"
    path.write_text("i,d,s,t,u,z\n1,1.50,x,2024-01-01,550e8400-e29b-41d4-a716-446655440000,007\n2,,,,,\n")
    row = {
        "i": 1,
        "d": 1.5,
        "s": "x",
        "t": dt.date(2024, 1, 1),
        "u": uuid.UUID("550e8400-e29b-41d4-a716-446655440000"),
        "z": "007",
    }
    expected = [row, dict.fromkeys(row) | {"i": 2}]
    mbt("convert", path, "-o", out, "--force")
    assert pq.read_table(out).to_pylist() == expected
    frames = mbt("convert", path, "--to", "mbt")
    assert pq.read_table(pa.BufferReader(mbt("convert", "-", "--to", "parquet", data=frames))).to_pylist() == expected
    piped = mbt("convert", "-", "--from", "csv", "--to", "parquet", data=path.read_bytes())
    assert pq.read_table(pa.BufferReader(piped)).to_pylist() == expected
    # Other tools show the text of every value.
    assert mbt("convert", out, "--to", "csv") == path.read_bytes().replace(b"1.50", b"1.5")
    path = folder / "a.ndjson"
    path.write_text('{"a":{"x":1},"b":[1,2],"e":{}}\n{"a":{"y":null},"b":null}\n{"b":[]}\n')
    mbt("convert", path, "-o", out, "--force")
    found = pq.read_table(out).to_pylist()
    assert [row["b"] for row in found] == [[1, 2], None, []], found
    assert [row["e"] for row in found] == ["{}", None, None], found
    assert found[0]["a"]["x"] == 1 and found[1]["a"]["x"] is None, found


def check_files(folder, paths):
    """Files of other writers: the same values as pyarrow reads, or a clear error."""
    frames, out = folder / "f.mbt", folder / "f.parquet"
    count = 0
    for path in paths:
        checksum_is_wrong = "corrupt-checksum" in path
        done = subprocess.run([BIN, "convert", path, "-o", frames, "--force"], capture_output=True, check=False)
        said = done.stderr.decode()
        if done.returncode:
            assert done.returncode == 2 and said.startswith(f"error: {path}: "), said
            try:
                pq.read_table(path, use_threads=False).validate(full=True)
            except (pa.ArrowException, OSError):
                continue
            assert checksum_is_wrong, f"{path}: pyarrow reads it; {said}"
            continue
        mbt("convert", frames, "-o", out, "--force")
        try:
            expected = pq.read_table(path)
        except (pa.ArrowException, OSError):
            continue
        same_values(pq.read_table(out), expected, path)
        check_footer(path)
        count += 1
    return count


def check_footer(path):
    """`inspect` and `stats --quick` report what pyarrow finds in the footer, and what reading the file gives."""
    metadata = pq.read_metadata(path)
    (found,) = json.loads(mbt("inspect", path, "--json"))["files"]
    assert (found["format"], found["rows"]) == ("parquet", metadata.num_rows), path
    assert found["frames"] == metadata.num_row_groups, path
    assert found["bytes"] == Path(path).stat().st_size, path
    leaves = [column for column in found["columns"] if column["is_leaf"]]
    assert not metadata.num_row_groups or len(leaves) == metadata.num_columns, path
    columns = found["columns"]
    parts = sum(column["stored_bytes"] for column in columns) + sum(found[f"{part}_bytes"] for part in PARTS)
    assert parts == found["bytes"], path
    for at, leaf in enumerate(leaves):
        chunks = [metadata.row_group(group).column(at) for group in range(metadata.num_row_groups)]
        assert leaf["stored_bytes"] == sum(chunk.total_compressed_size for chunk in chunks), path
        assert leaf["plain_bytes"] == sum(chunk.total_uncompressed_size for chunk in chunks), path
        stated = [chunk.statistics.null_count for chunk in chunks if chunk.statistics]
        if leaf["nulls"] is not None and len(stated) == len(chunks) and None not in stated:
            assert leaf["nulls"] == sum(stated), (path, leaf)
    quick = json.loads(mbt("stats", path, "--quick", "--json"))["files"][0]["columns"]
    read = json.loads(mbt("stats", path, "--json"))["files"][0]["columns"]
    known = 0
    for stated, value in zip(quick, read, strict=True):
        for key in ("name", "rows", "nulls", "min", "max"):
            is_cut = key in ("min", "max") and stated[f"{key}_is_cut"]
            fits = value[key].startswith(stated[key]) if is_cut else stated[key] == value[key]
            assert fits or stated[key] is None, (path, key, stated, value)
            known += stated[key] is not None
    return known


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    count = check_columns(folder)
    check_tables(folder)
    check_order(folder)
    check_statistics(folder)
    check_text(folder)
    rows = {"i": [3, None, 1], "f": [1.5, math.nan, -2.5], "s": ["b", "a" * 40, ""], "l": [[1], [], None]}
    table = pa.table(rows | {"n": [{"a": 1}, None, {"a": None}]})
    pq.write_table(table, folder / "n.parquet", row_group_size=2, compression="zstd")
    assert check_footer(folder / "n.parquet") > 20
    files = check_files(folder, sys.argv[2:])
    print(f"checked {count} types and {files} files with pyarrow {pa.__version__}")
