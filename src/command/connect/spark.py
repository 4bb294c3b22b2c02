

# Spark 4.1 or newer.

import glob
import json
import shutil
import sys
import time
import uuid

from pyspark import TaskContext, cloudpickle
from pyspark.sql import datasource
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType

# Bytes of decoded columns in a task, unless the option partitionBytes sets another size.
_PARTITION_BYTES = 64 << 20


def register(spark):
    """Adds the format "mbt" to a session. Executors get this module from the session; they need mbt and pyarrow."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    spark.dataSource.register(MbtDataSource)


class MbtDataSource(datasource.DataSource):
    """Reads and writes directories of .mbt files that all executors can open.

    >>> mbt.register(spark)
    >>> bars = spark.read.format("mbt").options(columns="pair,close", where="close > 10002").load("bars/*.mbt")
    >>> bars.groupBy("pair").count().write.format("mbt").mode("append").save("counts")

    A path is a file, a pattern or a directory. A task reads frames of one file, about 64 MiB of them (option
    partitionBytes).

    columns, where: as in read. Files and frames that cannot contain a match get no tasks. Spark's own filters are not
    used for that: up to 4.3, a query gets the filters that an earlier query of the same DataFrame has pushed down.
    preset: as in write. Each partition becomes a file, and all files appear when the last one is complete.
    """

    @classmethod
    def name(cls):
        return "mbt"

    def schema(self):
        columns = [_columns(self.options["columns"])] if "columns" in self.options else []
        fields = _reader([*columns, "--", *self._paths()]).schema
        types = [StructField(field.name, from_arrow_type(_spark_type(field.type))) for field in fields]
        return StructType(types)

    def reader(self, schema):
        return _SparkReader(self._paths(), schema, self.options)

    def writer(self, schema, overwrite):
        return _SparkWriter(self.options, schema, overwrite)

    def _paths(self):
        path = self.options["path"]
        paths = sorted(glob.glob(os.path.join(path, "*.mbt") if os.path.isdir(path) else path))
        if not paths:
            raise FileNotFoundError(f"{path}: no such file")
        return paths


class _SparkReader(datasource.DataSourceReader):
    def __init__(self, paths, schema, options):
        self.paths, self.schema = paths, schema
        self.condition = [f"--where={options['where']}"] if "where" in options else []
        self.partition_bytes = int(options.get("partitionBytes", _PARTITION_BYTES))

    def partitions(self):
        """Ranges of frames, without files and frames at the ends whose statistics rule out a match."""
        frames = _output(["inspect", "--frames", "--json", *self.condition, "--", *self.paths])
        partitions = []
        for path, file in zip(self.paths, json.loads(frames)["files"]):
            size = self.partition_bytes
            for frame in (entry for entry in file["entries"] if entry["kind"] == "frame"):
                if size >= self.partition_bytes:
                    partitions.append([path, frame["frame"], frame["frame"]])
                    size = 0
                partitions[-1][2] = frame["frame"] + 1
                size += frame["plain_bytes"]
        return [datasource.InputPartition(tuple(partition)) for partition in partitions]

    def read(self, partition):
        if partition.value is None:  # no frame is left
            return
        path, first, end = partition.value
        target = to_arrow_schema(self.schema, timezone="UTC")
        options = [f"--frames={first}..{end}", _columns(target.names), *self.condition]
        for batch in _reader([*options, "--", path]):
            columns = [_cast(path, batch.column(at), field) for at, field in enumerate(target)]
            yield pyarrow.RecordBatch.from_arrays(columns, schema=target)


class _SparkWriter(datasource.DataSourceArrowWriter):
    """Writes a file per partition. The files stay in a separate folder until all of them are written."""

    def __init__(self, options, schema, overwrite):
        self.dir, self.preset = options["path"], options.get("preset")
        self.schema, self.overwrite = schema, overwrite
        self.pending = os.path.join(self.dir, f".{uuid.uuid4()}")
        os.makedirs(self.pending)

    def write(self, iterator):
        name = f"part-{TaskContext.get().partitionId():05}-{uuid.uuid4()}.mbt"
        schema = to_arrow_schema(self.schema, timezone="UTC")
        data = pyarrow.RecordBatchReader.from_batches(schema, iterator)
        write(data, os.path.join(self.pending, name), self.preset)
        return _Written(name)

    def commit(self, messages):
        before = glob.glob(os.path.join(self.dir, "*.mbt")) if self.overwrite else []
        for message in messages:
            os.rename(os.path.join(self.pending, message.name), os.path.join(self.dir, message.name))
        for path in before:
            os.remove(path)
        self._remove_pending()

    def abort(self, messages):
        self._remove_pending()

    def _remove_pending(self):
        # Tasks may still be running. Without the folder they cannot finish a file, but one may be creating a file now.
        for _ in range(100):
            shutil.rmtree(self.pending, ignore_errors=True)
            if not os.path.exists(self.pending):
                return
            time.sleep(0.01)


class _Written(datasource.WriterCommitMessage):
    def __init__(self, name):
        self.name = name


def _output(arguments):
    done = subprocess.run(["mbt", *arguments], capture_output=True)
    if done.returncode != 0:
        raise Error(done.stderr.decode(errors="replace").strip().removeprefix("error: "), done.returncode)
    return done.stdout


def _spark_type(arrow):
    """The nearest type that Spark has."""
    if isinstance(arrow, pyarrow.BaseExtensionType):
        arrow = arrow.storage_type
    wider = {
        pyarrow.null(): pyarrow.string(),
        pyarrow.uint8(): pyarrow.int16(),
        pyarrow.uint16(): pyarrow.int32(),
        pyarrow.uint32(): pyarrow.int64(),
        pyarrow.uint64(): pyarrow.decimal128(20),
        pyarrow.float16(): pyarrow.float32(),
    }
    return wider.get(arrow, arrow.value_type if pyarrow.types.is_dictionary(arrow) else arrow)


def _cast(path, column, field):
    if isinstance(column, pyarrow.ExtensionArray):
        column = column.storage
    if pyarrow.types.is_string(field.type) and from_arrow_type(_spark_type(column.type)) != StringType():
        raise Error(f"{path}: column {field.name} is {column.type}, which does not tell how its text is spelled", 2)
    return column.cast(field.type)
