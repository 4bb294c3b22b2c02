"""The results of mbt.read and mbt.write, compared with pyarrow's own CSV reader; and how they fail."""

import contextlib
import datetime
import faulthandler
import gc
import os
import threading
import unittest
import warnings
from pathlib import Path

import mbt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

# A test that hangs fails.
faulthandler.dump_traceback_later(300, exit=True)

EXACT = Path("fixtures/bars.csv")
TYPES = Path("types.csv")
MANY = Path("many.csv")
FRAMES = Path("many.mbt")


def setUpModule():
    TYPES.write_text(
        "int,float,text,flag,day,moment,gap,money,padded\n"
        "1,0.5,a,true,2024-01-31,2024-01-31 23:59:59,,1.50,007\n"
        '-2,-1e-07,"b,""c""",false,2024-02-29,2024-02-29 00:00:00,7,20.25,010\n'
        "9007199254740993,2.5,é,true,1999-12-31,1999-12-31 12:30:00,,-0.75,999\n"
    )
    rows = (f"{at},{at % 7 / 4},word{at * 2654435761 % 2**32}\n" for at in range(200_000))
    MANY.write_text("id,quarter,word\n" + "".join(rows))
    mbt.write(mbt.read(MANY), FRAMES)


def by_pyarrow(path, **types):
    """The table as pyarrow reads the CSV."""
    return pa.csv.read_csv(path, convert_options=pa.csv.ConvertOptions(column_types=types))


def plain(table):
    """Without metadata and chunks."""
    fields = [pa.field(field.name, field.type) for field in table.schema]
    return table.cast(pa.schema(fields)).combine_chunks()


