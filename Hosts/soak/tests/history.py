"""A small run on two hosts in which every promise is kept, to be doctored: each test breaks one and says what is to be found."""

import copy
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from checker import Checker
from model import Snapshot, digest  # noqa: F401 (for the tests)
from records import Records

EPOCH = "E1"


def insertion(item, **more):
    return {"op": "appendItems", "section": "s", "items": [{"id": item, "content": {"by": item}, **more}]}


class History:
    """Records as a run writes them. Each request takes from one second to the next half."""

    def __init__(self):
        self.records = [{"type": "life", "list": "l", "epoch": EPOCH, "time": 0.0, "seen": 0.0}]
        self.state, self.revision, self.batches, self.numbers, self.clock = Snapshot(), 0, 0, 0, 0.0
        self.chain = ""

    def number(self):
        self.numbers += 1
        return self.numbers

    def request(self, client, host, method, result=None, error=None, begin=None, end=None, **params):
        self.clock += 1
        record = {"type": "request", "id": self.number(), "client": client, "host": host, "begin": begin or self.clock,
                  "end": end or self.clock + 0.5, "method": method, "params": {"list": "l", **params}}
        if result is not None:
            record["result"] = {"list": "l", **result}
        if error is not None:
            record["error"] = {"code": 1, "message": error["name"], "data": error}
        self.records.append(record)
        return record

    def batch(self, client, host, *rows, by=None, **more):
        """Appends operations, each with its key; `more` is said of each, as `lease`."""
        self.batches += 1
        texts = []
        for operations, key in rows:
            row = {"time": 1, "by": [7, 0, by or f"{client}@host{host}"], "operations": operations, **more}
            if key:
                row.update(key=key, digest=1)
            texts.append(row)
            self.revision += bool(operations)
            self.state.apply(operations)
        after, self.chain = self.chain, f"chain{self.batches}"
        text = json.dumps({"version": 1, "batch": self.batches, "after": after, "revision": self.revision,
                           "id": f"x{self.batches}", "host": f"host{host}", "rows": texts})
        self.records.append({"type": "batch", "epoch": EPOCH, "batch": self.batches, "text": text, "time": self.clock})
        self.records.append({"type": "head", "epoch": EPOCH, "time": self.clock, "head": {
            "batch": self.batches, "revision": self.revision, "chain": self.chain, "epoch": EPOCH, "oldest": 1}})

    def transact(self, client, host, operations, key=None, made=None, lease=None, **more):
        """Carried out and acknowledged."""
        params = {"requestKey": key} if key else {}
        request = self.request(client, host, "transact", operations=operations, **params, **more)
        self.batch(client, host, (operations if made is None else made, key), **({"lease": lease} if lease else {}))
        request["result"] = {"list": "l", "revision": self.revision, "changed": (operations if made is None else made) != []}
        return request

    def read(self, client, host, **params):
        return self.request(client, host, "snapshot", result={
            "epoch": EPOCH, "revision": self.revision, "snapshot": self.state.json()}, **params)

    def follow(self, client, host, since=None):
        params = {"list": "l", **({"since": {"epoch": EPOCH, "revision": since}} if since is not None else {})}
        number = self.number()
        self.records.append({"type": "follow", "id": number, "client": client, "host": host, "begin": self.clock, "params": params})
        reply = {"subscription": 1, "list": "l", "epoch": EPOCH, "revision": self.revision}
        self.hear(number, {"id": 1, "result": reply if since is None else {**reply, "resumed": True}})
        if since is None:
            operations = [{"op": "appendSections", "sections": self.state.json()["sections"]}]
            self.hear(number, {"method": "reset", "params": {
                "subscription": 1, "list": "l", "epoch": EPOCH, "revision": self.revision, "reason": "initial",
                "operations": operations if self.state.sections else []}})
        return number

    def changes(self, number, start, operations, revision=None):
        self.hear(number, {"method": "changes", "params": {
            "subscription": 1, "list": "l", "from": start, "revision": revision or self.revision, "operations": operations}})

    def hear(self, number, line):
        self.clock += 0.1
        self.records.append({"type": "heard", "follow": number, "time": self.clock, "line": line})

    # MARK: Doctoring

    def find(self, kind, **members):
        return [record for record in self.records
                if record["type"] == kind and all(record.get(name) == value for name, value in members.items())]

    def row(self, batch):
        """The batch's record, and what its text says, to be written back."""
        record, = self.find("batch", batch=batch)
        return record, json.loads(record["text"])

    def checkpoint(self, batch):
        """One is taken after that batch, as the log leads there."""
        state, revision = Snapshot(), 0
        for number in range(1, batch + 1):
            for row in self.row(number)[1]["rows"]:
                state.apply(row["operations"])
                revision += bool(row["operations"])
        operations = [{"op": "appendSections", "sections": state.json()["sections"]}]
        text = json.dumps({"version": 1, "revision": revision, "operations": operations, "keys": []})
        self.records.append({"type": "checkpoint", "epoch": EPOCH, "batch": batch, "text": text})

    def check(self):
        return Checker(Records(copy.deepcopy(self.records))).violations

    def kinds(self):
        return sorted({kind for kind, _ in self.check()})


