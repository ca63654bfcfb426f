"""Runs every scenario with every client, checks what each one reports and what went over the wire, and compares the clients with each other."""

import argparse
import json
import shlex
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

    @property
    def modern(self):
        return self.revision == wire.MODERN


@dataclass(frozen=True)
class Server:
    """A server, and how it is told what to serve."""

    info: str
    capabilities: tuple
    stdio: tuple
    http: tuple
    # `${workspace}` is a folder of the run's own.
    options: tuple = ()
    # How the process ends when it is asked to.
    code: int = 0


SERVERS = {
    "notes": Server(
        "notes",
        ("tools", "resources", "prompts", "completions"),
        stdio=("stdio",),
        http=("--listen", "127.0.0.1:0"),
        options=("--database", "${workspace}/notes.sqlite", "--page-size", "2"),
    ),
    # Over HTTP it has no signal of its own.
    "conformance": Server(
        "relay-conformance", ("tools", "resources", "prompts"), stdio=("stdio",), http=("127.0.0.1:0",), code=-signal.SIGTERM
    ),
}


@dataclass(frozen=True)
class Scenario:
    """Steps, and the server that they are for. The file of its name holds them."""

    name: str
    server: str
    # The clients say that they can be asked.
    asked: bool = False
    # All lists are read, in pages.
    paged: bool = False
    options: tuple = ()

    def command(self, programs, transport, workspace):
        server = SERVERS[self.server]
        options = [option.replace("${workspace}", str(workspace)) for option in (*server.options, *self.options)]
        return [*programs[self.server], *getattr(server, transport), *options]


SCENARIOS = [
    Scenario("plain", "notes", paged=True),
    Scenario("asked", "notes", asked=True, options=("--share-page", "https://share.example/new")),
    Scenario("rounds", "conformance", asked=True),
    Scenario("unable", "conformance"),
]

# The first one, and the first legacy one where a scenario has an outcome of their own, is over stdio what the others are compared with.
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

    def __init__(self, programs):
        self.programs = programs

    @contextmanager
    def target(self, workspace, scenario):
        (workspace / "wire").mkdir()
        command = scenario.command(self.programs, "stdio", workspace)
        yield {"command": sys.executable, "arguments": [str(HERE / "tap.py"), str(workspace / "wire"), *command]}

    def faults(self, workspace, client, scenario):
        records = [json.loads(path.read_text()) for path in sorted((workspace / "wire").glob("*.json"))]
        expected = 2 if client.probes else 1
        if len(records) != expected:
            yield f"{len(records)} processes ended, not {expected}"
        for record in records:
            probe = client.probes and record is not records[-1]
            yield from wire.faults(record, client.revision, probe=probe, paged=scenario.paged)


class Http:
    """The server as a process that runs already, behind the proxy."""

    def __init__(self, programs):
        self.programs = programs

    @contextmanager
    def target(self, workspace, scenario):
        command = scenario.command(self.programs, "http", workspace)
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
        code = 0 if code == SERVERS[scenario.server].code else code
        record = {"code": code, "signals": [], "seconds_to_exit": time.monotonic() - asked, "errors": log.read_text()}
        record |= {"frames": proxy.frames, "statuses": proxy.statuses}
        (workspace / "wire.json").write_text(json.dumps(record))

    def faults(self, workspace, client, scenario):
        yield from wire.faults(json.loads((workspace / "wire.json").read_text()), client.revision, paged=scenario.paged)


TRANSPORTS = {"stdio": Stdio, "http": Http}


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


def run(client, transport, scenario, steps, tools, workspace):
    """What the client reports, or why there is no report."""
    log = workspace / "client.log"
    with log.open("w") as errors, transport.target(workspace, scenario) as target:
        job = {"sdk": client.sdk, "mode": client.mode, "server": target, "asked": scenario.asked, "steps": steps}
        try:
            done = subprocess.run(
                driver(client, tools), input=json.dumps(job), stdout=subprocess.PIPE, stderr=errors, text=True, timeout=SECONDS_PER_CLIENT
            )
        except subprocess.TimeoutExpired:
            return None, f"no report within {SECONDS_PER_CLIENT} s"
    if done.returncode != 0:
        return None, f"the client ended with {done.returncode}: {log.read_text()[-3000:]}"
    return json.loads(done.stdout), None


