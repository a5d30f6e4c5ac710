"""Faults of hosts: processes that end or stop, clocks, and too many writers."""

import json
from pathlib import Path

from cluster import HOSTS
from fault import Fault
from network_faults import use
from proxy import LostSwaps

from clients import Counter, Subscriber


class Stopped(Fault):
    summary = "a host stands still for longer than its lease"
    # The lease of a host is 10 s.
    seconds_min = 15

    def run(self, trial):
        for kinds in (("etcd", "diffabled", "diffabled-etcd"), ("diffabled-etcd",), ("diffabled",))[:self.rounds(trial, 15)]:
            host = trial.chance.choice(HOSTS)
            trial.wait(1)
            trial.cluster.pause(host, kinds)
            trial.wait(12)
            trial.cluster.go_on(host, kinds)
            trial.wait(1)


class Killed(Fault):
    """The answer to a successful compare-and-swap is lost: its connector, or the daemon that waits for it, is killed just then."""

    summary = "a daemon or its connector is killed between swap and answer"

    def prepare(self, trial):
        self.swaps = LostSwaps()
        use(trial, self.swaps)

    def clients(self, trial):
        return trial.usual_clients(pause=0)

    def run(self, trial):
        for _ in range(self.rounds(trial, 1.2)):
            trial.wait(0.3 + trial.chance.random() * 0.6)
            kind, host = trial.chance.choice(["diffabled", "diffabled-etcd"]), trial.chance.choice(HOSTS)
            self.swaps.lose(host, lambda kind=kind, host=host: trial.cluster.kill(kind, host)).wait(5)
            self.swaps.forget(host)
            trial.wait(trial.chance.choice([0, 0.3]))
            trial.cluster.restart(kind, host)
        trial.notes.append(str(self.swaps))
        if not self.swaps.lost:
            trial.violations.append(("harness", "no answer to a swap was lost"))

    def heal(self, trial):
        for host in HOSTS:
            trial.cluster.restart("diffabled", host)
            trial.cluster.restart("diffabled-etcd", host)


class Clocks(Fault):
    summary = "the clocks of two hosts are an hour off"

    def prepare(self, trial):
        library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
        if library is None:
            raise RuntimeError("the clocks fault needs libfaketime: scripts/set-up faketime")
        for host, offset in ((2, "+1h"), (3, "-1h")):
            for kind in ("diffabled", "diffabled-etcd"):
                trial.cluster.environment[kind, host] = {
                    "LD_PRELOAD": str(library), "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def run(self, trial):
        for host in HOSTS:
            trial.wait(max(trial.seconds, self.seconds_min) / 3)
            trial.cluster.kill("diffabled-etcd", host)
            trial.cluster.restart("diffabled-etcd", host)

    def heal(self, trial):
        rows = [json.loads(record["text"]) for record in trial.written("batch")]
        times = {host: [row["time"] for batch in rows if batch["host"] == f"host{host}" for row in batch["rows"]] for host in HOSTS}
        trial.notes.append(f"rows say {spread(times) / 60_000:.0f} minutes between hosts")
        if spread(times) < 3_600_000:
            trial.violations.append(("harness", "the clocks were not off"))


def spread(times):
    firsts = [min(some) for some in times.values() if some]
    return max(firsts) - min(firsts) if firsts else 0


class Crowd(Fault):
    summary = "12 writers are on one list"
    seconds_min = 6
    # Of those who were answered most and least often.
    ratio_max = 2

    def clients(self, trial):
        made = [Counter(trial, f"c{host}{letter}", host) for host in HOSTS for letter in "abcd"]
        return made + [Subscriber(trial, f"s{host}", host) for host in HOSTS]

    def run(self, trial):
        trial.wait(1)
        before = {writer.name: writer.acknowledged for writer in trial.writers}
        trial.wait(max(trial.seconds, self.seconds_min))
        counts = sorted(writer.acknowledged - before[writer.name] for writer in trial.writers)
        ratio = counts[-1] / max(counts[0], 1)
        rate = sum(counts) / max(trial.seconds, self.seconds_min)
        trial.notes.append(f"{rate:.0f}/s; of one writer {counts[0]} to {counts[-1]}, max/min {ratio:.2f}")
        if ratio > self.ratio_max:
            trial.violations.append(("fairness", f"one writer was answered {ratio:.2f} times as often as another: {counts}"))
