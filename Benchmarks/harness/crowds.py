"""Measures how long other clients wait while many clients begin to follow a long list, or receive all of it repeatedly, and while
one client changes all of it; and the cost of many new followers compared with one."""

import json
import multiprocessing
import selectors
import socket
import time

from machine import processor_seconds
from servers import Client, running
from stalls import LONG_PAST, Bystander

MILLION = 1_000_000
BATCH = 5_000
# What is freed is freed a little later, in seconds.
AFTERMATH = 0.5
SNAPSHOT_SECONDS, SNAPSHOT_CHANGES = 4, 10


def crowds(bench, round_number):
    """Each row is an activity, and the longest wait of another client for its small transactions during it."""
    with running("diffabled", core=None, configuration=LONG_PAST) as server:
        with Bystander(server) as bystander:
            def measure(what, work, **figures):
                bench.patience.wait()
                begin = time.perf_counter()
                work()
                took = time.perf_counter() - begin
                time.sleep(AFTERMATH)
                waits = bystander.waits(begin, time.perf_counter())
                bench.record(
                    "stall", round_number, True, server="diffabled", what=what, seconds=took, transactions=len(waits),
                    longest=max(waits), median=sorted(waits)[len(waits) // 2], **figures)

            for count, items in ((100, 100_000), (20, MILLION)):
                _with_list(server, items, lambda: _begin(bench, round_number, server, measure, count, items))
            _with_list(server, 200_000, lambda: measure(
                "10 who are sent snapshots of 200,000 items, beside 10 changes a second", lambda: _send_snapshots(server)))
            for items in (100_000, MILLION):
                _with_list(server, items, lambda: _change_all(server, measure, items))


def _with_list(server, items, work):
    with Client(server) as client:
        client.request("createList", list="crowd", durability="volatile")
        for line in _parts(items, "old", "transact"):
            client.send_line(line)
        work()
        client.request("deleteList", list="crowd")
    time.sleep(AFTERMATH)


def _parts(items, state, method):
    """Yields the lines that make a list of `items` items."""
    for first in range(0, items, BATCH):
        rows = [{"id": f"item-{number:011d}", "content": {"rank": number, "state": state, "text": "x" * 60}}
                for number in range(first, first + BATCH)]
        operations = [{"op": "appendItems", "section": "s", "items": rows}]
        if first == 0:
            operations.insert(0, {"op": "appendSections", "sections": [{"id": "s"}]})
        yield json.dumps({
            "id": 1, "method": method,
            "params": {"list": "crowd", "operations": operations, "more": first + BATCH < items},
        }, separators=(",", ":")).encode() + b"\n"


# MARK: Those who begin

def _begin(bench, round_number, server, measure, count, items):
    def processor_time(readers):
        before = processor_seconds(server.pid)
        with Readers(server, readers) as crowd:
            crowd.read_whole()
        return processor_seconds(server.pid) - before

    bench.record("beginning", round_number, True, server="diffabled", readers=1, items=items, processor=min(
        processor_time(1) for _ in range(5)))
    measure(f"{count} begin with a list of {items:,} items", lambda: bench.record(
        "beginning", round_number, True, server="diffabled", readers=count, items=items, processor=processor_time(count)))


class Readers:
    """A process that follows a list by many connections, and reads them as fast as they come."""

    def __init__(self, server, count, **parameters):
        self.server, self.count = server, count
        self.request = json.dumps({"id": 1, "method": "subscribe", "params": {"list": "crowd", **parameters}})

    def __enter__(self):
        self._pipe, pipe = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=self._read, args=(pipe,), daemon=True)
        self._process.start()
        pipe.close()
        self._pipe.recv()
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.join()

    def read_whole(self):
        """Waits until each of them has received the list."""
        self._pipe.send(None)
        self._pipe.recv()

    def read(self, seconds):
        """Reads for this time; returns the number of bytes received."""
        self._pipe.send(seconds)
        return self._pipe.recv()

    def _read(self, pipe):
        connections = []
        for _ in range(self.count):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(self.server.socket))
            connections.append(connection)
        pipe.send(None)
        seconds = pipe.recv()
        selector = selectors.EpollSelector()
        for connection in connections:
            connection.sendall(self.request.encode() + b"\n")
            selector.register(connection, selectors.EVENT_READ, bytearray())
        room = memoryview(bytearray(1 << 18))
        left, received = self.count, 0
        end = time.monotonic() + (300 if seconds is None else seconds)
        while left and time.monotonic() < end:
            for key, _ in selector.select(0.1):
                length = key.fileobj.recv_into(room)
                received += length
                if length == 0:
                    raise RuntimeError("a subscriber was cut off")
                # The last bytes of what has come: nothing follows the end of a reset.
                key.data[:] = (key.data + room[max(0, length - 20):length])[-20:]
                if seconds is None and key.data.endswith(b"]}}\n") and not key.data.endswith(b'"more":true}}\n'):
                    selector.unregister(key.fileobj)
                    left -= 1
        pipe.send(received)
        pipe.recv()


# MARK: Snapshots again and again

def _send_snapshots(server):
    with Readers(server, 10, deliver="snapshots") as readers, Client(server) as client:
        changer = multiprocessing.Process(target=_change_slowly, args=(server,), daemon=True)
        changer.start()
        readers.read(SNAPSHOT_SECONDS)
        changer.join()
        client.request("ping")


def _change_slowly(server):
    with Client(server) as client:
        for number in range(SNAPSHOT_SECONDS * SNAPSHOT_CHANGES):
            client.request("transact", list="crowd", operations=[
                {"op": "reconfigureItems", "items": [{"id": f"item-{number * 1_000:011d}", "content": number}]}])
            time.sleep(1 / SNAPSHOT_CHANGES)


# MARK: Large changes

def _change_all(server, measure, items):
    """The lines are made before."""
    with Client(server) as client:
        lines = list(_parts(items, "new", "apply"))
        measure(f"`apply` of {items:,} different contents", lambda: _send(client, lines))
        transaction = list(_parts(items, "newer", "transact"))
        transaction[0] = transaction[0].replace(
            b'"operations":[', b'"operations":[{"op":"deleteSections","sections":["s"]},', 1)
        measure(f"`transact` of {items:,} items for others", lambda: _send(client, transaction))
        dry_run = [line.replace(b'"list":', b'"dryRun":true,"list":', 1) for line in lines]
        measure(f"a dry run of the `apply` of {items:,}", lambda: _send(client, dry_run))
        measure(f"`undo` of {items:,} items", lambda: client.request("undo", list="crowd"))


def _send(client, lines):
    for line in lines:
        client.send_line(line)
