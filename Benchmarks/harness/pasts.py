"""Measures the startup time and the memory of histories, with many lists and with long histories."""

import json
import time

from lists import time_to_ready
from machine import resident_bytes, scratch
from servers import Client, running

# What there is by default keeps fewer lists, and less of their pasts.
SETTINGS = "listsMax: 100000\nlistsPerUserMax: 100000\nhistoryLengthMax: 4294967296\npastLengthMax: 1099511627776\n"
# So many requests are sent ahead.
AHEAD = 200
# By then upkeep is done.
REST = 10


def pasts(bench, round_number):
    """Measures the time to READY=1, and the daemon's memory then."""
    for what, lists, items, changes in (("many lists", 20_000, 10, 0), ("long pasts", 1_000, 100, bench.count(800))):
        directory = bench.prepared(what, lambda _: _prepare(lists, items, changes))
        bench.patience.wait()
        bench.record(
            "start of " + what, round_number, True, server="diffabled", lists=lists, changes=changes,
            **time_to_ready(directory, SETTINGS))


def _prepare(lists, items, changes):
    """A state directory as a daemon leaves it that stops after a rest."""
    directory = scratch("pasts")
    names = [f"list {number}" for number in range(lists)]
    rows = [{"id": f"{number}", "content": {"text": "x" * 60, "n": 0}} for number in range(items)]
    whole = [{"op": "appendSections", "sections": [{"id": "s", "items": rows}]}]
    with running(
        "diffabled", durability=None, core=None, directory=directory, configuration=SETTINGS
    ) as server, Client(server) as client:
        _ask(client, "createList", ({"list": name} for name in names))
        _ask(client, "transact", ({"list": name, "operations": whole} for name in names))
        for change in range(changes):
            patch = [{"op": "patchItems", "items": [{"id": f"{change % items}", "content": {"n": change + 1}}]}]
            _ask(client, "transact", ({"list": name, "operations": patch} for name in names))
        time.sleep(REST)
        print(f"bench: {lists} lists with {changes} changes each: {resident_bytes(server.pid) >> 20} MiB")
    return directory


def _ask(client, method, parameters):
    lines = [json.dumps({"id": 1, "method": method, "params": each}).encode() + b"\n" for each in parameters]
    for first in range(0, len(lines), AHEAD):
        some = lines[first:first + AHEAD]
        client.socket.sendall(b"".join(some))
        for _ in some:
            answer = json.loads(client.lines.readline())
            if "error" in answer:
                raise RuntimeError(answer["error"]["message"])
