"""Stands between a client and the server it starts: passes every byte on, and records the frames, the signals and how the process ended.

Usage: tap.py DIRECTORY COMMAND [ARGUMENT..]. One JSON file per process is written into the directory when the process has ended.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

CHUNK = 65536


class Tap:
    def __init__(self, command):
        self.frames = []  # (direction, line), in the order in which this process saw them
        self.signals = []
        self.input_closed = None
        self.errors = b""
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )

    def forward(self, source, target, direction):
        """Passes bytes on until the source ends. A frame is noted before it is passed on, so that no answer precedes its request."""
        rest = b""
        while chunk := os.read(source, CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            self.frames += [(direction, line.decode("utf-8", "replace")) for line in lines]
            try:
                write_all(target, chunk)
            except OSError:
                break
        if rest:
            self.frames.append((direction, rest.decode("utf-8", "replace")))

    def forward_input(self):
        self.forward(0, self.child.stdin.fileno(), "client")
        self.input_closed = time.monotonic()
        self.child.stdin.close()

    def collect_errors(self):
        while chunk := os.read(self.child.stderr.fileno(), CHUNK):
            self.errors += chunk

    def on_signal(self, number, _frame):
        self.signals.append(signal.Signals(number).name)
        self.child.send_signal(number)

    def run(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self.on_signal)
        output = threading.Thread(target=self.forward, args=(self.child.stdout.fileno(), 1, "server"))
        errors = threading.Thread(target=self.collect_errors)
        for thread in (threading.Thread(target=self.forward_input, daemon=True), output, errors):
            thread.start()
        code = self.child.wait()
        ended = time.monotonic()
        output.join()
        errors.join()
        return {
            "code": code,
            "signals": self.signals,
            "seconds_to_exit": ended - self.input_closed if self.input_closed is not None else None,
            "errors": self.errors.decode("utf-8", "replace"),
            "frames": self.frames,
        }


def write_all(target, chunk):
    view = memoryview(chunk)
    while view:
        view = view[os.write(target, view) :]


def main():
    directory, command = Path(sys.argv[1]), sys.argv[2:]
    started = time.time_ns()
    record = Tap(command).run()
    path = directory / f"{started}-{os.getpid()}.json"
    path.with_suffix(".part").write_text(json.dumps(record))
    path.with_suffix(".part").rename(path)
    # The thread that reads standard input may still be blocked.
    os._exit(record["code"] if record["code"] >= 0 else 128 - record["code"])


main()
