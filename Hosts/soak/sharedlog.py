"""A list's log as the engine had it: the order in which everything has happened."""

import json
from dataclasses import dataclass

from model import Refusal, Snapshot, asks_to_draw_again


@dataclass
class Row:
    """The row of one request: `revision` is the list's after it, the same as before if it changed nothing."""

    batch: int
    revision: int
    operations: list
    host: str
    name: str = ""
    key: str = ""
    is_reload: bool = False
    # Of its key, the method and what it asked for.
    number: int = 0
    # Who holds what it puts in, and who holds nothing any more: a host, a life of its daemon, and a number.
    lease: tuple = ()
    ended: tuple = ()

    @property
    def is_change(self):
        return bool(self.operations)

    @property
    def client(self):
        """Without the host."""
        return self.name.rpartition("@")[0]


class Log:
    """One life of a list: its batches in order, from the first or from a checkpoint on."""

    def __init__(self, epoch, records, report):
        self.epoch = epoch
        self.rows = []
        # Of the list, after each batch.
        self.revisions = {}
        self.first, self.base, self.base_revision = 1, Snapshot(), 0
        self.batches = self._unique([batch for batch in records.batches if batch["epoch"] == epoch], report)
        self.checkpoints = {record["batch"]: record for record in records.checkpoints if record["epoch"] == epoch}
        self.heads = [record["head"] for record in records.heads if record["epoch"] == epoch]
        self._begin(report)
        self._read(report)

    def _unique(self, records, report):
        batches = {}
        for record in records:
            known = batches.setdefault(record["batch"], record["text"])
            if known != record["text"]:
                report("rewritten", f"batch {record['batch']} of {self.epoch} had two texts")
        return batches

    def _begin(self, report):
        if not self.batches or min(self.batches) == 1:
            return
        # What a restored engine had begins with a checkpoint.
        places = [batch for batch in self.checkpoints if batch + 1 >= min(self.batches)]
        if not places:
            return report("gap", f"the log of {self.epoch} begins with batch {min(self.batches)}, and no checkpoint leads there")
        self.first = min(places) + 1
        self.base, self.base_revision = state(self.checkpoints[self.first - 1]["text"])

    def _read(self, report):
        revision = self.revision = self.base_revision
        after, chains = None, {head["batch"]: head["chain"] for head in self.heads}
        last = max([*self.batches, *(head["batch"] for head in self.heads)], default=0)
        for number in range(self.first, last + 1):
            if number not in self.batches:
                return report("gap", f"batch {number} of {self.epoch} is missing; the head is at {last}")
            batch = json.loads(self.batches[number])
            if batch["batch"] != number:
                report("misplaced", f"batch {number} of {self.epoch} says that it is {batch['batch']}")
            expected = chains.get(number - 1, after)
            if expected is not None and batch["after"] != expected:
                report("chain", f"batch {number} of {self.epoch} follows {batch['after']}, and the head before was {expected}")
            for row in batch["rows"]:
                self.revision = revision = revision + bool(row["operations"])
                identity = row.get("by") or [0, 0, None]
                self.rows.append(Row(
                    number, revision, row["operations"], batch["host"], identity[2] or "", row.get("key", ""),
                    row.get("reload", False), len(self.rows), tuple(row.get("lease", ())), tuple(row.get("endedLease", ()))))
            self.revisions[number] = revision
            if batch["revision"] != revision:
                report(
                    "revision", f"batch {number} of {self.epoch} says revision {batch['revision']}, and its rows lead to "
                    f"{revision}")
        for head in self.heads:
            if head["batch"] == last and head["revision"] != revision:
                report("revision", f"the head of {self.epoch} says {head['revision']}, and the log leads to {revision}")

    def states(self, report):
        """Each row with the state before and after it; one copy at a time."""
        state = self.base.copy()
        for row in self.rows:
            before = state.copy()
            try:
                state.apply(row.operations)
            except Refusal as refusal:
                return report("log", f"revision {row.revision} of {self.epoch} does not fit what is before it: {refusal.name} "
                                     f"{refusal.about}")
            yield row, before, state


def state(text):
    """Reads a checkpoint's text: the state, and its revision."""
    whole = json.loads(text)
    made = Snapshot()
    made.apply(whole["operations"])
    return made, whole["revision"]


def effect(request, before, past):
    """Returns the digest of the state after a request, and whether it differs. Raises the refusal.

    `past` finds the digest of an earlier revision."""
    if request.method == "undo":
        to = request.params.get("to")
        found = past(to)
        return found, found != before.digest()
    after = before.copy()
    if request.method == "apply":
        after.apply_state(request.params["snapshot"], request.params.get("section"))
        is_change = request.params.get("usingReloadData", False)
    else:
        after.apply(request.params["operations"])
        is_change = asks_to_draw_again(request.params["operations"])
    found = after.digest()
    return found, is_change or found != before.digest()
