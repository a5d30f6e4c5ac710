"""Measures the cost of views: many views of one list, a search as it is typed, and a window over many sections."""

import json
import selectors
import socket
import time

from lists import MILLION
from machine import processor_seconds
from servers import Client, running

ITEMS, VIEWS, SEARCHES, SECTIONS = 100_000, 1_000, 100, 100_000
# Views of one connection.
SHARE = 50
CHANGES = 400


def views(bench, round_number):
    for what, count, view, concerned in _kinds():
        with running("diffabled", core=None) as server, Client(server) as client:
            _fill(client, ITEMS)
            bench.patience.wait()
            # What the first view shows.
            shown = [number for number in range(ITEMS) if concerned(_content(number)) == 0]
            for followers in (1, count):
                _set(client, shown, "Write to them")
                with Followers(server) as subscribers:
                    seconds = subscribers.subscribe([view(number) for number in range(followers)])
                    bench.record(
                        "views", round_number, True, server="diffabled", what=what, views=followers, subscribing=seconds,
                        told=_told_changes(bench, server, client, subscribers, shown),
                        # Others than for the one view, which have been changed already.
                        **_changes(bench, server, client, subscribers, followers * CHANGES,
                                   lambda content: concerned(content) < followers))
    _search(bench, round_number)
    _sections(bench, round_number)


def _kinds():
    """Each view shows a thousandth of the list. The last is the number of the view that shows a content."""
    width = ITEMS // VIEWS
    return [
        ("equality", VIEWS, lambda number: {"where": {"path": "/owner", "equals": f"owner-{number:06d}"}},
         lambda content: int(content["owner"][6:])),
        ("ranges", VIEWS, lambda number: {
            "where": {"path": "/rank", "atLeast": number * width, "lessThan": (number + 1) * width}},
         lambda content: content["rank"] // width),
        ("prefixes", VIEWS, lambda number: {"where": {"path": "/name", "prefix": f"name-{number:03d}"}},
         lambda content: int(content["name"][5:8])),
        ("search", SEARCHES, lambda number: {"search": f"name-{number:03d}"},
         lambda content: int(content["name"][5:8])),
    ]


def _content(number, text="Write to them"):
    return {"owner": f"owner-{number % VIEWS:06d}", "rank": number * 7_919 % ITEMS,
            "name": f"name-{number * 31 % VIEWS:03d}-{number:07d}", "text": text}


def _fill(client, count):
    for first in range(0, count, 5_000):
        items = [{"id": f"item-{number:07d}", "content": _content(number)} for number in range(first, first + 5_000)]
        client.request("transact", list="load", operations=[{"op": "appendItems", "section": "s", "items": items}])


def _changes(bench, server, client, subscribers, first, is_seen):
    """Measures changes of one item each, starting with change `first`. If there are many views, the item moves from one to another.
    The next change is sent when all subscribers that see the previous one have received it."""
    count = bench.count(CHANGES)

    def change(step):
        number = step * 7_907 % ITEMS
        old, new = _content(number), _content(number + step % 3, f"Step {step}")
        client.request("transact", list="load", operations=[
            {"op": "reconfigureItems", "items": [{"id": f"item-{number:07d}", "content": new}]}])
        # Where it goes within one view, that is told once.
        subscribers.receive(is_seen(old) + is_seen(new) if step % 3 else is_seen(old))

    for step in range(first, first + 20):
        change(step)
    before, begin = processor_seconds(server.pid), time.perf_counter()
    for step in range(first + 20, first + 20 + count):
        change(step)
    return {"processor": (processor_seconds(server.pid) - before) / count,
            "wall": (time.perf_counter() - begin) / count}


def _told_changes(bench, server, client, subscribers, shown):
    """Measures the CPU time for a change that only the first view receives: the share of the other views in the same work."""
    count = bench.count(CHANGES)

    def change(step):
        _set(client, [shown[step % len(shown)]], f"Told {step}")
        subscribers.receive(1)

    for step in range(20):
        change(step)
    before = processor_seconds(server.pid)
    for step in range(20, 20 + count):
        change(step)
    return (processor_seconds(server.pid) - before) / count


def _set(client, numbers, text):
    client.request("transact", list="load", operations=[{"op": "reconfigureItems", "items": [
        {"id": f"item-{number:07d}", "content": _content(number, text)} for number in numbers]}])


class Followers:
    """Connections that follow the list through views."""

    def __init__(self, server):
        self.server = server
        self.selector = selectors.DefaultSelector()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def subscribe(self, all_views):
        """Subscribes with all views; returns the seconds until each has received its state."""
        lines = [b"%b\n" % json.dumps(
            {"id": 1, "method": "subscribe", "params": {"list": "load", "view": view}}).encode() for view in all_views]
        begin = time.perf_counter()
        for first in range(0, len(lines), SHARE):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(self.server.socket))
            connection.sendall(b"".join(lines[first:first + SHARE]))
            connection.setblocking(False)
            self.selector.register(connection, selectors.EVENT_READ, bytearray())
        self._await(len(lines), lambda line: b'"method":"reset"' in line[:60] and not line.endswith(b'"more":true}}'))
        return time.perf_counter() - begin

    def receive(self, count):
        """Reads until `count` updates have arrived."""
        self._await(count, lambda line: b'"method":"changes"' in line[:60])

    def _await(self, count, is_counted):
        """Reads until `count` lines that `is_counted` accepts have arrived."""
        deadline = time.perf_counter() + 120
        while count > 0:
            if time.perf_counter() > deadline:
                raise RuntimeError(f"subscribers still wait for {count} lines")
            for key, _ in self.selector.select(1):
                key.data.extend(key.fileobj.recv(1 << 20))
                *whole, rest = bytes(key.data).split(b"\n")
                key.data[:] = rest
                count -= sum(map(is_counted, whole))


