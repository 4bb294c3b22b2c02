"""Compares `mbt convert` with pyarrow, type by type; the binary is the first argument."""

import datetime as dt
import decimal
import io
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc as ipc

BIN = sys.argv[1]
D = decimal.Decimal


def mbt(*args, data=b""):
    done = subprocess.run([BIN, *args], input=data, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{args}: {done.stderr.decode()}")
    return done.stdout


def write(table, codec=None, file=False, chunk=None):
    sink = io.BytesIO()
    make = ipc.new_file if file else ipc.new_stream
    options = ipc.IpcWriteOptions(compression=codec)
    with make(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=chunk)
    return sink.getvalue()


def read(data):
    opened = ipc.open_file if data[:6] == b"ARROW1" else ipc.open_stream
    table = opened(io.BytesIO(data)).read_all()
    table.validate(full=True)
    return table


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
    large = [D("1.50"), D("-123456789012345678901234567890123456.25"), None, D(0)]
    yield "d128", pa.array(large, pa.decimal128(38, 2))
    yield "d256", pa.array(large, pa.decimal256(60, 2))
    days = [dt.date(2024, 1, 1), dt.date(1, 1, 1), None, dt.date(1970, 1, 1)]
    yield "date32", pa.array(days)
    yield "date64", pa.array(days, pa.date64())
    ticks = [1, 86399, None, 0]
    for unit, make in (("s", pa.time32), ("ms", pa.time32), ("us", pa.time64), ("ns", pa.time64)):
        yield f"time {unit}", pa.array(ticks, make(unit))
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
    yield "list", pa.array([[1, 2], [], None, [None]])
    yield "large_list", pa.array([[1, 2], [], None, [None]], pa.large_list(pa.int64()))
    yield "fixed_list", pa.array([[1, 2], [3, 4], None, [None, 5]], pa.list_(pa.int64(), 2))
    yield "struct", pa.array([{"x": 1, "y": "a"}, {"x": None, "y": None}, None, {"x": 2, "y": "b"}])
    yield "deep", pa.array([[{"x": [1]}], [], None, [None, {"x": None}]])
    entries = [[("k", 1)], [], None, [("a", None), ("b", 2)]]
    yield "map", pa.array(entries, pa.map_(pa.string(), pa.int64()))
    yield "dictionary", pa.array(["a", "b", None, "a"]).dictionary_encode()
    keys = pa.array([1, 0, None, 1], pa.int8())
    yield "dictionary of numbers", pa.DictionaryArray.from_arrays(keys, pa.array([10, 20]))
    required = pa.field("x", pa.int64(), nullable=False)
    yield "required", pa.array([{"x": i} for i in range(4)], pa.struct([required]))


def rare_columns():
    """Layouts that are read as another type: array, type after reading, values after reading."""
    numbers = [[1, 2], [], None, [None, 3]]
    for make, plain in ((pa.list_view, pa.list_), (pa.large_list_view, pa.large_list)):
        yield pa.array(numbers, make(pa.int64())), plain(pa.int64()), numbers
    # Views that overlap, in no order.
    sizes, offsets = pa.array([2, 1, 2], pa.int32()), pa.array([1, 2, 0], pa.int32())
    view = pa.ListViewArray.from_arrays(offsets, sizes, pa.array(["a", "b", "c"]))
    yield view, pa.list_(pa.string()), [["b", "c"], ["c"], ["a", "b"]]
    runs = pa.RunEndEncodedArray.from_arrays([2, 3, 6], pa.array(["a", None, "b"]))
    yield runs, pa.string(), ["a", "a", None, "b", "b", "b"]
    yield runs.slice(1, 3), pa.string(), ["a", None, "b"]
    nested = pa.RunEndEncodedArray.from_arrays(pa.array([1, 3], pa.int16()), pa.array([[1], [2, 3]]))
    yield nested, pa.list_(pa.int64()), [[1], [2, 3], [2, 3]]
    ids = [uuid.UUID(int=1), None, uuid.UUID(int=2)]
    runs = pa.RunEndEncodedArray.from_arrays([1, 2, 3], pa.array([i and i.bytes for i in ids], pa.uuid()))
    yield runs, pa.uuid(), ids
    kinds = pa.array([0, 1, 0, 1], pa.int8())
    ints, texts = pa.array([1, 0, None, 0]), pa.array(["", "x", "", "y"])
    children = pa.struct([pa.field("i", pa.int64()), pa.field("s", pa.string())])
    parts = [{"i": 1, "s": None}, {"i": None, "s": "x"}, {"i": None, "s": None}, {"i": None, "s": "y"}]
    sparse = pa.UnionArray.from_sparse(kinds, [ints, texts], ["i", "s"])
    yield sparse, children, parts
    places = pa.array([0, 0, 1, 1], pa.int32())
    dense = pa.UnionArray.from_dense(kinds, places, [pa.array([1, None]), pa.array(["x", "y"])], ["i", "s"])
    yield dense, children, parts
    lists = pa.array([["a", "b"], [], ["c"]])
    keys = pa.array([2, 0, None, 2, 1], pa.int8())
    looked_up = [["c"], ["a", "b"], None, ["c"], []]
    yield pa.DictionaryArray.from_arrays(keys, lists), pa.list_(pa.string()), looked_up
    amounts = [D("1.50"), None, D("-99999.25")]
    yield pa.array(amounts, pa.decimal256(20, 2)), pa.decimal128(20, 2), amounts
    spans = pa.array([(1, 2, 3), None, (-1, 0, 10**12)], pa.month_day_nano_interval())
    fields = [("months", pa.int32()), ("days", pa.int32()), ("nanoseconds", pa.int64())]
    fields = pa.struct([pa.field(name, kind, nullable=False) for name, kind in fields])
    values = [(1, 2, 3), None, (-1, 0, 10**12)]
    yield spans, fields, [v and dict(zip(("months", "days", "nanoseconds"), v)) for v in values]
    inner = pa.StructArray.from_arrays([pa.array(numbers, pa.list_view(pa.int64()))], ["x"])
    plain = pa.struct([pa.field("x", pa.list_(pa.int64()))])
    yield inner, plain, [{"x": value} for value in numbers]


def check_rare_columns():
    count = 0
    for array, plain, values in rare_columns():
        table = pa.table({"c": array})
        for file in (False, True):
            data = write(table, file=file)
            for route in ("arrow", "mbt"):
                out = mbt("convert", "-", "--to", route, data=data)
                if route == "mbt":
                    out = mbt("convert", "-", "--to", "arrow", data=out)
                column = read(out).column("c")
                if column.type != plain or column.to_pylist() != values:
                    raise SystemExit(f"{array.type} through {route}: found {column}")
        count += 1
    return count


def repeating():
    """Ways to repeat the values of an array: in runs, by a dictionary and in views of lists."""
    for ends in (pa.int16(), pa.int32(), pa.int64()):
        yield lambda array: pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 4, 9], ends), array)
    for keys in (pa.int8(), pa.uint16(), pa.int64()):
        yield lambda array: pa.DictionaryArray.from_arrays(pa.array([3, 0, None, 3, 1], keys), array)
    for view, places in ((pa.ListViewArray, pa.int32()), (pa.LargeListViewArray, pa.int64())):
        spans = pa.array([1, 0, 2], places), pa.array([2, 4, 0], places)
        yield lambda array: view.from_arrays(*spans, array)