def connection_fault(client, scenario, report):
    connection = report["connection"]
    if connection["revision"] != client.revision:
        return f"connected with {connection['revision']}, not {client.revision}"
    if client.blind:
        return None
    server = SERVERS[scenario.server]
    pattern = {"server": {"name": server.info}, "capabilities": {name: {} for name in server.capabilities}}
    return expect.mismatch(pattern, connection)


def step_fault(client, step, outcome):
    if "failure" in outcome:
        return outcome["failure"]
    if (step.get("progress") or step.get("cancel")) and (fault := progress_fault(outcome.get("progress"))):
        return fault
    expected = expect.expectation(step, client.revision)
    # Whoever is not expected to be asked must not be.
    questions = (sorted(report.get("asked", {})) for report in (expected, outcome))
    return expect.difference(*questions, "/asked") or expect.mismatch(expected, outcome)


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


def read(scenario, folders):
    steps = tomllib.loads((HERE / "scenarios" / f"{scenario.name}.toml").read_text())["step"]
    for step in steps:
        for name, value in step.get("arguments", {}).items():
            for placeholder, path in folders.items():
                if isinstance(value, str):
                    value = value.replace(placeholder, path)
            step["arguments"][name] = value
    return steps


class Runs:
    """The runs of one scenario with one client after the other."""

    def __init__(self, scenario, steps, arguments, shared, count):
        self.scenario, self.steps, self.shared, self.count = scenario, steps, shared, count
        self.programs, self.tools = dict(arguments.program), arguments.tools
        self.transport = TRANSPORTS[arguments.transport](self.programs)
        self.split = any("legacy" in step for step in steps)
        self.references = {}

    def run(self, client):
        label = f"{self.scenario.name}: {client.label}"
        reference = self.reference(client)
        report, faults, fault = self.attempt(client, self.transport)
        self.count.check(f"{label}: runs", [fault])
        self.count.check(f"{label}: wire", faults)
        if report is None:
            return
        self.count.check(f"{label}: connect", [connection_fault(client, self.scenario, report)])
        for step in self.steps:
            name, outcome = step["name"], report["steps"][step["name"]]
            self.count.check(f"{label}: {name}", [step_fault(client, step, outcome)])
            if reference:
                self.count.check(f"{label}: {name}, compared", [comparison_fault(client, step, outcome, reference[name])])

    def reference(self, client):
        """What a client sees over stdio is what it has to see over any transport, and what any other has to see."""
        other = next(other for other in CLIENTS if other.modern == client.modern or not self.split)
        if other is client and isinstance(self.transport, Stdio):
            return None
        if other not in self.references:
            report, _, fault = self.attempt(other, Stdio(self.programs))
            self.count.check(f"{self.scenario.name}: {other.label}: runs over stdio, for the others to be compared with", [fault])
            self.references[other] = report and report["steps"]
        return self.references[other]

    def attempt(self, client, transport):
        workspace = Path(tempfile.mkdtemp(dir=self.shared))
        report, fault = run(client, transport, self.scenario, self.steps, self.tools, workspace)
        return report, list(transport.faults(workspace, client, self.scenario)), fault


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--transport", choices=TRANSPORTS, required=True)
    arguments.add_argument("--tools", type=Path, required=True, help="where the clients are installed")
    arguments.add_argument("--only", default="", help="run the clients whose label, with the scenario before it, holds this text")
    arguments.add_argument("--program", type=program, action="append", required=True, help="NAME=COMMAND: a server, without its options")
    arguments = arguments.parse_args()
    count = Count()
    with tempfile.TemporaryDirectory() as shared:
        shared = Path(shared)
        folders = {"${few}": str(folder(shared / "few", 12)), "${many}": str(folder(shared / "many", 5000))}
        for scenario in SCENARIOS:
            runs = Runs(scenario, read(scenario, folders), arguments, shared, count)
            for client in (client for client in CLIENTS if arguments.only in f"{scenario.name}: {client.label}"):
                runs.run(client)
                print(f"ran     {scenario.name}: {client.label}, over {arguments.transport}", flush=True)
    print(f"{arguments.transport}: {count.passed} passed, {count.failed} failed")
    sys.exit(1 if count.failed or not count.passed else 0)


def program(text):
    name, command = text.split("=", 1)
    return name, shlex.split(command)


main()
