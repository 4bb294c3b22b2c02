#!/usr/bin/env python3
"""Times mbt against zstd, DuckDB, Polars and pyarrow, as far as they are installed: text to frames and back to text.

    benches/peers.py [--mbt target/release/mbt] [--rounds 5] FILE.csv|FILE.ndjson ...

Every job is a separate process. The jobs of a round follow each other, so that anything that slows the machine for a
while slows all of them, and tables show medians over the rounds. Absolute times differ from hour to hour on shared
machines; the ratios, mbt divided by the peer, are stable. Python takes some tenths of a second to load a peer, so use
files of tens of MB.

The peers write Parquet with zstd level 3. DuckDB infers types from a sample, as it does by default.
"""

import argparse
import importlib.util
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Programs for `python -c`: the input and the output are the arguments.
DUCKDB = """
import duckdb, sys
source, target = sys.argv[1:]
read = {"csv": "read_csv(?)", "ndjson": "read_json(?, maximum_object_size=67108864)", "parquet": "read_parquet(?)"}
write = {"csv": "csv, header", "ndjson": "json", "parquet": "parquet, compression zstd, compression_level 3"}
ending = lambda path: path.rsplit(".", 1)[1]
duckdb.execute(f"copy (from {read[ending(source)]}) to '{target}' (format {write[ending(target)]})", [source])
"""
POLARS = """
import polars, sys
source, target = sys.argv[1:]
if source.endswith(".parquet"):
    rows = polars.scan_parquet(source)
    rows.sink_csv(target) if target.endswith(".csv") else rows.sink_ndjson(target)
else:
    read = polars.scan_csv if source.endswith(".csv") else polars.scan_ndjson
    read(source, infer_schema_length=10_000).sink_parquet(target, compression="zstd", compression_level=3)
"""
PYARROW = """
import sys
from pyarrow import csv, json, parquet
source, target = sys.argv[1:]
if source.endswith(".parquet"):
    csv.write_csv(parquet.read_table(source), target)
else:
    read = csv.read_csv if source.endswith(".csv") else json.read_json
    parquet.write_table(read(source), target, compression="zstd", compression_level=3)
"""


def jobs(mbt, source, scratch):
    """The commands by direction and tool, each with the file that it writes."""
    ending = source.suffix[1:]
    to, back = {}, {}

    def add(tool, packed, into, out_of):
        packed, text = scratch / packed, scratch / f"{tool}.{ending}"
        to[tool] = (into(source, packed), packed)
        if out_of:
            back[tool] = (out_of(packed, text), text)

    def convert(source, target):
        return [mbt, "convert", source, "-o", target, "--force", "--quiet"]

    add("mbt", "mbt.mbt", convert, convert)
    if shutil.which("zstd"):
        add(
            "zstd",
            "zstd.zst",
            lambda source, target: ["zstd", "-3", "-T0", "-qf", source, "-o", target],
            lambda source, target: ["zstd", "-dqf", source, "-o", target],
        )
    for tool, program in {"duckdb": DUCKDB, "polars": POLARS, "pyarrow": PYARROW}.items():
        if importlib.util.find_spec(tool):
            run = lambda source, target, program=program: [sys.executable, "-c", program, source, target]
            # pyarrow writes no JSON.
            add(tool, f"{tool}.parquet", run, None if (tool, ending) == ("pyarrow", "ndjson") else run)
    return {"to frames or Parquet": to, "back to text": back}


def measure(command, target):
    """Seconds, seconds of CPU, MB of memory at most, and bytes written; None if the command failed."""
    target.unlink(missing_ok=True)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or not target.exists():
        return None
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, target.stat().st_size


def compare(mbt, source, rounds):
    with tempfile.TemporaryDirectory() as scratch:
        for direction, tools in jobs(mbt, source, pathlib.Path(scratch)).items():
            found = {tool: [] for tool in tools}
            for _ in range(rounds):
                for tool, job in tools.items():
                    found[tool].append(measure(*job))
            print(f"\n### {source.name} ({source.stat().st_size / 1e6:.1f} MB), {direction}\n")
            print("| tool | s | CPU s | MB | bytes | mbt / tool |\n|---|---:|---:|---:|---:|---:|")
            if None in found["mbt"]:
                sys.exit(f"{source}: mbt failed")
            ours = statistics.median(result[0] for result in found["mbt"])
            for tool, results in found.items():
                if None in results:
                    print(f"| {tool} | failed | | | | |")
                    continue
                seconds, cpu, memory, size = map(statistics.median, zip(*results))
                print(f"| {tool} | {seconds:.3f} | {cpu:.2f} | {memory:.0f} | {size:,.0f} | {ours / seconds:.2f} |", flush=True)
            if direction == "back to text" and not same(source, tools["mbt"][1]):
                sys.exit(f"{source}: the text did not come back")


def same(a, b):
    return subprocess.run(["cmp", "-s", a, b]).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mbt", default="target/release/mbt")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    for source in arguments.files:
        compare(arguments.mbt, source, arguments.rounds)


if __name__ == "__main__":
    main()
