"""Measures the cost of typed items in a Swift program, compared with undecoded contents, when one item of many changes."""

import subprocess

from machine import CLIENT_CORE, processor_seconds, spawn, stop
from servers import BINARIES, Client, running

FOLLOWER = BINARIES / "FollowingBenchmark"
ITEMS, CHANGES, WARMING = 100_000, 4_000, 200


def typed(bench, round_number):
    if not FOLLOWER.exists():
        raise RuntimeError(f"there is no {FOLLOWER}; make programs builds it")
    for kind in ("untyped", "typed"):
        with running("diffabled") as server, Client(server) as client:
            _fill(client)
            bench.patience.wait()
            follower = spawn([FOLLOWER, server.socket, "load", kind], CLIENT_CORE, stdout=subprocess.PIPE, text=True)
            try:
                figures = _follow(bench, client, follower)
                bench.record("typed", round_number, True, server="diffabled", kind=kind, **figures)
            finally:
                stop(follower)
                follower.stdout.close()


def _content(number, text="Write to them"):
    words = f"{text}, at last, as it was promised in {number}"
    return {"text": words, "done": number % 2 == 0, "due": number * 7_919 % ITEMS}


def _fill(client):
    for first in range(0, ITEMS, 5_000):
        items = [{"id": f"item-{number:07d}", "content": _content(number)} for number in range(first, first + 5_000)]
        client.request("transact", list="load", operations=[{"op": "appendItems", "section": "s", "items": items}])


def _follow(bench, client, follower):
    """Processor time: of the first state, and of each change, which is made when the one before was shown."""
    revision, decoded = _shown(follower)
    first = processor_seconds(follower.pid)

    def change(step):
        nonlocal revision, decoded
        number = step * 7_907 % ITEMS
        item = {"id": f"item-{number:07d}", "content": _content(number, f"Step {step}")}
        made = client.request("transact", list="load", operations=[{"op": "reconfigureItems", "items": [item]}])
        while revision < made["revision"]:
            revision, decoded = _shown(follower)

    for step in range(WARMING):
        change(step)
    count = bench.count(CHANGES)
    before, decoded_before = processor_seconds(follower.pid), decoded
    for step in range(WARMING, WARMING + count):
        change(step)
    return {"first": first, "processor": (processor_seconds(follower.pid) - before) / count,
            "decoded": (decoded - decoded_before) / count}


def _shown(follower):
    line = follower.stdout.readline()
    if not line:
        raise RuntimeError("the follower has ended")
    revision, decoded = line.split()
    return int(revision), int(decoded)
