"""One user floods the daemon with one kind of request."""

import socket
import time
from collections.abc import Callable
from functools import cache

from lines import Client, fill, items, line, repeated
from trial import Attack, Trial
from users import NEWCOMER, Teller, as_user

LENGTH = 20_000


def _long(client: Client) -> None:
    fill(client, "a.long", LENGTH, durability="volatile")


def _longest(client: Client) -> None:
    fill(client, "a.long", 5 * LENGTH, durability="volatile")


def _flood(connections: int, payload: Callable[[int], bytes], before: Callable[[Client], object] = _long,
           first: Callable[[int], bytes] = lambda number: b"") -> Callable[[Trial], None]:
    """Returns an attack that sends requests without end."""
    def run(trial: Trial) -> None:
        with trial.daemon() as daemon:
            trial.prepare(daemon, before)
            with trial.memory(daemon):
                trial.flood(daemon, min(connections, 100) if trial.is_brief else connections, payload, first=first)
                time.sleep(0.3 if trial.is_brief else 2)
                trial.measure(daemon)
    return run


def _nothing(client: Client) -> None:
    pass


def _searches(number: int) -> bytes:
    return b"".join(line("snapshot", list="a.long", view={"search": f"item {number} {turn}", "window": {"limit": 1}})
                    for turn in range(200))


def _sorted(number: int) -> bytes:
    """Views with almost `viewTermsMax` terms."""
    tests = [{"path": "/text", "contains": f"{number} {turn}"} for turn in range(60)]
    return repeated([line("snapshot", list="a.long", view={
        "where": {"not": {"or": tests}}, "sort": ["/text", "/n"], "window": {"offset": turn, "limit": 1}}) for turn in range(20)])


@cache
def _dry_runs_of(number: int) -> bytes:
    return line("apply", list="a.long", dryRun=True, section="all", snapshot=items(8_000, 60, f"d{number}"))


def _dry_runs(number: int) -> bytes:
    return _dry_runs_of(number % 4)


def _small_dry_runs(number: int) -> bytes:
    return repeated([line("transact", list="a.long", dryRun=True, operations=[{"op": "deleteAllItems"}])])


def _revisions(client: Client) -> None:
    """A long list whose history moves every item."""
    _long(client)
    order = [f"i{number}" for number in range(LENGTH)]
    for begin in range(0, LENGTH, 1000):
        operations = [{"op": "moveItem", "item": id, "after": None, "section": "all"} for id in order[begin:begin + 1000]]
        client.result(line("transact", list="a.long", operations=operations))


def _differences(number: int) -> bytes:
    return repeated([line("difference", list="a.long", from_=2, to=25), line("difference", list="a.long", from_=25, to=2)])


def _long_lines(number: int) -> bytes:
    """Long lines that the daemon refuses only after it has parsed them."""
    objects = b"{\"a\":[1,2,{\"b\":\"c\"}]}," * 40_000
    return b'{"id":1,"method":"transact","params":{"list":"nothing","operations":[' + objects[:-1] + b"]}}\n"


def transactions(number: int) -> bytes:
    """Changes of one item in one of the `durable_lists`."""
    return repeated([line("transact", list=f"a.{number % 8}", operations=[{"op": "patchItems", "items": [
        {"id": "a", "content": {"n": turn}}]}]) for turn in range(500)])


def durable_lists(client: Client) -> None:
    """Creates eight durable lists with one item."""
    for number in range(8):
        client.result(line("createList", list=f"a.{number}"))
        client.result(line("transact", list=f"a.{number}", operations=[
            {"op": "appendItems", "items": [{"id": "a", "content": {}}]}]))


def _applies(number: int) -> bytes:
    """Two states of a durable list, alternately."""
    return b"".join(line("apply", list="a.0", section=f"s{number}", snapshot=items(4_000, 60, f"x{number}.{turn}."))
                    for turn in range(2))


def _subscriptions(number: int) -> bytes:
    """Subscriptions to a long list that end after the first state."""
    return repeated([line("subscribe", list="a.long", once=True)])


def _own_views(number: int) -> bytes:
    """The same with a different view for each subscription."""
    return repeated([line("subscribe", list="a.long", once=True, view={"where": {"path": "/n", "greaterThan": number + turn / 100}})
                     for turn in range(100)])


def _whole_snapshots(number: int) -> bytes:
    return repeated([line("snapshot", list="a.long")])


def _pings(number: int) -> bytes:
    return repeated([b"ping\n"])


def _refusals(number: int) -> bytes:
    return repeated([line("transact", list="nothing", operations=7), b"\xff\n", b"snapshot nothing\n"])


def _lists(number: int) -> bytes:
    """Creates and deletes durable lists."""
    return repeated([request for turn in range(50) for request in (
        line("createList", list=f"a.made.{number}.{turn}"), line("deleteList", list=f"a.made.{number}.{turn}", keep="never"))])


def _undos(number: int) -> bytes:
    return repeated([line("undo", list="a.0", to=2), line("redo", list="a.0", steps=3), line("undo", list="a.0", steps=3)])


def _undone(client: Client) -> None:
    client.result(line("createList", list="a.0", durability="volatile"))
    for turn in range(5):
        client.result(line("apply", list="a.0", section="all", snapshot=items(5_000, 20, f"u{turn}.")))


def _view_changes(number: int) -> bytes:
    """Changes the view of one subscription."""
    return b"".join(line("setView", subscription=1, view={"search": f"item {number}{turn}", "window": {"limit": 20}})
                    for turn in range(50))


