#!/usr/bin/env python3
"""Compares the transfer models of `mbt estimate` with measured times.

A relay between two sockets of the loopback interface passes bytes on at a set rate and after a set delay. Files of
10 kB to 50 MB are fetched through it, and the time from connecting to the last byte is compared with `transfer_s`.

For the model basic the relay has a rate and a delay. For the model tcp it also takes a round trip for the handshake,
and sends segments of 1460 bytes with headers of 40. At first, ten of them may be in flight (RFC 6928), and one more
for each that is acknowledged (slow start, RFC 5681), since the kernel's own congestion control sees no delay here.

    usage: benches/relay.py [MBT] [--markdown]

Exits with 1 if a time is off by more than 10 %.
"""

import collections
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

SIZES = [10_000, 100_000, 1_000_000, 10_000_000, 50_000_000]
# Round trip in ms, Mbit/s.
LINKS = [(30.0, 100.0), (80.0, 50.0), (10.0, 200.0)]
MODELS = ["basic", "tcp"]
MSS, HEADERS, FIRST_WINDOW = 1460, 40, 10
# Other work on the machine only adds time, so the quickest transfer within this many seconds counts.
SECONDS = 5.0
TOLERANCE = 0.1


def serve(listener, content):
    """Sends the file to whoever asks."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            if connection.recv(1):
                connection.sendall(content)


class Line:
    """Segments in flight: each is delivered when it is due."""

    def __init__(self, out):
        self.out, self.due, self.ready = out, collections.deque(), threading.Condition()
        self.thread = threading.Thread(target=self.deliver, daemon=True)
        self.thread.start()

    def put(self, at, data):
        with self.ready:
            self.due.append((at, data))
            self.ready.notify()

    def deliver(self):
        while True:
            with self.ready:
                while not self.due:
                    self.ready.wait()
                at = self.due[0][0]
            time.sleep(max(0.0, at - time.monotonic()))
            arrived, ends = [], False
            with self.ready:
                while self.due and self.due[0][0] <= time.monotonic():
                    data = self.due.popleft()[1]
                    ends = ends or data is None
                    arrived.append(data or b"")
            self.out.sendall(b"".join(arrived))
            if ends:
                self.out.shutdown(socket.SHUT_WR)
                return


def relay(listener, address, rtt_s, bytes_per_s, model):
    """Passes on requests and their answers, one after the other."""
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        if model == "tcp":
            time.sleep(rtt_s)
        with client, socket.create_connection(address) as server:
            request = client.recv(1)
            time.sleep(rtt_s / 2)
            server.sendall(request)
            line = Line(client)
            free = time.monotonic()
            window, acknowledged = FIRST_WINDOW, collections.deque()
            while data := server.recv(MSS, socket.MSG_WAITALL):
                headers = 0
                if model == "tcp":
                    headers = HEADERS
                    # Time is counted in due times, so that the work of the relay itself adds nothing.
                    now = free
                    while acknowledged and (acknowledged[0] <= now or len(acknowledged) >= window):
                        now = max(now, acknowledged.popleft())
                        window += 1
                    free = max(free, now)
                free += (len(data) + headers) / bytes_per_s
                acknowledged.append(free + rtt_s)
                line.put(free + rtt_s / 2, data)
            line.put(free + rtt_s / 2, None)
            line.thread.join()


def fetch(address, size):
    """Seconds from connecting to the last byte."""
    begun = time.monotonic()
    left = size
    with socket.create_connection(address) as connection:
        connection.sendall(b"?")
        while data := connection.recv(1 << 20):
            left -= len(data)
    assert left == 0, f"{left} bytes are missing"
    return time.monotonic() - begun


def listening():
    listener = socket.create_server(("127.0.0.1", 0), backlog=1)
    return listener, listener.getsockname()


def start(target, *args):
    threading.Thread(target=target, args=args, daemon=True).start()


def measured(content, rtt_ms, mbit, model, wanted):
    (server, server_address), (middle, address) = listening(), listening()
    with server, middle:
        start(serve, server, content)
        start(relay, middle, server_address, rtt_ms / 1e3, mbit * 1e6 / 8, model)
        seconds = float("inf")
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and wanted / seconds < 1 - TOLERANCE / 4:
            seconds = min(seconds, fetch(address, len(content)))
        return seconds


def estimated(mbt, path, rtt_ms, mbit, model):
    args = [mbt, "estimate", path, "--payloads", "source", "--codecs", "none", "--runs", "1", "--json"]
    args += ["--rtt-ms", str(rtt_ms), "--mbit", str(mbit), "--model", model]
    found = json.loads(subprocess.run(args, check=True, stdout=subprocess.PIPE).stdout)
    return found["payloads"][0]["transfer_s"]


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--markdown"]
    mbt = args[0] if args else "mbt"
    plain = "{:>10} {:>7} {:>8} {:>6} {:>11} {:>9} {:>7}"
    row = "| {} | {} | {} | {} | {} | {} | {} |" if "--markdown" in sys.argv else plain
    print(row.format("bytes", "rtt ms", "Mbit/s", "model", "estimate s", "clock s", "off"))
    if "--markdown" in sys.argv:
        print(row.format(*["---"] * 7))
    worst = 0.0
    with tempfile.TemporaryDirectory() as directory:
        for size in SIZES:
            line = b"1700000000,abcdef,12.5\n"
            content = b"at,name,price\n" + line * (size // len(line) - 2)
            content += b"1,%s,1\n" % (b"x" * (size - len(content) - 5))
            path = os.path.join(directory, f"{size}.csv")
            with open(path, "wb") as file:
                file.write(content)
            for rtt_ms, mbit in LINKS:
                for model in MODELS:
                    wanted = estimated(mbt, path, rtt_ms, mbit, model)
                    seconds = measured(content, rtt_ms, mbit, model, wanted)
                    off = wanted / seconds - 1
                    worst = max(worst, abs(off))
                    cells = [f"{wanted:.4f}", f"{seconds:.4f}", f"{off:+.1%}"]
                    print(row.format(size, f"{rtt_ms:g}", f"{mbit:g}", model, *cells), flush=True)
    print(f"worst: {worst:.1%}")
    sys.exit(worst > TOLERANCE)


main()
