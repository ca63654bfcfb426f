"""Runs the scenario with every client, checks what each one reports and what went over the wire, and compares the clients with each other."""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import expect
import wire
from proxy import Proxy

HERE = Path(__file__).parent
SECONDS_PER_CLIENT = 120


@dataclass(frozen=True)
class Client:
    name: str
    sdk: str
    mode: str
    revision: str
    # Connects without asking the server what it is.
    blind: bool = False
    # Over stdio, learns the revision from a process of its own.
    probes: bool = False

    @property
    def label(self):
        return f"{self.name} {self.sdk}, {self.mode}"


# The first one, over stdio, is what the others are compared with.
CLIENTS = [
    Client("typescript", "2", "modern", "2026-07-28", probes=True),
    Client("typescript", "2", "automatic", "2026-07-28", probes=True),
    Client("typescript", "2", "legacy", "2025-11-25"),
    Client("typescript", "2", "2025-06-18", "2025-06-18"),
    Client("typescript", "2", "2025-03-26", "2025-03-26"),
    Client("typescript", "1", "legacy", "2025-11-25"),
    Client("python", "2", "modern", "2026-07-28", blind=True),
    Client("python", "2", "automatic", "2026-07-28"),
    Client("python", "2", "legacy", "2025-11-25"),
    Client("python", "1", "legacy", "2025-11-25"),
]


class Stdio:
    """The server as a child process of each client, behind the tap."""

    def __init__(self, program):
        self.program = program

    @contextmanager
    def target(self, workspace):
        (workspace / "wire").mkdir()
        yield {
            "command": sys.executable,
            "arguments": [str(HERE / "tap.py"), str(workspace / "wire"), *self.program, "stdio", *options(workspace)],
        }

    def faults(self, workspace, client):
        records = [json.loads(path.read_text()) for path in sorted((workspace / "wire").glob("*.json"))]
        expected = 2 if client.probes else 1
        if len(records) != expected:
            yield f"{len(records)} processes ended, not {expected}"
        for record in records:
            yield from wire.faults(record, client.revision, probe=client.probes and record is not records[-1])


class Http:
    """The server as a process that runs already, behind the proxy."""

    def __init__(self, program):
        self.program = program

    @contextmanager
    def target(self, workspace):
        command = [*self.program, "--listen", "127.0.0.1:0", *options(workspace)]
        log = workspace / "server.log"
        with log.open("w") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server:
            first = server.stdout.readline()
            if not first:
                raise SystemExit(f"the server did not start: {log.read_text()}")
            url = urlsplit(first.split()[-1])
            proxy = Proxy(url.hostname, url.port)
            try:
                yield {"url": proxy.url(url.path)}
            finally:
                proxy.stop()
                asked = time.monotonic()
                server.send_signal(signal.SIGTERM)
                code = server.wait()
        record = {"code": code, "signals": [], "seconds_to_exit": time.monotonic() - asked, "errors": log.read_text()}
        record |= {"frames": proxy.frames, "statuses": proxy.statuses}
        (workspace / "wire.json").write_text(json.dumps(record))

    def faults(self, workspace, client):
        yield from wire.faults(json.loads((workspace / "wire.json").read_text()), client.revision)


TRANSPORTS = {"stdio": Stdio, "http": Http}


def options(workspace):
    return ["--database", str(workspace / "notes.sqlite"), "--page-size", "2"]


class Count:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, label, faults):
        faults = [fault for fault in faults if fault]
        self.passed += not faults
        self.failed += bool(faults)
        for fault in faults:
            print(f"FAILED  {label}: {fault}", flush=True)


def driver(client, tools):
    if client.name == "typescript":
        return ["node", str(tools / "node" / "typescript.mjs")]
    return [str(tools / f"python-{client.sdk}" / "bin" / "python"), str(HERE / "clients" / f"python_{client.sdk}.py")]


