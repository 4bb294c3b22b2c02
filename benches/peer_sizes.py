#!/usr/bin/env python3
"""Prints the table of sizes in README.md: text, zstd, xz, and what mbt and other columnar formats make of it.

    benches/peer_sizes.py [--mbt target/release/mbt] FILE.csv|FILE.json|FILE.ndjson ...

Needs the programs zstd and xz, and pip's packages duckdb, pyarrow and vortex-data. Each format has the smallest of
what these write:

* Parquet: zstd by DuckDB (pages of version 1 and 2) and, for CSV, by pyarrow (level 3).
* Vortex: with and without compact encodings, from the types that DuckDB infers.
* Arrow: IPC with zstd, from the same types.
"""

import argparse
import os
import subprocess
import tempfile

import duckdb
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet
import vortex.io

PRESETS = "fast", "balanced", "small"


def printed(*command):
    """The number of bytes that a command prints."""
    return len(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def parquet(path, rows, target):
    for version in "v1", "v2":
        options = f"format parquet, compression zstd, parquet_version {version}"
        duckdb.sql(f"copy (from rows) to '{target}' ({options})")
        yield os.path.getsize(target)
    if path.endswith(".csv"):
        quoted_lines = pyarrow.csv.ParseOptions(newlines_in_values=True)
        table = pyarrow.csv.read_csv(path, parse_options=quoted_lines)
        pyarrow.parquet.write_table(table, target, compression="zstd", compression_level=3)
        yield os.path.getsize(target)


def vortex_files(table, target):
    for options in vortex.io.VortexWriteOptions.default(), vortex.io.VortexWriteOptions.compact():
        options.write(table, target)
        yield os.path.getsize(target)


def arrow(table, target):
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.ipc.new_file(target, table.schema, options=options) as writer:
        writer.write_table(table)
    return os.path.getsize(target)


def sizes(mbt, path, target):
    """The cells of a row."""
    # DuckDB infers types from a sample.
    read = duckdb.read_csv if path.endswith(".csv") else duckdb.read_json
    rows = read(path)
    table = rows.to_arrow_table()
    yield os.path.getsize(path)
    yield printed("zstd", "-3", "-c", path)
    yield printed("xz", "-6", "-c", path)
    yield min(parquet(path, rows, target))
    yield min(vortex_files(table, target))
    yield arrow(table, target)
    for preset in PRESETS:
        yield printed(mbt, "convert", "-q", path, "--to", "mbt", "--preset", preset)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mbt", default="target/release/mbt")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    columns = ["file", "text", "zstd -3", "xz -6", "Parquet", "Vortex", "Arrow", *(f"`{preset}`" for preset in PRESETS)]
    print("| " + " | ".join(columns) + " |")
    print("|---" + "|---:" * (len(columns) - 1) + "|")
    with tempfile.TemporaryDirectory() as directory:
        for path in args.files:
            cells = sizes(args.mbt, path, os.path.join(directory, "table"))
            print("| " + " | ".join([os.path.basename(path), *(f"{cell:,}" for cell in cells)]) + " |", flush=True)


main()