def usual():
    """Six revisions: two hosts, a key that is tried twice, an unknown outcome, refusals, a subscriber that goes on elsewhere."""
    history = History()
    history.transact("w1", 1, [{"op": "appendSections", "sections": [{"id": "s"}]}])
    follower = history.follow("s1", 1)
    history.transact("w1", 1, [insertion("a")], key="k1")
    history.changes(follower, 1, [insertion("a")])
    # Host 2 answers the same key with what host 1 did, and host 1 never answered.
    lost = history.request("w2", 1, "transact", operations=[insertion("b")], requestKey="k2")
    history.batch("w2", 1, ([insertion("b")], "k2"))
    again = history.request("w2", 2, "transact", operations=[insertion("b")], requestKey="k2")
    again["result"] = {"list": "l", "revision": 3, "changed": True}
    assert "result" not in lost
    history.changes(follower, 2, [insertion("b")])
    history.request(
        "w1", 1, "transact", error={"name": "revisionMismatch", "list": "l", "revision": 3}, ifRevision=2, operations=[])
    history.request("w1", 2, "transact", error={"name": "noSuchItem", "list": "l", "operation": 0, "item": "z"},
                    operations=[{"op": "deleteItems", "items": ["z"]}])
    history.request("w1", 2, "transact", result={"revision": 3, "changed": False},
                    operations=[{"op": "deleteItems", "items": ["z"], "ifPresent": True}])
    history.transact("w1", 2, [{"op": "deleteItems", "items": ["z"], "ifPresent": True}], key="k3", made=[])
    history.read("r1", 2)
    # Nobody knows what came of this, but for the log.
    history.request("w3", 2, "transact", error={"name": "outcomeUnknown", "list": "l"}, operations=[insertion("c")])
    history.batch("w3", 2, ([insertion("c")], None))
    history.request("w3", 2, "transact", error={"name": "unreachable", "list": "l"}, operations=[insertion("d")])
    history.transact("w1", 1, [{"op": "moveItem", "item": "a", "after": "c"}])
    second = history.follow("s1", 2, since=3)
    history.changes(second, 3, [insertion("c"), {"op": "moveItem", "item": "a", "section": "s", "after": "c"}])
    history.transact("w2", 1, [{"op": "patchItems", "items": [{"id": "b", "content": {"done": True}}]}], key="k4",
                     made=[{"op": "reconfigureItems", "items": [{"id": "b", "content": {"by": "b", "done": True}}]}])
    history.changes(second, 5, [{"op": "reconfigureItems", "items": [{"id": "b", "content": {"by": "b", "done": True}}]}])
    history.request("w1", 1, "undo", ifRevision=6)
    history.batch("w1", 1, ([{"op": "reconfigureItems", "items": [{"id": "b", "content": {"by": "b"}}]}], None))
    history.records[-3]["result"] = {"list": "l", "revision": 7, "changed": True, "summary": {}}
    history.read("final", 1)
    history.read("final", 2)
    history.records.append({"type": "end", "epoch": EPOCH, "revision": 7, "requests": [
        record["id"] for record in history.find("request", client="final")]})
    return history
