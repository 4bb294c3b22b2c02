"""Reads and writes tables as Arrow batches, in every format that the command mbt supports.

Needs pyarrow 15 or newer, and mbt on PATH. Batches are passed through pipes, so memory does not grow with the file.
Polars, pandas and DuckDB accept the result of read, and write accepts their data:

>>> import duckdb, mbt, polars

>>> bars = mbt.read("bars.mbt", columns=["pair", "close"], where="close > 10002")
>>> duckdb.sql("select pair, count(*), max(close) from bars group by pair order by pair").fetchall()
[('BTCUSDT', 6, 10004.65), ('ETHUSDT', 6, 10004.9)]
>>> mbt.write(duckdb.sql("from 'fixtures/bars.csv' where pair = 'BTCUSDT'"), "btc.mbt")

>>> bars = polars.from_arrow(mbt.read("btc.mbt", columns=["e_ms", "close"]))
>>> bars.select(polars.col("close").max()).item()
10004.65
>>> mbt.write(bars, "close.mbt", preset="small")

>>> bars = mbt.read("close.mbt").read_pandas()
>>> len(bars)
10
>>> mbt.write(bars, "close.csv")
"""

import contextlib
import os
import subprocess
import tempfile
import warnings
import weakref

import pyarrow


class Error(Exception):
    """mbt failed with this message. `status` is its exit status: 2 for bad usage or bad input, 3 for failed I/O."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def read(path, columns=None, where=None):
    """Returns a pyarrow.RecordBatchReader of a file in any format that mbt reads.

    columns: a list of names, or a string as for `mbt convert --columns`, such as "a..d,price_*".
    where: a condition in SQL, as for `mbt convert --where`. Frames that cannot contain a match are not read.
    """
    options = [] if columns is None else [_columns(columns)]
    options += [] if where is None else [f"--where={where}"]
    return _reader([*options, "--", os.fspath(path)])


def write(data, path, preset=None, force=False):
    """Writes a table, reader, data frame or DuckDB relation; the format follows from the name of the file.

    preset: "fast", "balanced" or "small". force: replace an existing file.
    The file appears only when it is complete.
    """
    data = data if isinstance(data, pyarrow.RecordBatchReader) else pyarrow.RecordBatchReader.from_stream(data)
    options = ["--from=arrow", f"--output={os.fspath(path)}"]
    options += [f"--preset={preset}"] if preset else []
    options += ["--force"] if force else []
    convert = _Convert([*options, "-"], stdin=subprocess.PIPE)
    with convert.explained():
        stream = pyarrow.ipc.new_stream(convert.process.stdin, data.schema)
        for batch in data:
            stream.write_batch(batch)
        stream.close()  # only now is the table complete
        convert.process.stdin.close()
    convert.finish()


def _reader(arguments):
    convert = _Convert(["--to=arrow", *arguments], stdout=subprocess.PIPE)
    with convert.explained():
        stream = pyarrow.ipc.open_stream(convert.process.stdout)
    return pyarrow.RecordBatchReader.from_batches(stream.schema, _batches(convert, stream))


def _batches(convert, stream):
    with convert.explained():
        yield from stream
    convert.finish()


def _columns(names):
    return "--columns=" + (names if isinstance(names, str) else ",".join(map(_quoted, names)))


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


class _Convert:
    """A running `mbt convert`. It is stopped when nothing refers to this object any more."""

    def __init__(self, arguments, **pipes):
        self.messages = tempfile.TemporaryFile()
        command = ["mbt", "convert", "--color=never", *arguments]
        self.process = subprocess.Popen(command, stderr=self.messages, **pipes)
        self.stop = weakref.finalize(self, _stop, self.process, self.messages)

    def finish(self):
        """Waits until the process ends. Raises an Error if it failed."""
        status = self.process.wait()
        self.messages.seek(0)
        message = self.messages.read().decode(errors="replace").strip()
        self.stop()
        if status != 0:
            raise Error(message.removeprefix("error: ") or f"mbt ended with status {status}", status) from None
        if message:
            warnings.warn(message, stacklevel=3)

    @contextlib.contextmanager
    def explained(self):
        """Stops the process on an exception. If the process had already failed, raises its message instead."""
        try:
            yield
        except BaseException as error:
            self.process.terminate()
            if isinstance(error, Exception) and self.process.wait() > 1:
                self.finish()
            self.stop()
            raise


def _stop(process, messages):
    process.terminate()
    process.wait()
    for file in (process.stdin, process.stdout, messages):
        with contextlib.suppress(OSError):
            if file:
                file.close()
