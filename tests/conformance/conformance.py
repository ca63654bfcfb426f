"""Runs the official conformance suite and compares what passes with what is meant to.

A scenario passes if none of its checks fails and at least one of its own succeeds: one that
checked nothing has proved nothing. What can't pass yet is listed in waiting.toml with what it
waits for; the list only shrinks, since a listed scenario that passes fails the run.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
# Checks that the suite adds to every scenario: of the messages, not of what they mean.
COMMON = "wire-schema-"
# The name of a result folder: the scenario and the time of its run.
FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\dZ-]+")
MINUTES = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=Path, required=True, help="where the suite is installed")
    parser.add_argument("server", nargs="+", help="the server's command; it prints its URL")
    arguments = parser.parse_args()
    waiting = tomllib.loads((HERE / "waiting.toml").read_text())
    server = subprocess.Popen(arguments.server, stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        if not url.startswith("http"):
            print(f"the server says {url!r} where its URL should be", file=sys.stderr)
            return 1
        wrong = 0
        for revision, pinned in waiting.items():
            results = run(arguments.tools, url, revision)
            wrong += report(revision, results, pinned)
        return min(wrong, 1)
    finally:
        server.terminate()
        server.wait()


def run(tools: Path, url: str, revision: str) -> dict[str, list[dict]]:
    """The checks of every scenario that the revision requires, by scenario."""
    output = tools / "results" / revision
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    binaries = (tools / "node_modules" / ".bin").resolve()
    environment = os.environ | {"PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
    command = [binaries / "conformance", "server", "--url", url, "--requirements", revision]
    log = output / "log.txt"
    with log.open("w") as sink:
        # Its exit code counts what we judge ourselves.
        subprocess.run(
            [*command, "--output-dir", output],
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=environment,
            timeout=MINUTES * 60,
            check=False,
        )
    results = {}
    for folder in sorted(output.glob("server-*")):
        named = FOLDER.fullmatch(folder.name)
        results[named[1] if named else folder.name] = json.loads((folder / "checks.json").read_text())
    if not results:
        print(log.read_text()[-2000:], file=sys.stderr)
    return results


def faults(checks: list[dict]) -> list[str]:
    """Why a scenario does not pass, one line each; none if it does."""
    failed = [
        f"{check['id']}: {check.get('errorMessage') or check.get('description') or 'failed'}"
        for check in checks
        if check["status"] == "FAILURE"
    ]
    own = [check for check in checks if not check["id"].startswith(COMMON)]
    if not failed and not any(check["status"] == "SUCCESS" for check in own):
        failed.append("no check of its own succeeded")
    return failed


def report(revision: str, results: dict[str, list[dict]], pinned: dict[str, str]) -> int:
    """Prints one line for each scenario, and gives how many are not as they are meant to be."""
    print(f"\n{revision}: {len(results)} scenarios")
    wrong = 0 if results else 1
    for scenario, checks in results.items():
        found = faults(checks)
        waits = pinned.get(scenario)
        if not found and waits is None:
            print(f"  ok       {scenario} ({len(checks)} checks)")
        elif found and waits is not None:
            print(f"  waiting  {scenario}: {waits}")
        elif found:
            wrong += 1
            print(f"  FAILED   {scenario}")
            for fault in found:
                print(f"           {fault}")
        else:
            wrong += 1
            print(f"  PASSES   {scenario}: take it from waiting.toml")
    for scenario in sorted(pinned.keys() - results.keys()):
        wrong += 1
        print(f"  MISSING  {scenario}: it is in waiting.toml, and was not run")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