def _storms(number: int) -> bytes:
    """Begins and ends subscriptions."""
    return b"".join(line("subscribe", list="a.long", view={
        "sort": [["/n", "/text"][turn % 2]], "where": {"path": "/n", "atLeast": number * 20 + turn}, "window": {"limit": 20}})
        + line("unsubscribe", subscription=turn + 1) for turn in range(20))


def _many_revisions(client: Client) -> None:
    client.result(line("createList", list="a.long", durability="volatile"))
    for turn in range(2000):
        client.result(line("transact", list="a.long", operations=[{"op": "reconfigureList", "content": turn}]))


def _histories(number: int) -> bytes:
    return repeated([line("history", list="a.long")])


def _schemas(number: int) -> bytes:
    """Sets schemas that the daemon checks against every item of a long list."""
    properties = {f"p{turn}": {"type": "string", "maxLength": 100 + number} for turn in range(300)}
    return b"".join(line("setSchemas", list="a.long", schemas={"": {"properties": {
        **properties, "n": {"type": "integer", "maximum": 200_000 + turn}}}}) for turn in range(4))


def _everything(number: int) -> bytes:
    """Each connection sends one of the floods that use a long list."""
    kinds = (_searches, _sorted, _dry_runs, _small_dry_runs, _long_lines, _subscriptions, _own_views, _storms, _schemas, _refusals,
             _whole_snapshots)
    return kinds[number % len(kinds)](number)


def _connections(trial: Trial) -> None:
    """Opens and closes connections."""
    def body(teller: Teller, path: str) -> None:
        teller.tell("begun")
        while True:
            opened = []
            for _ in range(200):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(path)
                connection.send(b"ping\n")
                opened.append(connection)
            for connection in opened:
                connection.close()

    with trial.daemon() as daemon, trial.memory(daemon):
        for _ in range(2):
            trial.attacker(lambda teller: body(teller, daemon.path)).told()
        time.sleep(0.5)
        trial.measure(daemon)
        times = [as_user(NEWCOMER, lambda: _time_to_connect(daemon.path)) for _ in range(20)]
        median = sorted(times)[len(times) // 2]
        trial.check(median < 0.1, f"a new user has a reply on a new connection after {1000 * median:.0f} of 100 ms")


def _time_to_connect(path: str) -> float:
    begin = time.monotonic()
    Client(path).reply(line("ping"))
    return time.monotonic() - begin


def _requests_to_oneself(trial: Trial) -> None:
    """Requests with long arguments to a handler that never answers."""
    def prepare(client: Client) -> None:
        client.result(line("createList", list="a.asked", durability="volatile"))

    def ask(number: int) -> bytes:
        return repeated([line("perform", list="a.asked", action="x", arguments="y" * 60_000, timeout=1000)], 1 << 20)

    with trial.daemon() as daemon:
        trial.prepare(daemon, prepare)
        with trial.memory(daemon):
            trial.flood(daemon, 1, lambda number: b"", first=lambda number: line("handle", list="a.asked", requests=["perform"]))
            time.sleep(0.2)
            trial.flood(daemon, 20, ask)
            time.sleep(1)
            trial.measure(daemon)


LATENCY = "3 x idle p99 or 20 ms"

ATTACKS = [
    Attack("searches", _flood(300, _searches, _longest), LATENCY),
    Attack("views of 64 terms", _flood(100, _sorted), LATENCY, is_brief=False),
    Attack("snapshots", _flood(100, _whole_snapshots), LATENCY, is_brief=False),
    Attack("dry runs of long applies", _flood(100, _dry_runs), LATENCY),
    Attack("dry runs that delete all", _flood(100, _small_dry_runs), LATENCY, is_brief=False),
    Attack("differences", _flood(100, _differences, _revisions), LATENCY),
    Attack("long lines", _flood(100, _long_lines, _nothing), LATENCY, is_brief=False),
    Attack("durable transactions", _flood(100, transactions, durable_lists), LATENCY),
    Attack("long applies", _flood(50, _applies, durable_lists), LATENCY, is_brief=False),
    Attack("subscriptions to a long list", _flood(100, _subscriptions), LATENCY, is_brief=False),
    Attack("subscriptions with their own views", _flood(100, _own_views), LATENCY, is_brief=False),
    Attack("views that change", _flood(300, _view_changes, first=lambda number: line(
        "subscribe", list="a.long", view={"window": {"limit": 5}})), LATENCY, is_brief=False),
    Attack("subscriptions that come and go", _flood(100, _storms), LATENCY, is_brief=False),
    Attack("histories", _flood(300, _histories, _many_revisions), LATENCY, is_brief=False),
    Attack("schemas of a long list", _flood(100, _schemas), LATENCY, is_brief=False),
    Attack("everything at once", _flood(300, _everything, _longest), LATENCY, is_brief=False),
    Attack("pings", _flood(200, _pings, _nothing), LATENCY, is_brief=False),
    Attack("refused lines", _flood(200, _refusals, _nothing), LATENCY, is_brief=False),
    Attack("lists made and deleted", _flood(50, _lists, _nothing), LATENCY, is_brief=False),
    Attack("undo and redo", _flood(50, _undos, _undone), LATENCY, is_brief=False),
    Attack("connections that come and go", _connections, LATENCY, is_brief=False),
    Attack("requests to a silent handler", _requests_to_oneself, LATENCY, is_brief=False),
]
