"""Measures diffabled and its alternatives, and writes the results into Benchmarks/results.md.

    make bench                            everything, about 50 minutes; the page is written
    make bench ONLY=fanout,durable        some parts; the table is only printed
    make bench ROUNDS=3 QUICK=1           fewer rounds, shorter runs

Parts are core, fanout, generators, latency, durable, handlers, apply, memory, start, pasts, stalls, crowds, views, typed, feeds,
hosts, command, view and web. LOADGEN=PATH is another load generator for the part generators, which is skipped without one.
Each round measures every part and server once, so that a disturbance affects all alike. Programs that are not installed are
skipped with a message.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import crowds
import faults
import feeds
import hosts
import lists
import load
import machine
import page
import pasts
import servers
import stalls
import typed
import viewer
import views
import web

PARTS = {
    **load.PARTS, "apply": lists.apply, "memory": lists.memory, "start": lists.start, "pasts": pasts.pasts,
    "stalls": stalls.stalls, "crowds": crowds.crowds, "views": views.views, "typed": typed.typed, "feeds": feeds.feeds,
    "hosts": hosts.hosts, "command": lists.command, "view": viewer.viewer, "web": web.web,
}
RESULTS = machine.REPOSITORY / "Benchmarks" / ".build" / "results.jsonl"


class Bench:
    """One run: its duration and rounds, the available programs, and the place of the results."""

    def __init__(self, arguments, results):
        self.is_quick = arguments.quick
        self.patience = machine.Patience(arguments.patience)
        self.results = results
        self.last = None
        self.missing = set()
        self._prepared = {}

    def seconds(self, usual):
        return usual / 2 if self.is_quick else usual

    def count(self, usual):
        return usual // 4 if self.is_quick else usual

    def available(self, names):
        for name in names:
            if not servers.is_available(name) and name not in self.missing:
                self.missing.add(name)
                print(f"bench: {name} is not installed and is left out", file=sys.stderr)
        return [name for name in names if name not in self.missing]

    def record(self, part, round_number, clean, **figures):
        self.last = {"part": part, "round": round_number, "clean": clean, **figures}
        self.results.write(json.dumps(self.last) + "\n")
        self.results.flush()

    def measure(self, part, round_number, server, run, is_clean, **criteria):
        """A server that fails once fails in the results, and the others are still measured."""
        try:
            report, clean = self.patience.undisturbed(run, is_clean)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            print(f"bench: {part}, {server}: {error}", file=sys.stderr)
            return self.record("failure", round_number, True, of=part, server=server, error=str(error)[:500])
        return self.record(part, round_number, clean, server=server, **criteria, **report)

    def carry_out(self, part, round_number):
        """A part of a round; values that it could not measure are missing in the table."""
        try:
            PARTS[part](self, round_number)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            print(f"bench: {part}: {error}", file=sys.stderr)
            self.record("failure", round_number, True, of=part, server="diffabled", error=str(error)[:500])

    def prepared(self, name, make):
        """A directory that all rounds use; made once."""
        if name not in self._prepared:
            self._prepared[name] = make(self)
        return self._prepared[name]

    def clean_up(self):
        for directory in self._prepared.values():
            shutil.rmtree(directory)


def measure_core(bench, rounds):
    """A program of its own, which has its own rounds."""
    command = [servers.BUILT / "CoreBenchmark", "--rounds", rounds]
    if bench.is_quick:
        command += ["--items-max", 100_000]
    bench.patience.wait()
    run = machine.spawn(
        command, machine.CLIENT_CORE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, **servers.service_environment()})
    for line in run.stdout:
        figures = json.loads(line)
        bench.record("core", figures.pop("round", 0), True, **figures)
    if run.wait() != 0:
        raise RuntimeError("CoreBenchmark did not come to its end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="parts, separated by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument(
        "--patience", type=float, default=300, help="seconds in all to wait for a quiet machine, and for repetitions")
    parser.add_argument("--page-only", action="store_true", help="from the results of the last run")
    arguments = parser.parse_args()
    if arguments.page_only:
        show([json.loads(line) for line in RESULTS.read_text().splitlines()])
        return
    parts = [part for part in arguments.only.split(",") if part] or ["core", *PARTS]
    for part in parts:
        if part != "core" and part not in PARTS:
            parser.error(f"there is no part {part}: core, {', '.join(PARTS)}")

    if load.PARTS.keys() & set(parts):
        faults.check_generator()
    begin = time.monotonic()
    with open(RESULTS, "w") as results:
        bench = Bench(arguments, results)
        try:
            if "core" in parts:
                measure_core(bench, arguments.rounds)
            for round_number in range(arguments.rounds):
                for part in parts:
                    if part in PARTS:
                        bench.carry_out(part, round_number)
                print(f"bench: round {round_number + 1} of {arguments.rounds} is done after "
                      f"{time.monotonic() - begin:.0f} s", file=sys.stderr)
        finally:
            bench.clean_up()
        bench.record(
            "run", 0, True, rounds=arguments.rounds, minutes=(time.monotonic() - begin) / 60,
            command="make bench" + "".join(
                f" {name}={value}" for name, value in (
                    ("ONLY", arguments.only), ("ROUNDS", arguments.rounds if arguments.rounds != 5 else ""),
                    ("QUICK", 1 if arguments.quick else "")) if value),
            repeated=bench.patience.repeated, missing=sorted(bench.missing),
            disk=machine.file_system(RESULTS.parent), **machine.description())
    show([json.loads(line) for line in RESULTS.read_text().splitlines()])


def show(results):
    """The page has a whole run or nothing."""
    command = results[-1].get("command", "ONLY=")
    if "ONLY=" in command or "QUICK=" in command:
        print(page.generated(results))
        print("bench: Benchmarks/results.md is written by the whole run only: make bench", file=sys.stderr)
    else:
        page.write(results)


if __name__ == "__main__":
    main()