class Reading(unittest.TestCase):
    def test_types_and_values_are_those_that_pyarrow_reads(self):
        for path, types in [(EXACT, {}), (TYPES, {"padded": pa.string()}), (MANY, {})]:
            wanted = by_pyarrow(path, **types)
            frames = path.with_suffix(".read.mbt")
            mbt.write(wanted, frames)
            for source in (path, frames):
                with self.subTest(source):
                    self.assertEqual(plain(mbt.read(source).read_all()), plain(wanted))

    def test_columns_and_conditions_are_those_of_convert(self):
        whole = by_pyarrow(MANY)
        wanted = whole.filter(pc.greater(whole["id"], 150_000)).select(["word", "id"])
        got = mbt.read(FRAMES, columns=["word", "id"], where="id > 150000").read_all()
        self.assertEqual(plain(got), plain(wanted))
        self.assertEqual(mbt.read(FRAMES, columns="*,-quarter").schema.names, ["id", "word"])

    def test_any_name_can_be_listed(self):
        names = ['a,b', 'say "x"', "-c", "*", "#1", "a..b"]
        mbt.write(pa.table({name: [at] for at, name in enumerate(names)}), "names.mbt")
        for at, name in enumerate(names):
            self.assertEqual(mbt.read("names.mbt", columns=[name]).read_all().to_pydict(), {name: [at]})

    def test_a_path_is_never_an_option(self):
        os.replace(EXACT, "-x.csv")
        try:
            self.assertEqual(mbt.read("-x.csv").read_all().num_rows, 20)
            mbt.write(mbt.read("-x.csv"), "-x.mbt")
            self.assertTrue(os.path.exists("-x.mbt"))
        finally:
            os.replace("-x.csv", EXACT)

    def test_errors_say_what_mbt_says(self):
        for arguments, status, message in [
            (dict(path="none.mbt"), 3, "none.mbt: cannot open: No such file"),
            (dict(path=FRAMES, columns=["idd"]), 2, 'there is no column "idd"; did you mean id?'),
            (dict(path=FRAMES, where="id >"), 2, "--where: a value is missing"),
        ]:
            with self.subTest(message), self.assertRaises(mbt.Error) as caught:
                mbt.read(**arguments)
            self.assertIn(message, str(caught.exception))
            self.assertEqual(caught.exception.status, status)

    def test_damage_in_the_middle_is_an_error_and_not_the_end(self):
        frames = bytearray(FRAMES.read_bytes())
        frames[len(frames) // 2] ^= 1
        Path("damaged.mbt").write_bytes(frames)
        with self.assertRaisesRegex(mbt.Error, "damaged.mbt: .*checksum"):
            mbt.read("damaged.mbt").read_all()

    def test_notes_are_warnings(self):
        os.mkfifo("pipe.csv")
        feeder = threading.Thread(target=lambda: Path("pipe.csv").write_text("a\n1\n"))
        feeder.start()
        with self.assertWarnsRegex(UserWarning, "note: .*temporary file"):
            self.assertEqual(mbt.read("pipe.csv").read_all().to_pydict(), {"a": [1]})
        feeder.join()

    def test_a_dropped_reader_leaves_no_process(self):
        for batches in (0, 1):
            reader = mbt.read(MANY)
            for _ in range(batches):
                reader.read_next_batch()
            del reader
            self.assert_alone()

    def test_a_closed_reader_leaves_no_process(self):
        with mbt.read(MANY) as reader:
            self.assertGreater(reader.read_next_batch().num_rows, 0)
        self.assert_alone()
        with self.assertRaises(ValueError):
            reader.read_all()
        with self.assertRaises(ArithmeticError), mbt.read(MANY) as reader:
            raise ArithmeticError
        self.assert_alone()
        reader.close()

    def test_a_dropped_reader_of_an_input_that_pauses_leaves_no_process(self):
        table = by_pyarrow(MANY)
        os.mkfifo("pausing.arrows")

        def feed():
            with contextlib.suppress(BrokenPipeError), open("pausing.arrows", "wb") as pipe:
                stream = pa.ipc.new_stream(pipe, table.schema)
                for _ in range(20):
                    stream.write_table(table)
                done.wait()

        done = threading.Event()
        feeder = threading.Thread(target=feed)
        feeder.start()
        reader = mbt.read("pausing.arrows")
        self.assertGreater(reader.read_next_batch().num_rows, 0)
        del reader
        self.assert_alone()
        done.set()
        feeder.join()

    def assert_alone(self):
        gc.collect()
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


class Writing(unittest.TestCase):
    def test_the_format_follows_from_the_name(self):
        table = by_pyarrow(TYPES, padded=pa.string())
        for name in ("out.mbt", "out.csv", "out.ndjson", "out.arrow"):
            mbt.write(table, name)
            got = mbt.read(name).read_all()
            self.assertEqual(plain(got), plain(table), name)
        with pa.ipc.open_file("out.arrow") as file:
            self.assertEqual(plain(file.read_all()), plain(table))

    def test_rare_types_come_back(self):
        table = pa.table({
            "u64": pa.array([2**64 - 1, None], pa.uint64()),
            "list": pa.array([[1, None], []], pa.list_(pa.int32())),
            "struct": pa.array([{"a": "x"}, None], pa.struct([("a", pa.string())])),
            "bytes": pa.array([b"\0\xff", None]),
            "time": pa.array([datetime.time(1, 2, 3), None], pa.time64("us")),
            "zone": pa.array([datetime.datetime(2024, 1, 1), None], pa.timestamp("us", "UTC")),
            "word": pa.array(["a", None]).dictionary_encode(),
        })
        for preset in (None, "fast", "small"):
            mbt.write(table, "rare.mbt", preset=preset, force=True)
            got = mbt.read("rare.mbt").read_all()
            self.assertEqual(got.to_pydict(), table.to_pydict())

    def test_an_existing_file_is_kept_unless_forced(self):
        table = pa.table({"a": [1]})
        mbt.write(table, "kept.mbt")
        before = Path("kept.mbt").read_bytes()
        with self.assertRaisesRegex(mbt.Error, "kept.mbt: .*--force"):
            mbt.write(pa.table({"b": [1]}), "kept.mbt")
        self.assertEqual(Path("kept.mbt").read_bytes(), before)
        mbt.write(pa.table({"b": [1]}), "kept.mbt", force=True)
        self.assertEqual(mbt.read("kept.mbt").schema.names, ["b"])

    def test_errors_say_what_mbt_says(self):
        wide = by_pyarrow(MANY)
        for path, preset, status in [("no/such/dir.mbt", None, 3), ("x.mbt", "tiny", 2), ("x.orc", None, 2)]:
            with self.assertRaises(mbt.Error) as caught:
                mbt.write(wide, path, preset=preset)
            self.assertEqual(caught.exception.status, status, caught.exception)

    def test_a_source_that_fails_leaves_no_file(self):
        table = by_pyarrow(MANY)

        def failing():
            yield from table.to_batches()
            raise ArithmeticError("no more")

        reader = pa.RecordBatchReader.from_batches(table.schema, failing())
        with self.assertRaisesRegex(ArithmeticError, "no more"):
            mbt.write(reader, "never.mbt")
        self.assertEqual([name for name in os.listdir() if "never" in name], [])
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


if __name__ == "__main__":
    warnings.simplefilter("error", ResourceWarning)
    unittest.main()