def check_repeated_columns():
    count = 0
    for repeat in repeating():
        repeated = {}
        for name, array in columns():
            # Arrow IPC has no dictionary of a dictionary, pyarrow does not read one of UUIDs, and wire 2 has no
            # decimals of 256 bits.
            if pa.types.is_dictionary(array.type) or name in ("uuid", "d256"):
                continue
            try:
                repeated[name] = repeat(array)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                continue
        table = pa.table(repeated)
        for part in (table, table.slice(1)):
            data = write(part)
            found = read(mbt("convert", "-", "--to", "arrow", data=data))
            for column in part.column_names:
                if found.column(column).to_pylist() != part.column(column).to_pylist():
                    raise SystemExit(f"{part.column(column).type}: found {found.column(column)}")
            frames = mbt("convert", "-", "--to", "mbt", data=data)
            same(read(mbt("convert", "-", "--to", "arrow", data=frames)), found, "repeated values through frames")
        count += len(repeated)
    assert count > 200, count
    return count


def check_joined_types(folder):
    """Inputs whose columns have different types become one table with a type that holds all values."""
    maps = [[("a", 1)], None, []]
    first, second = [dt.datetime(1, 1, 1)], [dt.datetime(2024, 1, 1)]
    small, large = (pa.struct({"a": kind}) for kind in (pa.int8(), pa.int16()))
    counts, many = (pa.map_(pa.string(), kind) for kind in (pa.int8(), pa.int64()))
    sides = [
        ((pa.int8(), [1, None]), (pa.int16(), [-300]), pa.int16()),
        ((pa.uint8(), [200]), (pa.int8(), [-3]), pa.int16()),
        ((pa.uint16(), [65535]), (pa.int8(), [-3]), pa.int32()),
        ((pa.uint8(), [200]), (pa.uint16(), [300]), pa.uint16()),
        ((pa.uint32(), [2**32 - 1]), (pa.uint8(), [7]), pa.uint32()),
        ((pa.uint32(), [2**32 - 1]), (pa.int32(), [-1]), pa.int64()),
        ((pa.uint64(), [2**64 - 1]), (pa.uint8(), [7]), pa.uint64()),
        ((pa.uint64(), [2**64 - 1]), (pa.int64(), [-1]), pa.decimal128(20, 0)),
        ((pa.float16(), [1.5]), (pa.float32(), [2**-20]), pa.float32()),
        ((pa.float32(), [1.5]), (pa.float64(), [0.1]), pa.float64()),
        ((pa.decimal128(5, 2), [D("1.25")]), (pa.decimal128(9, 4), [D("10.1234")]), pa.decimal128(9, 4)),
        ((pa.decimal128(5, 2), [D("1.25")]), (pa.uint8(), [200]), pa.decimal128(5, 2)),
        ((pa.date32(), [dt.date(2024, 1, 1)]), (pa.date64(), [dt.date(1, 1, 1), None]), pa.date64()),
        ((pa.time32("s"), [dt.time(1, 2, 3)]), (pa.time64("us"), [dt.time(0, 0, 0, 5)]), pa.time64("us")),
        ((pa.duration("s"), [dt.timedelta(1)]), (pa.duration("us"), [dt.timedelta(0, 0, 5)]), pa.duration("us")),
        ((pa.timestamp("s"), first), (pa.timestamp("us"), second), pa.timestamp("us")),
        ((pa.string(), ["a"]), (pa.large_string(), ["b", None]), pa.large_string()),
        ((pa.string_view(), ["a"]), (pa.string(), ["b", None]), pa.large_string()),
        ((pa.binary(), [b"a"]), (pa.binary(2), [b"bb"]), pa.large_binary()),
        ((pa.dictionary(pa.int8(), pa.string()), ["a", "b", None]), (pa.string(), ["c"]), pa.string()),
        ((pa.list_(pa.int8()), [[1], None]), (pa.list_(pa.int32()), [[70000, None]]), pa.list_(pa.int32())),
        ((pa.large_list(pa.int8()), [[1]]), (pa.large_list(pa.int16()), [[300]]), pa.large_list(pa.int16())),
        ((pa.list_(pa.int8(), 2), [[1, 2]]), (pa.list_(pa.int16(), 2), [[300, 1], None]), pa.list_(pa.int16(), 2)),
        ((counts, maps), (many, maps), many),
        ((small, [{"a": 1}]), (large, [{"a": 300}, None]), large),
    ]
    for *parts, ty in sides + [(other, one, ty) for one, other, ty in sides]:
        arrays = [pa.array(values, kind) for kind, values in parts]
        expected = [value for array in arrays for value in array.to_pylist()]
        paths = []
        for at, array in enumerate(arrays):
            paths.append(folder / f"{at}.arrow")
            paths[at].write_bytes(write(pa.table({"c": array}), file=True))
        frames = b"".join(mbt("convert", path, "--to", "mbt") for path in paths)
        for found in (
            mbt("convert", *paths, "--to", "arrow"),
            mbt("convert", "-", "--to", "arrow", data=frames),
        ):
            column = read(found).column("c")
            if column.type != ty or column.to_pylist() != expected:
                raise SystemExit(f"{parts[0][0]} and {parts[1][0]}: found {column}")