def _search(bench, round_number):
    """A word is typed, letter by letter, with a window as viewers have."""
    with running("diffabled", core=None) as server, Client(server) as client:
        _fill(client, MILLION)
        subscription = client.request("subscribe", list="load", view={"window": {"limit": 50}})["subscription"]
        bench.patience.wait()
        seconds = {}
        for name, word in (("first", "name-12"), ("narrowed", "name-123"), ("again", "name-123-1")):
            begin = time.perf_counter()
            client.request("setView", subscription=subscription, view={"search": word, "window": {"limit": 50}})
            seconds[name] = time.perf_counter() - begin
        bench.record("search of a million", round_number, True, server="diffabled", **seconds)


def _sections(bench, round_number):
    with running("diffabled", core=None) as server, Client(server) as client:
        for first in range(0, SECTIONS, 5_000):
            sections = [{"id": f"section-{number:06d}", "items": [{"id": f"item-{number:07d}", "content": _content(number)}]}
                        for number in range(first, first + 5_000)]
            client.request("transact", list="load", operations=[{"op": "appendSections", "sections": sections}])
        client.request("subscribe", list="load", view={"window": {"offset": SECTIONS // 2, "limit": 50}})
        bench.patience.wait()
        count = bench.count(CHANGES)
        times = {"outside": [], "inside": [], "inserted": []}
        for step in range(count):
            for what, operation in (
                    ("outside", {"op": "reconfigureItems", "items": [
                        {"id": f"item-{step:07d}", "content": _content(step, f"Step {step}")}]}),
                    ("inside", {"op": "reconfigureItems", "items": [
                        {"id": f"item-{SECTIONS // 2 + 7:07d}", "content": _content(step, f"Step {step}")}]}),
                    ("inserted", {"op": "insertItems", "after": f"item-{step:07d}", "items": [{"id": f"new-{step}"}]})):
                begin = time.perf_counter()
                client.request("transact", list="load", operations=[operation])
                times[what].append(time.perf_counter() - begin)
        bench.record("window over sections", round_number, True, server="diffabled",
                     **{what: sorted(values)[len(values) // 2] for what, values in times.items()})
