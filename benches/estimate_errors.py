#!/usr/bin/env python3
"""Counts how often the sizes that `mbt estimate` extrapolates are within the errors that it gives.

Each file is estimated twice, as usual and with `--whole`, which writes and compresses everything. The second estimate
takes long, so only the first `--bytes` of CSV and NDJSON files are used (this should be more than the 3 MiB that are
measured whole), and zstd 19 is left out unless `--slow` is given.

    usage: benches/estimate_errors.py [--mbt MBT] [--bytes 10000000] [--slow] [--cells] FILE...

Exits with 1 if fewer than 19 of 20 sizes are within their error.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

PAYLOADS = "source,ndjson,csv,arrow,parquet,v1-plain,v1,v2-fast,v2-balanced"
CODECS = "none,lz4,gzip:6,zstd:1,zstd:3,zstd:9"


def sizes(args, path, more):
    payloads = PAYLOADS + (",v2-small" if args.slow else "")
    codecs = CODECS + (",zstd:19" if args.slow else "")
    command = [args.mbt, "estimate", path, "--payloads", payloads, "--codecs", codecs, "--runs", "1", "--json", "-q"]
    found = json.loads(subprocess.run(command + more, check=True, stdout=subprocess.PIPE).stdout)
    return {(cell["payload"], cell["codec"], cell["level"]): cell for cell in found["payloads"]}


def beginning(path, most, directory):
    """The file, or whole lines from its beginning."""
    if os.path.getsize(path) <= most or not path.endswith((".csv", ".tsv", ".ndjson", ".jsonl")):
        return path
    with open(path, "rb") as file:
        text = file.read(most)
    # A line end within quotes does not end a record: cut where the number of quotes is even.
    end = text.rfind(b"\n") + 1
    while path.endswith(".csv") and text.count(b'"', 0, end) % 2:
        end = text.rfind(b"\n", 0, end - 1) + 1
    short = os.path.join(directory, os.path.basename(path))
    with open(short, "wb") as file:
        file.write(text[:end])
    return short


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--mbt", default="mbt")
    parser.add_argument("--bytes", type=int, default=10_000_000)
    parser.add_argument("--slow", action="store_true", help="zstd 19 and v2-small, too")
    parser.add_argument("--cells", action="store_true", help="print what is off by more than its error")
    args = parser.parse_args()
    within = everything = 0
    print(f"{'file':<40} {'cells':>6} {'within':>7} {'median error':>13} {'median off':>11}")
    with tempfile.TemporaryDirectory() as directory:
        for path in args.files:
            short = beginning(path, args.bytes, directory)
            found = sizes(args, short, [])
            sampled = {key: cell for key, cell in found.items() if cell["extrapolated"]}
            if not sampled:
                continue
            exact = sizes(args, short, ["--whole"])
            offs, errors, good = [], [], 0
            for key, cell in sampled.items():
                off = cell["bytes"] / exact[key]["bytes"] - 1
                offs.append(abs(off))
                errors.append(cell["error"])
                good += abs(off) <= cell["error"]
                if args.cells and abs(off) > cell["error"]:
                    print("   ", *key, f"off by {off:+.1%}, error {cell['error']:.1%}")
            median = lambda values: sorted(values)[len(values) // 2]
            name = os.path.basename(path)
            print(f"{name:<40} {len(offs):>6} {good:>7} {median(errors):>13.1%} {median(offs):>11.1%}", flush=True)
            within, everything = within + good, everything + len(offs)
    print(f"{within} of {everything} sizes are within their errors ({within / max(everything, 1):.1%})")
    sys.exit(within < 0.95 * everything)


main()