def check_late_columns():
    """A stream in a pipe whose schema changes after the output has begun."""
    first = write(pa.table({"x": pa.array([1], pa.int8())}))
    later = {
        "x": (pa.table({"x": pa.array([300], pa.int16())}), "written with i8, but later rows are i16"),
        "y": (pa.table({"x": pa.array([2], pa.int8()), "y": ["a"]}), "appears too late"),
    }
    for name, (table, message) in later.items():
        data = first + write(table)
        command = [BIN, "convert", "-", "--from", "arrow", "--to"]
        done = subprocess.run([*command, "arrow"], input=data, capture_output=True, check=False)
        said = done.stderr.decode()
        assert done.returncode == 2 and message in said and f'"{name}"' in said, said
        assert mbt(*command[1:], "ndjson", data=data).count(b"\n") == 2


def check_footer(folder):
    """A file whose messages can only be found by its footer, as Polars writes them."""
    table = pa.table({"i": range(10), "d": pa.array(list("abcabcabca")).dictionary_encode()})
    data = bytearray(write(table, file=True, chunk=4))
    schema_len = int.from_bytes(data[12:16], "little")
    data[8 : 16 + schema_len] = b"\4\0\0\0\xf2\xff\xff\xff" + bytes(8 + schema_len - 8)
    path = folder / "footer.arrow"
    path.write_bytes(data)
    same(read(mbt("convert", path, "--to", "arrow")), table, "a file read by its footer")
    part = mbt("convert", path, "--to", "arrow", "--rows", "5..9")
    same(read(part), table.slice(5, 4), "rows of a file read by its footer")
    done = subprocess.run([BIN, "convert", "-", "--to", "csv"], input=data, capture_output=True, check=False)
    said = done.stderr.decode()
    assert done.returncode == 2 and "footer" in said and "instead of" in said, said


