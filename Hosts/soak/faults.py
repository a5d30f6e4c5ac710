"""What goes wrong while clients go on: each row of the table in docs/hosts.md."""

import contextlib
import json
from pathlib import Path

from clients import Counter, Filler, Subscriber
from cluster import HOSTS, address, await_condition
from gateway import NoAnswer
from proxy import LostSwaps, Proxy, WatchFaults


class Fault:
    """Nothing goes wrong. `summary` is what a line of the report says of it."""

    summary = "nothing goes wrong"
    # A host may be given a state instead of what led there, so it may not know the past.
    may_take_states = False
    # The list may end, and another of its name begin.
    list_may_go = False
    # It takes at least so many seconds, whatever the run was given.
    seconds_min = 4

    def prepare(self, trial):
        """Before anything is started."""

    def clients(self, trial):
        return trial.usual_clients()

    def run(self, trial):
        """As long as the trial has."""
        trial.wait(max(trial.seconds, self.seconds_min))

    def heal(self, trial):
        """Afterwards all must come to the same."""

    def rounds(self, trial, length):
        """So many times, each of about this length, at least once."""
        return max(1, round(max(trial.seconds, self.seconds_min) / length))


class Leader(Fault):
    summary = "the leader of etcd is killed in a loop"

    def run(self, trial):
        cluster = trial.cluster
        for _ in range(self.rounds(trial, 4)):
            trial.wait(1 + trial.chance.random())
            leader = cluster.etcd.leader()
            if leader is None:
                continue
            host = int(leader.rpartition(".")[2])
            cluster.kill("etcd", host)
            trial.wait(1 + trial.chance.random())
            cluster.restart("etcd", host)

    def heal(self, trial):
        for host in HOSTS:
            trial.cluster.restart("etcd", host)


class Minority(Fault):
    summary = "a host is cut off from the others"

    def run(self, trial):
        for _ in range(self.rounds(trial, 7)):
            trial.wait(trial.chance.random())
            trial.cluster.cut(trial.chance.choice(HOSTS))
            # Longer than a change waits, so that some are refused.
            trial.wait(4 + 2 * trial.chance.random())
            trial.cluster.heal()

    def heal(self, trial):
        trial.cluster.heal()


class OneWay(Minority):
    summary = "one host hears another no more, which still hears it"

    def run(self, trial):
        for _ in range(self.rounds(trial, 4)):
            one, other = trial.chance.sample(HOSTS, 2)
            trial.cluster.refuse(one, other)
            if trial.chance.random() < 0.5:
                trial.cluster.refuse(one, 6 - one - other)
            trial.wait(2 + 2 * trial.chance.random())
            trial.cluster.heal()
            trial.wait(trial.chance.random())


class Flapping(Fault):
    summary = "links go and come back"

    def run(self, trial):
        for _ in range(self.rounds(trial, 1)):
            host = trial.chance.choice(HOSTS)
            trial.cluster.link(host, "down")
            trial.wait(trial.chance.choice([0.05, 0.3, 1]))
            trial.cluster.link(host, "up")
            trial.wait(trial.chance.choice([0.05, 0.3, 1]))

    def heal(self, trial):
        for host in HOSTS:
            trial.cluster.link(host, "up")


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
    """The answer to a swap that was made never comes: its connector, or the daemon that waits for it, is killed in that moment."""

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


def use(trial, faults):
    """All connectors reach etcd through a proxy."""
    proxy = Proxy([address(host) for host in HOSTS], faults)
    for host in HOSTS:
        trial.cluster.environment["diffabled-etcd", host] = {"ETCD_ENDPOINTS": proxy.endpoints}


class Away(Fault):
    """While a host is away, the others write so much that the log behind it is deleted, and etcd forgets what was deleted."""

    summary = "a host is away while the log is cut behind it and etcd is compacted"
    may_take_states = True
    seconds_min = 8
    # What a run that is short does without.
    must_have_checkpoint = True

    def clients(self, trial):
        made = trial.usual_clients(writers=1)
        return made + [Counter(trial, f"c{host}{letter}", host) for host in HOSTS for letter in "ab"]

    def run(self, trial):
        trial.wait(1)
        away = trial.chance.choice(HOSTS)
        trial.cluster.cut(away)
        if self.must_have_checkpoint:
            await_condition(lambda: (trial.collector.head or {}).get("checkpoint"), "checkpoint", 180)
        trial.wait(max(trial.seconds, self.seconds_min) - 4)
        trial.cluster.etcd.compact()
        trial.tell("etcd is compacted")
        trial.wait(1)
        trial.cluster.heal()
        trial.wait(2)
        place = (trial.collector.head or {}).get("checkpoint")
        trial.notes.append(f"the checkpoint in force is at batch {place['position']['batch']}" if place else "there was no checkpoint")

    def heal(self, trial):
        trial.cluster.heal()