def run(client, transport, steps, tools, workspace):
    """What the client reports, or why there is no report."""
    log = workspace / "client.log"
    with log.open("w") as errors, transport.target(workspace) as target:
        job = {"sdk": client.sdk, "mode": client.mode, "server": target, "steps": steps}
        try:
            done = subprocess.run(
                driver(client, tools), input=json.dumps(job), stdout=subprocess.PIPE, stderr=errors, text=True, timeout=SECONDS_PER_CLIENT
            )
        except subprocess.TimeoutExpired:
            return None, f"no report within {SECONDS_PER_CLIENT} s"
    if done.returncode != 0:
        return None, f"the client ended with {done.returncode}: {log.read_text()[-3000:]}"
    return json.loads(done.stdout), None


def connection_fault(client, report):
    connection = report["connection"]
    if connection["revision"] != client.revision:
        return f"connected with {connection['revision']}, not {client.revision}"
    if client.blind:
        return None
    pattern = {"server": {"name": "notes"}, "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}}
    return expect.mismatch(pattern, connection)


def step_fault(client, step, outcome):
    if "failure" in outcome:
        return outcome["failure"]
    if (step.get("progress") or step.get("cancel")) and (fault := progress_fault(outcome.get("progress"))):
        return fault
    return expect.mismatch(expect.expectation(step, client.revision), outcome)


# PROG-03
def progress_fault(reports):
    if not reports:
        return "no progress was reported"
    values = [report["progress"] for report in reports]
    if any(later <= earlier for earlier, later in zip(values, values[1:])):
        return f"progress does not increase: {values}"
    return next((f"more progress than there is to do: {r}" for r in reports if r.get("total") is not None and r["progress"] > r["total"]), None)


def comparison_fault(client, step, outcome, reference):
    if "failure" in outcome or "failure" in reference:
        return None
    ours = expect.comparable(reference, step, client.revision)
    return expect.difference(ours, expect.comparable(outcome, step, client.revision))


def folder(directory, count):
    directory.mkdir()
    for number in range(count):
        text = f"# Imported {number}\n\nParagraph {number} about lanterns.\n"
        (directory / f"{number:05}.md").write_text(text)
    return directory


def scenario(shared):
    folders = {"${few}": str(folder(shared / "few", 12)), "${many}": str(folder(shared / "many", 5000))}
    steps = tomllib.loads((HERE / "scenario.toml").read_text())["step"]
    for step in steps:
        for name, value in step.get("arguments", {}).items():
            for placeholder, path in folders.items():
                if isinstance(value, str):
                    value = value.replace(placeholder, path)
            step["arguments"][name] = value
    return steps


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--transport", choices=TRANSPORTS, required=True)
    arguments.add_argument("--tools", type=Path, required=True, help="where the clients are installed")
    arguments.add_argument("--only", default="", help="run the clients whose label holds this text")
    arguments.add_argument("program", nargs="+", help="the server, without its command and its options")
    arguments = arguments.parse_args()
    transport, count, reference = TRANSPORTS[arguments.transport](arguments.program), Count(), None
    with tempfile.TemporaryDirectory() as shared:
        steps = scenario(Path(shared))
        if arguments.transport != "stdio":
            # What a client sees over stdio is what it has to see over any transport.
            workspace = Path(tempfile.mkdtemp(dir=shared))
            report, fault = run(CLIENTS[0], Stdio(arguments.program), steps, arguments.tools, workspace)
            count.check(f"{CLIENTS[0].label}: runs over stdio", [fault])
            reference = report and report["steps"]
        for client in (client for client in CLIENTS if arguments.only in client.label):
            workspace = Path(tempfile.mkdtemp(dir=shared))
            report, fault = run(client, transport, steps, arguments.tools, workspace)
            count.check(f"{client.label}: runs", [fault])
            count.check(f"{client.label}: wire", transport.faults(workspace, client))
            if report is None:
                continue
            count.check(f"{client.label}: connect", [connection_fault(client, report)])
            reference = reference or report["steps"]
            for step in steps:
                outcome = report["steps"][step["name"]]
                count.check(f"{client.label}: {step['name']}", [step_fault(client, step, outcome)])
                if report["steps"] is not reference:
                    count.check(
                        f"{client.label}: {step['name']}, compared", [comparison_fault(client, step, outcome, reference[step["name"]])]
                    )
            print(f"ran     {client.label}, over {arguments.transport}", flush=True)
    print(f"{arguments.transport}: {count.passed} passed, {count.failed} failed")
    sys.exit(1 if count.failed or not count.passed else 0)


main()