def same(found, expected, what):
    if not found.equals(expected):
        raise SystemExit(f"{what}: found {found}, expected {expected}")


def check_columns(folder):
    count = 0
    for name, array in columns():
        table = pa.table({name: array})
        for codec in (None, "lz4", "zstd"):
            for file in (False, True):
                data = write(table, codec, file, chunk=3)
                out = mbt("convert", "-", "--to", "arrow", data=data)
                same(read(out), table, f"{name} {codec} {file}")
        path = folder / "a.arrow"
        mbt("convert", "-", "--force", "-o", path, data=write(table, chunk=3))
        data = path.read_bytes()
        assert data[:8] == b"ARROW1\0\0"
        same(read(data), table, f"{name} as a file")
        # Wire 2 has no such type, and says so.
        if name == "d256":
            continue
        for preset in ("fast", "small"):
            frames = mbt("convert", path, "--to", "mbt", "--preset", preset)
            out = mbt("convert", "-", "--to", "arrow", data=frames)
            same(read(out), table, f"{name} through frames, {preset}")
        count += 1
    return count


def check_tables(folder):
    table = pa.table({"i": range(1000), "s": [str(i) for i in range(1000)]})
    path = folder / "many.feather"
    path.write_bytes(write(table, file=True, chunk=100))
    same(read(mbt("convert", path, "--to", "arrow")), table, "many batches")
    part = mbt("convert", path, "--to", "arrow", "--rows", "295..302", "--columns", "s,i")
    same(read(part), table.select(["s", "i"]).slice(295, 7), "a selection")
    same(read(mbt("convert", path, path, "--to", "arrow")), pa.concat_tables([table] * 2), "twice")
    empty = table.slice(0, 0)
    for file in (False, True):
        same(read(mbt("convert", "-", "--to", "arrow", data=write(empty, file=file))), empty, "empty")
    # Dictionaries that are replaced and that grow from batch to batch.
    words = [["a", "b"], ["c", None], ["b", "a"]]
    batches = [pa.record_batch({"d": pa.array(w).dictionary_encode()}) for w in words]
    expected = pa.Table.from_batches(batches).to_pylist()
    sink = io.BytesIO()
    with ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    assert read(mbt("convert", "-", "--to", "arrow", data=sink.getvalue())).to_pylist() == expected
    path = folder / "words.ipc"
    mbt("convert", "-", "-o", path, data=sink.getvalue())
    assert read(path.read_bytes()).to_pylist() == expected


def check_text(folder):
    path = folder / "a.csv"
    path.write_text("i,d,s,t,u\n1,1.50,x,2024-01-01,550e8400-e29b-41d4-a716-446655440000\n2,,,,\n")
    table = read(mbt("convert", path, "--to", "arrow"))
    row = {
        "i": 1,
        "d": D("1.50"),
        "s": "x",
        "t": dt.date(2024, 1, 1),
        "u": uuid.UUID("550e8400-e29b-41d4-a716-446655440000"),
    }
    assert table.to_pylist() == [row, {"i": 2, "d": None, "s": None, "t": None, "u": None}]
    assert table.schema.field("d").type == pa.float64()
    # Exact types keep every digit, so the text is restored.
    exact = mbt("convert", path, "--to", "arrow", "--infer", "exact")
    assert mbt("convert", "-", "--to", "csv", data=exact) == path.read_bytes()
    path = folder / "a.ndjson"
    path.write_text('{"a":{"x":1},"b":[1,2]}\n{"a":{"y":null},"b":null}\n{"b":[]}\n')
    found = read(mbt("convert", path, "--to", "arrow")).to_pylist()
    assert [row["b"] for row in found] == [[1, 2], None, []], found
    assert found[0]["a"]["x"] == 1 and found[1]["a"]["x"] is None, found


with tempfile.TemporaryDirectory() as name:
    count = check_columns(Path(name)) + check_rare_columns() + check_repeated_columns()
    check_joined_types(Path(name))
    check_late_columns()
    check_footer(Path(name))
    check_tables(Path(name))
    check_text(Path(name))
    print(f"checked {count} types with pyarrow {pa.__version__}")
