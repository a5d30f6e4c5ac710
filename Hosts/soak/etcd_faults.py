"""Faults of etcd."""

import contextlib

from cluster import HOSTS, address, await_condition
from fault import Fault
from gateway import NoAnswer

from clients import Counter, Filler, Subscriber


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


class Away(Fault):
    """While a host is away, the others write until the log that it still needs is deleted, and etcd is compacted."""

    summary = "a host is away while the log is cut behind it and etcd is compacted"
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
        trial.notes.append(
            f"the checkpoint in force is at batch {place['position']['batch']}" if place else "there was no checkpoint")

    def heal(self, trial):
        trial.cluster.heal()


class Compaction(Away):
    summary = "etcd is compacted while a host is away"
    must_have_checkpoint = False


class CheckpointKilled(Fault):
    """The list is long, so that a checkpoint has several parts, and the daemon that writes one is killed between two of them."""

    summary = "whoever writes a checkpoint is killed midway"

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
