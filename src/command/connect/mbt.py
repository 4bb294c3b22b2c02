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
import io
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

    The process that reads the file is stopped when the reader is closed, as `with` does, or is no longer used.

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
    return _Reader(_Convert(["--to=arrow", *arguments], stdout=subprocess.PIPE))


class _Reader(pyarrow.ipc.RecordBatchStreamReader):
    """The batches that a process writes."""

    def __init__(self, convert):
        self._stop = convert.stop
        super().__init__(_Output(convert))

    def close(self):
        super().close()
        self._stop()

    def __exit__(self, *_):
        self.close()


class _Output(io.RawIOBase):
    """The output of a process. How the process ended is known, and reported, when the last batch has been read."""

    def __init__(self, convert):
        self._convert = convert

    def readable(self):
        return True

    def read(self, size=-1):
        data = self._convert.process.stdout.read(size)
        # In an Arrow stream, the length 0 comes after the last batch. Without it, the stream is not complete.
        if not data or data == bytes(4):
            self._convert.finish()
        return data


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
