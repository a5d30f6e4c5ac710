"""Measures the cost of `diffable-feed`, and the time from a commit to the list, compared with reading and applying all rows."""

import contextlib
import json
import random
import shutil
import sqlite3
import time
from pathlib import Path

from machine import found, processor_seconds, resident_bytes, scratch, spawn, stop, switches, timed
from servers import BINARIES, DIFFABLECTL, Client, running

FEED = BINARIES / "diffable-feed"
QUERY = "SELECT id, name AS text, n FROM t ORDER BY id"
COMMITS, REPETITIONS = 200, 5
# How long it is watched while nothing happens, and while everything fails, in seconds.
IDLE, FAILING = 20, 20


def feeds(bench, round_number):
    for rows, changed, times in ((1_000, 1, bench.count(COMMITS)), (100_000, 10, REPETITIONS)):
        with _database(rows) as database, running("diffabled", durability=None) as server:
            waits = sorted(_waits(server, database, changed, times))
            bench.record(
                "commit", round_number, True, server="diffabled", rows=rows, median=waits[len(waits) // 2],
                high=waits[len(waits) * 95 // 100], longest=waits[-1])
            if rows == 100_000 and found("sqlite3"):
                bench.record("applied", round_number, True, server="sqlite3", **_applied(server, database))
    with _database(100) as database, running("diffabled", durability=None) as server:
        bench.record("idle feeds", round_number, True, server="diffabled", **_idle(server, database))
    with running("diffabled", durability=None) as server:
        bench.record("failing feeds", round_number, True, server="diffabled", **_failing(server))


@contextlib.contextmanager
def _database(rows):
    directory = scratch("feeds")
    try:
        path = Path(directory) / "table.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, n INTEGER)")
            database.executemany(
                "INSERT INTO t VALUES (?, ?, 0)", ((number, f"Row number {number} of {rows}") for number in range(rows)))
            database.commit()
        yield path
    finally:
        shutil.rmtree(directory)


@contextlib.contextmanager
def _feeding(server, directory, feeds):
    """JSON is YAML, too."""
    configuration = Path(directory) / "feeds.yaml"
    configuration.write_text(json.dumps(feeds))
    process = spawn([FEED, "--socket", server.socket, "--config", configuration])
    try:
        yield process
    finally:
        stop(process)


def _waits(server, path, changed, times):
    """From the end of each commit to the change in the hands of a subscriber, in seconds."""
    feed = {"list": "rows", "sqlite": str(path), "query": QUERY, "id": ".id", "durability": "volatile"}
    with _feeding(server, path.parent, [feed]), Client(server) as client, \
            contextlib.closing(sqlite3.connect(path)) as database:
        rows, = database.execute("SELECT count(*) FROM t").fetchone()
        _await(lambda: any(known["list"] == "rows" and known["items"] == rows for known in _lists(client)))
        number = client.request("subscribe", list="rows", view={"where": {"path": "/n", "atLeast": 1}})["subscription"]
        client.await_group("reset", number)
        for step in range(1, times + 1):
            time.sleep(random.uniform(0.02, 0.1) if changed == 1 else 2)
            with database:
                for row in random.sample(range(rows), changed):
                    database.execute("UPDATE t SET n = ? WHERE id = ?", (step, row))
            begin = time.perf_counter()
            client.await_group("changes", number)
            yield time.perf_counter() - begin


def _applied(server, path):
    """Measures the alternative to a feed in wall and CPU time. It runs once before, so that the list exists."""
    with Client(server) as client:
        client.request("createList", list="copy", durability="volatile")
    line = f"sqlite3 -json '{path}' '{QUERY}' | '{DIFFABLECTL}' apply copy -q --socket '{server.socket}'"
    timed(["/bin/sh", "-c", line])
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE t SET n = n + 1 WHERE id < 10")
    return timed(["/bin/sh", "-c", line])


def _idle(server, path):
    """Ten feeds, none of which has a time."""
    feeds = [{"list": f"rows{number}", "sqlite": str(path), "query": QUERY, "id": ".id"} for number in range(10)]
    with _feeding(server, path.parent, feeds) as process, Client(server) as client:
        _await(lambda: len(_lists(client)) == 11)
        # What is looked at for some seconds after a write is over then.
        time.sleep(8)
        before, processor = switches(process.pid), processor_seconds(process.pid)
        time.sleep(IDLE)
        after = switches(process.pid)
        return {"wakeUps": sum(count - before.get(thread, 0) for thread, count in after.items()) * 60 / IDLE,
                "processor": (processor_seconds(process.pid) - processor) / IDLE, "resident": resident_bytes(process.pid)}


def _failing(server):
    """A hundred, each of which would run ten times a second if it did not fail."""
    directory = scratch("feeds")
    try:
        feeds = [{"list": f"broken{number}", "command": ["/bin/false"], "every": "100ms"} for number in range(100)]
        with _feeding(server, directory, feeds) as process:
            # As long as the pauses are short, it is the commands that cost.
            time.sleep(30)
            before = processor_seconds(process.pid)
            time.sleep(FAILING)
            return {"share": (processor_seconds(process.pid) - before) / FAILING}
    finally:
        shutil.rmtree(directory)


def _lists(client):
    return client.request("lists")["lists"]


def _await(is_so):
    end = time.monotonic() + 120
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError("the feeds bring nothing")
        time.sleep(0.01)
