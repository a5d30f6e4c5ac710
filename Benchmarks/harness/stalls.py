"""Measures how long other clients wait during a long request for a list of a million items."""

import multiprocessing
import os
import time

from lists import MILLION
from machine import CLIENT_CORE
from servers import Client, running

BATCH = 5_000
# How long the bystander rests between two transactions, in seconds.
PAUSE = 0.0005
# Room for all that is changed here.
LONG_PAST = "historyLengthMax: 1073741824\npastLengthMax: 1073741824\n"


def stalls(bench, round_number):
    """Each row is a request, and the longest wait of another client for its small transactions during it."""
    with running("diffabled", core=None, configuration=LONG_PAST) as server:
        with Client(server) as client, Bystander(server) as bystander:
            _fill(client)
            for what, steps in _works(client):
                bench.patience.wait()
                for step in steps[:-1]:
                    step()
                begin = time.perf_counter()
                steps[-1]()
                # What is freed is freed a little later.
                time.sleep(0.5)
                end = time.perf_counter()
                waits = bystander.waits(begin, end)
                bench.record(
                    "stall", round_number, True, server="diffabled", what=what, seconds=end - begin - 0.5,
                    transactions=len(waits), longest=max(waits), median=sorted(waits)[len(waits) // 2])


def _works(client):
    """The requests, each with a preparation that is not measured."""
    window = {"limit": 50}

    def subscribe(**view):
        number = client.request("subscribe", list="load", view=view)["subscription"]
        client.await_group("reset", number)
        return number

    def nothing():
        time.sleep(1)

    def difference():
        client.request("difference", list="load", **revisions)

    numbers, revisions = {}, {}

    def follow(name, **view):
        numbers[name] = subscribe(**view)

    def change(count):
        revisions["from"] = _revision(client)
        _reconfigure(client, count)
        revisions["to"] = _revision(client)

    return [
        ("nothing", [nothing]),
        ("the first view with a `sort`", [lambda: follow("sort", sort=["/rank"], window=window)]),
        ("the first view with a `where`", [
            lambda: follow("where", where={"path": "/state", "equals": "open"}, window=window)]),
        ("a view with a `search`", [lambda: follow("search", search="open 77", window=window)]),
        ("a `window` in the middle", [lambda: follow("window", window={"offset": MILLION // 2, "limit": 50})]),
        ("another `where`, by `setView`", [lambda: client.request(
            "setView", subscription=numbers["where"],
            view={"where": {"path": "/state", "equals": "done"}, "window": window})]),
        ("100,000 changed contents, seen through these views", [lambda: change(100_000)]),
        ("`difference` over 100,000 changed contents", [difference]),
        ("the end of the views", [lambda: [client.request("unsubscribe", subscription=numbers[name])
                                          for name in ("sort", "where", "search", "window")]]),
        ("the end of a list", [lambda: client.request("deleteList", list="load")]),
    ]


def _revision(client):
    return client.request("history", list="load", limit=1)["revision"]


def _content(number, state):
    return {"rank": number * 7_919 % MILLION, "state": state, "text": "x" * 60}


def _fill(client):
    for first in range(0, MILLION, BATCH):
        items = [{"id": f"item-{number:011d}", "content": _content(number, "open" if number % 3 else "done")}
                 for number in range(first, first + BATCH)]
        client.request("transact", list="load", operations=[{"op": "appendItems", "section": "s", "items": items}])


def _reconfigure(client, count):
    """All over the list, in one transaction in parts."""
    step, batch = MILLION // count, 5_000
    for first in range(0, count, batch):
        items = [{"id": f"item-{number * step:011d}", "content": _content(number, "changed")}
                 for number in range(first, first + batch)]
        client.request(
            "transact", list="load", more=first + batch < count,
            operations=[{"op": "reconfigureItems", "items": items}])


class Bystander:
    """A process that changes a list of its own, one small transaction after the other."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        self._pipe, pipe = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=self._transact, args=(pipe,), daemon=True)
        self._process.start()
        pipe.close()
        self._pipe.recv()
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.join()

    def waits(self, begin, end):
        """Returns the waits, in seconds, of the transactions that were in flight between two times."""
        self._pipe.send((begin, end))
        return self._pipe.recv()

    def _transact(self, pipe):
        os.sched_setaffinity(0, {CLIENT_CORE})
        times = []
        with Client(self.server) as client:
            client.request("createList", list="small", durability="volatile")
            client.request("transact", list="small", operations=[
                {"op": "appendSections", "sections": [{"id": "s", "items": [{"id": "a"}, {"id": "b"}]}]}])
            pipe.send(None)
            for number in range(10**9):
                anchor = {"before" if number % 2 else "after": "a"}
                begin = time.perf_counter()
                client.request("transact", list="small", operations=[{"op": "moveItem", "item": "b", **anchor}])
                times.append((begin, time.perf_counter()))
                if pipe.poll():
                    from_time, to_time = pipe.recv()
                    pipe.send([end - begin for begin, end in times if end > from_time and begin < to_time])
                    times.clear()
                time.sleep(PAUSE)
