"""Spark reads and writes directories of frames through mbt, and gets the rows that DuckDB reads from the CSV.

Here, `mbt` on PATH is a script that logs each call, so that the frames and columns that are read can be counted.
"""

import doctest
import faulthandler
import itertools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import mbt
from pyspark.sql import SparkSession

# A test that hangs fails.
faulthandler.dump_traceback_later(540, exit=True)

MBT = sys.argv[1]
FILES, ROWS, FRAME_ROWS = 20, 400, 100
CALLS = Path("calls").absolute()

os.mkdir("bin")
Path("bin/mbt").write_text(f'#!/bin/sh\necho "$*" >> {CALLS}\nexec {MBT} "$@"\n')
os.chmod("bin/mbt", 0o755)
os.environ["PATH"] = f"{os.path.abspath('bin')}{os.pathsep}{os.environ['PATH']}"


def line(at):
    gap = "" if at % 4 == 0 else at % 5
    flag = "true" if at % 3 else "false"
    day = f"2024-{at // ROWS % 12 + 1:02}-{at % 28 + 1:02}"
    return f"{at},w{at % 13},{at % 7 / 4},{day},{day} 10:{at % 60:02}:00,{flag},{gap},{at % 50:03},100%_{at % 3}'s\n"


def write_csv(dir, files):
    os.mkdir(dir)
    for file in range(files):
        rows = "".join(line(at) for at in range(file * ROWS, (file + 1) * ROWS))
        Path(dir, f"{file:02}.csv").write_text("id,word,price,day,moment,flag,gap,padded,odd\n" + rows)
    csv = sorted(str(path) for path in Path(dir).glob("*.csv"))
    subprocess.run([MBT, "convert", *csv, "--out-dir", dir, "--to", "mbt", "--frame-rows", str(FRAME_ROWS)], check=True)


