"""The most expensive requests of each method: CPU time and bytes of replies for each byte of requests."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from daemon import Daemon
from lines import Client, fill, items, line, repeated
from trial import Attack, Trial
from users import ATTACKER, as_user

LENGTH = 20_000


@dataclass
class Worst:
    method: str
    # Each connection repeats these lines.
    lines: Callable[[int], bytes]
    first: Callable[[int], bytes] = lambda number: b""


def _of(method: str, *requests: dict[str, Any], first: bytes = b"") -> Worst:
    return Worst(method, lambda number: repeated([line(method, **request) for request in requests]), lambda number: first)


LISTS = {"list": "w.long"}
TERMS = {"where": {"or": [{"path": f"/text/{turn}/x", "contains": "zz"} for turn in range(60)]}, "window": {"limit": 1}}
SEARCH = {"search": "absent word here now", "sort": ["/text", "/n"], "window": {"limit": 1}}

WORST = [
    _of("hello", {"name": "n" * 255}),
    _of("restrict", {"lists": [f"{turn}" + "x" * 240 + "*" for turn in range(1_000)]}),
    _of("ping", {}),
    _of("help", {}),
    _of("status", {}),
    _of("clients", {}, first=b"".join(line("subscribe", list=f"none.{turn}", ifAbsent="wait") for turn in range(200))),
    _of("reload", {}),
    _of("lists", {}),
    _of("lists", {"deleted": True}),
    _of("followLists", {"content": True}),
    _of("createList", {"list": "w.long"}),
    _of("createList", {"list": "w.new", "durability": "volatile", "ifAbsent": True}),
    _of("deleteList", {"list": "w.none"}),
    _of("undeleteList", {"list": "w.none"}),
    _of("renameList", {"list": "w.small", "to": "w.small2"}, {"list": "w.small2", "to": "w.small"}),
    _of("snapshot", LISTS),
    _of("snapshot", {**LISTS, "view": TERMS}),
    _of("snapshot", {**LISTS, "view": SEARCH}),
    _of("snapshot", {**LISTS, "at": 3}),
    _of("transact", {**LISTS, "operations": [{"op": "deleteAllItems"}], "dryRun": True}),
    _of("transact", {**LISTS, "operations": [{"op": "reloadSections", "sections": ["all"]}]}),
    _of("transact", {"list": "w.parents", "operations": [{"op": "moveItem", "item": "p", "after": None, "section": "a"}]},
        {"list": "w.parents", "operations": [{"op": "moveItem", "item": "p", "after": None, "section": "b"}]}),
    _of("transact", {"list": "w.patched", "operations": [{"op": "patchItems", "items": [{"id": f"i{turn}", "content": {"a": 1}}
                                                                               for turn in range(100)]}], "dryRun": True}),
    _of("apply", {**LISTS, "snapshot": {"sections": []}, "dryRun": True}),
    _of("apply", {"list": "w.small", "section": "all", "snapshot": items(100)}),
    _of("perform", {**LISTS, "action": "x"}),
    _of("propose", {**LISTS, "operations": [{"op": "deleteAllItems"}], "dryRun": True}),
    _of("expand", {**LISTS, "item": "i1"}),
    _of("handle", {"list": "w.small", "requests": ["perform"], "replace": True, "actions": ["a"]}),
    _of("unhandle", {"handler": 7}),
    _of("answer", {"request": 7}),
    _of("subscribe", {**LISTS, "once": True}),
    _of("subscribe", {**LISTS, "once": True, "deliver": "snapshots"}),
    _of("subscribe", {**LISTS, "once": True, "since": {"epoch": "x", "revision": 1}}),
    _of("setView", {"subscription": 1, "view": SEARCH}, {"subscription": 1, "view": {}}, {"subscription": 1, "view": TERMS},
        first=line("subscribe", **LISTS)),
    _of("unsubscribe", {"subscription": 7}),
    _of("history", {"list": "w.many"}),
    _of("difference", {**LISTS, "from_": 0, "to": 22}, {**LISTS, "from_": 22, "to": 0}),
    _of("undo", {"list": "w.undone"}),
    _of("redo", {"list": "w.undone", "dryRun": True}),
    _of("undo", {"list": "w.undone", "to": 1}, {"list": "w.undone", "to": 3}),
    _of("backup", {}),
    _of("restore", {"replace": True, "more": False}),
    _of("setAccess", {"list": "w.small", "mode": "0600"}),
    _of("setSchemas", {**LISTS, "schemas": {"": {"properties": {"text": {"type": "string"}}}}}),
    _of("schemas", {"list": "w.schemas"}),
    _of("attach", {"host": "x"}),
    _of("mirror", {"list": "w.none"}),
    _of("settle", {"call": 1, "outcome": {}}),
    Worst("no method", lambda number: repeated([b"\n", b"{}\n", b"x\n", b"[]\n", b"\xff\n"])),
]


def _prepare(path: str) -> None:
    client = Client(path)
    fill(client, "w.long", LENGTH, durability="volatile")
    fill(client, "w.small", 10, durability="volatile")
    fill(client, "w.patched", 100, 30_000, durability="volatile")
    client.result(line("createList", list="w.parents", durability="volatile"))
    client.result(line("apply", list="w.parents", snapshot={"sections": [
        {"id": "a", "items": [{"id": "p", "children": items(6_000, 20)}]}, {"id": "b"}]}))
    client.result(line("createList", list="w.many", durability="volatile"))
    for number in range(2000):
        client.result(line("transact", list="w.many", operations=[{"op": "reconfigureList", "content": number}]))
    client.result(line("createList", list="w.undone", durability="volatile"))
    for number in range(4):
        client.result(line("apply", list="w.undone", section="all", snapshot=items(5000, 20, f"u{number}.")))
    client.result(line("createList", list="w.schemas", durability="volatile"))
    client.result(line("setSchemas", list="w.schemas", schemas={"": {"enum": ["x" * 100 + str(turn) for turn in range(1100)]}}))
    for number in range(150):
        client.result(line("createList", list=f"w.one.{number}".ljust(200, "x"), durability="volatile"))
    for number in range(8):
        client.result(line("createList", list=f"w.gone.{number}", durability="volatile"))
        client.result(line("apply", list=f"w.gone.{number}", section="all", snapshot=items(10)))
        client.result(line("deleteList", list=f"w.gone.{number}"))


def _methods(trial: Trial) -> None:
    with trial.daemon() as daemon:
        as_user(ATTACKER, lambda: _prepare(daemon.path))
        with trial.memory(daemon):
            for entry in WORST:
                _one(trial, daemon, entry, 1.5)


def _one(trial: Trial, daemon: Daemon, entry: Worst, seconds: float) -> None:
    child = trial.flood(daemon, 8, entry.lines, first=entry.first)
    begin, time_before = time.monotonic(), daemon.processor_time()
    latencies = trial.measure(daemon, seconds, entry.method)
    told = {"sent": 0, "received": 0}
    # The last report of the child.
    for _ in range(int((time.monotonic() - begin) / 0.5)):
        told = child.told()
    processor_time = daemon.processor_time() - time_before
    child.stop()
    # Includes the CPU time for the victim's requests, which is the same for all methods.
    sent = max(1, told["sent"])
    request = entry.lines(0).partition(b"\n")[0][:60].decode(errors="replace")
    worst = max((latency.p99 for latency in latencies.values()), default=float("inf"))
    trial.outcome.rows.append(
        f"{entry.method:12} {processor_time / sent * 1e6:10.3f} us/byte {told['received'] / sent:10.1f} bytes/byte "
        f"{worst:8.1f} ms  {request}")
    daemon.rest()


ATTACKS = [Attack("the worst request of each method", _methods, "3 x idle p99 or 20 ms", is_brief=False)]