class Compaction(Away):
    summary = "etcd is compacted while a host is away"
    must_have_checkpoint = False


class CheckpointKilled(Fault):
    """The list is long, so that a checkpoint has several parts, and whoever writes one is killed between two of them."""

    summary = "whoever writes a checkpoint is killed midway"
    may_take_states = True

    def clients(self, trial):
        self.filler = Filler(trial, "filler", 1)
        made = [Counter(trial, f"c{host}{letter}", host) for host in HOSTS for letter in "abc"]
        return [*made, *(Subscriber(trial, f"s{host}", host) for host in HOSTS), self.filler]

    def run(self, trial):
        for number in range(5):
            items = [{"id": f"long{number}.{index}", "content": {"text": "x" * 30_000}} for index in range(8)]
            self.filler.fill([{"op": "appendSections", "sections": [{"id": f"long{number}", "items": items}]}])
        await_condition(trial.collector.unfinished_checkpoints, "checkpoint that is being written", 180)
        for host in HOSTS:
            trial.cluster.kill("diffabled-etcd", host)
        left = trial.collector.unfinished_checkpoints()
        trial.notes.append(f"parts of a checkpoint were left at batch {left}" if left else "the checkpoint was done before")
        for host in HOSTS:
            trial.cluster.restart("diffabled-etcd", host)
        await_condition(lambda: (trial.collector.head or {}).get("checkpoint"), "checkpoint", 180)


class SlowSync(Fault):
    summary = "the disks of two members are slow"

    def run(self, trial):
        for _ in range(self.rounds(trial, 10)):
            hosts = trial.chance.sample(HOSTS, 2)
            tracers = [trial.cluster.slow_syncs(host, trial.chance.choice([50, 200, 800])) for host in hosts]
            trial.wait(max(trial.seconds, self.seconds_min) / self.rounds(trial, 10))
            for tracer in tracers:
                tracer.terminate()
                tracer.wait()


class Quota(Fault):
    summary = "etcd is full, and has room again"
    seconds_min = 8

    def prepare(self, trial):
        trial.cluster.options["etcd"] = ["--quota-backend-bytes", str(16 << 20)]

    def run(self, trial):
        etcd = trial.cluster.etcd
        trial.wait(2)
        trial.tell("etcd is filled")
        with contextlib.suppress(NoAnswer):
            for number in range(200):
                etcd.put(f"/other/{number}", "x" * (256 << 10))
        await_condition(etcd.alarms, "alarm that etcd is full")
        trial.wait(max(trial.seconds, self.seconds_min) / 2)
        etcd.delete("/other/")
        etcd.compact()
        for host in HOSTS:
            etcd.defragment(address(host))
        etcd.disarm()
        trial.tell("etcd has room")
        trial.wait(max(trial.seconds, self.seconds_min) / 2)


class Restored(Fault):
    summary = "an older copy of etcd is restored"
    list_may_go = True
    seconds_min = 8

    def run(self, trial):
        seconds = max(trial.seconds, self.seconds_min) / 3
        trial.wait(seconds)
        copy = trial.cluster.save()
        before = trial.collector.epoch
        trial.wait(seconds)
        trial.hold_writers()
        trial.cluster.restore(copy)
        trial.may_write.set()
        trial.wait(seconds)
        await_condition(lambda: trial.collector.epoch not in (None, before), "new epoch")


class Watch(Fault):
    summary = "a proxy drops, repeats and rewinds what a watch says"

    def prepare(self, trial):
        self.watches = WatchFaults(trial.seed)
        use(trial, self.watches)

    def run(self, trial):
        super().run(trial)
        trial.notes.append(str(self.watches))
        if not all(self.watches.done.values()):
            trial.violations.append(("harness", f"the proxy had too little to do: {self.watches}"))

    def heal(self, trial):
        self.watches.is_honest = True


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
        trial.notes.append(f"{sum(counts) / max(trial.seconds, self.seconds_min):.0f}/s; of one writer {counts[0]} to {counts[-1]}, "
                           f"max/min {ratio:.2f}")
        if ratio > self.ratio_max:
            trial.violations.append(("fairness", f"one writer was answered {ratio:.2f} times as often as another: {counts}"))


ALL = {
    "nothing": Fault, "leader": Leader, "minority": Minority, "oneway": OneWay, "flapping": Flapping, "stopped": Stopped,
    "killed": Killed, "compaction": Compaction, "away": Away, "checkpoint": CheckpointKilled, "slowsync": SlowSync, "quota": Quota,
    "restored": Restored, "watch": Watch, "clocks": Clocks, "crowd": Crowd,
}