write_csv("many", FILES)
write_csv("few", 2)
spark = SparkSession.builder.master("local[2]").config("spark.ui.showConsoleProgress", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
numbers = itertools.count()
mbt.register(spark)


def by_duckdb(dir, query):
    types = "types={'padded': 'varchar', 'moment': 'timestamp'}"
    duckdb.sql(f"create or replace view t as from read_csv('{dir}/*.csv', {types})")
    return duckdb.sql(query).fetchall()


def by_spark(frame, query):
    """The rows, the tasks of the first stage, and the calls of mbt that converted."""
    frame.createOrReplaceTempView("t")
    CALLS.write_text("")
    group = f"query {next(numbers)}"
    spark.sparkContext.setJobGroup(group, query)
    rows = [tuple(row) for row in spark.sql(query).collect()]
    tracker = spark.sparkContext.statusTracker()
    stages = [stage for job in tracker.getJobIdsForGroup(group) for stage in tracker.getJobInfo(job).stageIds]
    tasks = tracker.getStageInfo(min(stages)).numTasks
    return rows, tasks, [call for call in CALLS.read_text().splitlines() if call.startswith("convert ")]


def frames(calls):
    ranges = [re.search(r"--frames=(\d+)\.\.(\d+)", call) for call in calls]
    return sum(int(end) - int(first) for first, end in (found.groups() for found in ranges))


def load(path, **options):
    return spark.read.format("mbt").options(**options).load(path)


def check_skipping():
    everything = "select word, count(*), sum(id), max(price) from t group by word order by word"
    condition = "id >= 1150 and id < 1250 and flag"
    some = everything.replace("group", f"where {condition} group")
    rows, all_tasks, calls = by_spark(load("many/*.mbt"), everything)
    assert rows == by_duckdb("many", everything), rows
    assert (all_tasks, frames(calls)) == (FILES, FILES * ROWS // FRAME_ROWS), (all_tasks, calls)
    # Rows 1150 to 1249 are in the last frame of file 2 and the first of file 3.
    rows, tasks, calls = by_spark(load("many/*.mbt", where=condition), everything)
    assert rows == by_duckdb("many", some), rows
    assert (tasks, frames(calls)) == (2, 2), (tasks, calls)
    assert all(f"--where={condition}" in call for call in calls), calls
    # A frame per task.
    rows, tasks, calls = by_spark(load("many", partitionBytes="1"), some)
    assert rows == by_duckdb("many", some), rows
    assert tasks == frames(calls) == FILES * ROWS // FRAME_ROWS, (tasks, calls)
    # No frame at all.
    rows, _, calls = by_spark(load("many", where="id < 0"), "select count(*) from t")
    assert (rows, calls) == ([(0,)], []), (rows, calls)
    # The filter of one query does not apply to the next.
    few = load("few")
    assert (few.where("id < 10").count(), few.count()) == (10, 2 * ROWS)


def check_columns():
    query = "select word, sum(id) from t group by word order by word"
    of_schema = spark.read.format("mbt").schema("word string, id long").load("few")
    of_option = load("few", columns="word,id")
    for frame in (of_schema, of_option):
        rows, _, calls = by_spark(frame, query)
        assert rows == by_duckdb("few", query), rows
        assert all('--columns="word","id"' in call for call in calls if "--frames" in call), calls


def check_values():
    query = "select * from t order by id"
    assert by_spark(load("few"), query)[0] == by_duckdb("few", query)


def check_types():
    subprocess.run([MBT, "convert", "-o", "types.mbt", "--from=ndjson", "-"], check=True, input=(
        b'{"u":18446744073709551615,"n":null,"l":[1,2],"s":{"a":"x","b":[0.5]}}\n'
        b'{"u":1,"n":null,"l":[],"s":{"a":null,"b":null}}\n'
    ))
    rows = [row.asDict(recursive=True) for row in load("types.mbt").collect()]
    assert rows == [
        {"u": 18446744073709551615, "n": None, "l": [1, 2], "s": {"a": "x", "b": [0.5]}},
        {"u": 1, "n": None, "l": [], "s": {"a": None, "b": None}},
    ], rows


def check_writing():
    query = "select * from t order by id"
    few = load("few")
    few.repartition(3).write.format("mbt").option("preset", "fast").mode("append").save("out")
    assert len(os.listdir("out")) == 3, os.listdir("out")
    assert by_spark(load("out"), query)[0] == by_duckdb("few", query)
    # Each of them is complete.
    subprocess.run([MBT, "verify", "--deep", *(str(path) for path in Path("out").iterdir())], check=True)
    few.where("id < 10").coalesce(1).write.format("mbt").mode("overwrite").save("out")
    assert len(os.listdir("out")) == 1, os.listdir("out")
    assert load("out").count() == 10
    # If one partition fails, no file of the others is left.
    failing = spark.sql("select if(id < 15, id, raise_error('enough')) as id from range(0, 20, 1, 2)")
    assert "enough" in failure(lambda: failing.write.format("mbt").mode("append").save("out"))
    assert len(os.listdir("out")) == 1, os.listdir("out")


def check_errors():
    assert "none.mbt: no such file" in failure(lambda: load("none.mbt"))
    broken = bytearray(Path("few/00.mbt").read_bytes())
    broken[len(broken) // 2] ^= 1
    Path("broken.mbt").write_bytes(broken)
    assert "broken.mbt: " in failure(lambda: load("broken.mbt").collect())


def failure(act):
    try:
        act()
    except Exception as error:
        return str(error)
    raise AssertionError("no error")


def check_documentation():
    os.mkdir("bars")
    subprocess.run([MBT, "convert", "fixtures/bars.csv", "-o", "bars/bars.mbt"], check=True)
    names = {"mbt": mbt, "spark": spark}
    [example] = doctest.DocTestFinder(recurse=False).find(mbt.MbtDataSource, "MbtDataSource", globs=names)
    assert len(example.examples) == 3
    assert doctest.DocTestRunner().run(example).failed == 0
    rows = spark.read.format("mbt").load("counts").orderBy("pair").collect()
    assert [tuple(row) for row in rows] == [("BTCUSDT", 6), ("ETHUSDT", 6)], rows


checks = [check_skipping, check_columns, check_values, check_types, check_writing, check_errors, check_documentation]
for check in checks:
    check()
spark.stop()
print("checked")
