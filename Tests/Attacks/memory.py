"""The memory that one user can make the daemon use."""

import contextlib
import socket
import time
from collections.abc import Callable
from typing import Any

import victim
from floods import durable_lists, transactions
from lines import Client, fill, items, line, repeated
from trial import Attack, Trial
from users import ATTACKER, VICTIM, Teller, as_user

# The most memory for one kind of attack, in MiB (docs/security.md).
ATTACKER_MAX = 256
# The most for all kinds together.
TOGETHER_MAX = 512


def _sent_and_waiting(trial: Trial, first: list[bytes], connections: int = 1) -> None:
    """Sends requests on some connections, which stay open, and waits for the replies."""
    def body(teller: Teller, path: str) -> None:
        clients = [Client(path) for _ in range(connections)]
        for client in clients:
            for request in first:
                client.reply(request)
        teller.tell("done")
        time.sleep(3600)

    with trial.daemon() as daemon, trial.memory(daemon):
        trial.attacker(lambda teller: body(teller, daemon.path)).told()
        trial.measure(daemon)


def _handlers(trial: Trial) -> None:
    """Registers handlers with 256 long actions each, then sends `lists` (six bytes) on many connections."""
    count = 100 if trial.is_brief else 1000

    def register(teller: Teller, path: str) -> None:
        client = Client(path)
        client.result(line("createList", list="a.handled", durability="volatile", mode="0666"))
        for number in range(count):
            client.reply(line("handle", list="a.handled", requests=["perform"],
                              actions=[f"{number}.{action}.".ljust(250, "x") for action in range(256)]))
        teller.tell("done")
        time.sleep(3600)

    def asked(path: str) -> int:
        client = Client(path)
        client.send(b"lists\n")
        return len(client.receive())

    with trial.daemon() as daemon, trial.memory(daemon):
        trial.attacker(lambda teller: register(teller, daemon.path)).told()
        length = as_user(VICTIM, lambda: asked(daemon.path))
        trial.check(length < 1 << 20, f"another user's `lists` is answered with {length:,} bytes")
        trial.flood(daemon, 4, lambda number: repeated([b"lists\n"]))
        trial.flood(daemon, 20, lambda number: repeated([b"lists\n"]), does_read=False)
        time.sleep(0.5)
        trial.measure(daemon)


def _waiting_paths(trial: Trial) -> None:
    """Waiting subscriptions whose path has 62,000 segments."""
    request = line("subscribe", list="a.nothing", ifAbsent="wait", view={"where": {"path": "/a" * 62_000, "exists": True}})
    _sent_and_waiting(trial, [request] * (50 if trial.is_brief else 750), 2)


def _expanded_ids(trial: Trial) -> None:
    """Waiting subscriptions with 14,000 `expanded` ids each."""
    requests = []
    for number in range(30 if trial.is_brief else 300):
        ids = [f"{number:x}.{turn:x}" for turn in range(14_000)]
        requests.append(line("subscribe", list="a.nothing", ifAbsent="wait", view={"expansion": "own", "expanded": ids}))
    _sent_and_waiting(trial, requests, 2)


def _live_ids(trial: Trial) -> None:
    """Subscriptions to an existing list with 8,000 `toggled` ids each."""
    requests = [line("createList", list="a.live", durability="volatile", ifAbsent=True)]
    for number in range(300):
        ids = [f"{number:x}.{turn:x}" for turn in range(8_000)]
        requests.append(line("subscribe", list="a.live", view={"expansion": "own", "toggled": ids}))
    _sent_and_waiting(trial, requests, 2)


def _conditions(trial: Trial) -> None:
    """Waiting subscriptions with 60 long terms each."""
    tests = [{"path": f"/{turn}" + "/x" * 15, "equals": "y" * 2000} for turn in range(60)]
    _sent_and_waiting(trial, [line("subscribe", list="a.nothing", ifAbsent="wait", view={"where": {"or": tests}})] * 500, 2)


def _parts(trial: Trial) -> None:
    """Parts of transactions, which take more memory when decoded."""
    operation = {"op": "collapseItems", "items": []}
    part = line("transact", list="a.nothing", operations=[operation] * 25_000, more=True)
    _sent_and_waiting(trial, [part] * (10 if trial.is_brief else 100), 2)


def _unwritten(trial: Trial) -> None:
    """Sends durable changes faster than the disk can write them."""
    def prepare(client: Client) -> None:
        for number in range(8):
            client.result(line("createList", list=f"a.{number}"))

    def change(number: int) -> bytes:
        return b"".join(line("apply", list=f"a.{number % 8}", section=f"s{number}", snapshot=items(1_000, 800, f"x{turn}."))
                        for turn in range(2))

    with trial.daemon() as daemon:
        trial.prepare(daemon, prepare)
        with trial.memory(daemon):
            trial.flood(daemon, 16, change)
            time.sleep(1 if trial.is_brief else 10)
            trial.measure(daemon)
            trial.stop()
            as_user(ATTACKER, lambda: _delete(daemon.path))


def _unfinished(trial: Trial) -> None:
    """Sends long lines without a newline."""
    count = 100 if trial.is_brief else 800
    begun = b'{"id":1,"method":"transact","params":{"list":"' + b"x" * 1_000_000
    with trial.daemon() as daemon, trial.memory(daemon):
        child = trial.flood(daemon, count, lambda number: b"", first=lambda number: begun)
        for _ in range(4):
            child.told()
        trial.measure(daemon)


def _fill_long(client: Client) -> None:
    fill(client, "a.long", 20_000, 400, durability="volatile")


def _slow_readers(trial: Trial) -> None:
    """Many connections request a long list, and do not read."""
    with trial.daemon() as daemon:
        trial.prepare(daemon, _fill_long)
        with trial.memory(daemon):
            trial.flood(daemon, 100 if trial.is_brief else 500,
                        lambda number: repeated([line("snapshot", list="a.long")]), does_read=False)
            time.sleep(0.5 if trial.is_brief else 2)
            trial.measure(daemon)


def _slow_subscribers(trial: Trial) -> None:
    """Many connections follow a long list that changes constantly, and do not read."""
    with trial.daemon() as daemon:
        trial.prepare(daemon, _fill_long)
        with trial.memory(daemon):
            for deliver in ("operations", "snapshots", "patches"):
                trial.flood(daemon, 200, lambda number: b"", does_read=False,
                            first=lambda number, deliver=deliver: line("subscribe", list="a.long", deliver=deliver))
            trial.flood(daemon, 4, lambda number: repeated([line("transact", list="a.long", operations=[
                {"op": "reconfigureItems", "items": [{"id": f"i{turn}", "content": "x" * 300} for turn in range(500)]}])]))
            time.sleep(1)
            trial.measure(daemon)


def _stalled_states(trial: Trial) -> None:
    """Replaces a long list again and again, and keeps each state in several ways on connections that do not read."""
    def body(teller: Teller, path: str) -> None:
        client = Client(path)
        name = "a.replaced"
        client.result(line("createList", list=name, durability="volatile"))
        kept: list[Client] = []
        between: list[Client] = []
        for turn in range(15 if trial.is_brief else 60):
            # In the middle of the first state, and of a reply. Rows of a view have pages of their own.
            requests = [line("subscribe", list=name), line("subscribe", list=name, deliver="snapshots"),
                        line("snapshot", list=name), line("snapshot", list=name, view={"search": "item"})]
            # Held back for an hour.
            between.append(Client(path))
            between[-1].send(line("subscribe", list=name, deliver="snapshots", minInterval=3_600_000))
            while b'"method":"snapshot"' not in between[-1].receive():
                pass
            for section in range(8):
                client.result(line("apply", list=name, section=f"s{section}",
                                   snapshot=items(1_000, 800, f"t{turn}.{section}.")))
            for request in requests:
                kept.append(Client(path))
                kept[-1].send(request)
            if turn % 10 == 9:
                # A list that has gone stays for those who have not heard of it.
                client.result(line("deleteList", list=name, keep="never"))
                name = f"a.replaced.{turn}"
                client.result(line("createList", list=name, durability="volatile"))
        teller.tell(len(kept) + len(between))
        time.sleep(3600)

    # The bounded version has fewer states, and a lower limit.
    configuration, most = ("registeredLengthMax: 16777216\n", 96) if trial.is_brief else ("", ATTACKER_MAX)
    with trial.daemon(configuration) as daemon, trial.memory(daemon, most):
        trial.attacker(lambda teller: body(teller, daemon.path)).told()
        trial.measure(daemon)


def _connections(trial: Trial) -> None:
    """Opens 12,000 connections, each with a subscription and a name."""
    with trial.daemon() as daemon, trial.memory(daemon):
        child = trial.flood(daemon, 12_000, lambda number: b"", first=lambda number: line("hello", name="n" * 250) + line(
            "subscribe", list="a.nothing", ifAbsent="wait"))
        for _ in range(8):
            child.told()
        trial.measure(daemon)


def _subscriptions(trial: Trial) -> None:
    """Opens 1,024 subscriptions on each of 40 connections."""
    _sent_and_waiting(trial, [line("subscribe", list=f"a.nothing.{number}".ljust(255, "x"), ifAbsent="wait")
                              for number in range(1024)], 40)


def _everything(trial: Trial) -> None:
    """Reaches the limits for contents, subscriptions, lines and replies at the same time."""
    def take(path: str, connections: list[Client]) -> None:
        kept = Client(path)
        connections.append(kept)
        # Contents. Parents with one child take the most memory for what they count.
        for number in range(4):
            kept.reply(line("createList", list=f"a.{number}", durability="volatile"))
            for begin in range(0, 300_000, 4000):
                parents = [{"id": f"{turn}", "expanded": True, "children": [{"id": f"c{turn}"}]}
                           for turn in range(begin, begin + 4000)]
                operation = {"op": "appendItems", "items": parents}
                if kept.error(line("transact", list=f"a.{number}", operations=[operation])):
                    break
        # Subscriptions and handlers.
        for number in range(20):
            client = Client(path)
            connections.append(client)
            view = {"where": {"path": "/x", "equals": "y" * 100_000}}
            request = line("subscribe", list="a.nothing", ifAbsent="wait", view=view)
            if any(client.error(request) for _ in range(100)):
                break
        # Unread replies and unfinished lines.
        for number in range(300):
            client = Client(path)
            connections.append(client)
            client.socket.setblocking(False)
            with contextlib.suppress(OSError):
                for _ in range(4):
                    client.socket.send(line("snapshot", list="a.0") + b'{"id":1,"method":"transact","params":{"list":"'
                                       + b"x" * 900_000)

    def body(teller: Teller, path: str) -> None:
        connections: list[Client] = []
        take(path, connections)
        teller.tell(len(connections))
        time.sleep(3600)

    with trial.daemon() as daemon, trial.memory(daemon):
        trial.attacker(lambda teller: body(teller, daemon.path)).told()
        trial.measure(daemon)
        trial.stop()
        as_user(ATTACKER, lambda: _delete(daemon.path))


def _schemas(trial: Trial) -> None:
    """Sets schemas, which take more memory when compiled."""
    schema: dict[str, Any] = {"enum": [[]] * 30_000}

    def prepare(client: Client) -> None:
        for number in range(400):
            client.reply(line("createList", list=f"a.{number}", durability="volatile"))
            client.reply(line("setSchemas", list=f"a.{number}", schemas={"": schema}))

    with trial.daemon() as daemon, trial.memory(daemon):
        trial.prepare(daemon, prepare)
        trial.measure(daemon)
        as_user(ATTACKER, lambda: _delete(daemon.path))


def _delete(path: str) -> None:
    client = Client(path)
    for entry in client.result(line("lists"))["lists"]:
        client.reply(line("deleteList", list=entry["list"], keep="never"))


def _keys(trial: Trial) -> None:
    """Sends changes with long request keys."""
    with trial.daemon() as daemon:
        trial.prepare(daemon, lambda client: client.result(line("createList", list="a.keys", durability="volatile")))
        with trial.memory(daemon):
            trial.flood(daemon, 50, lambda number: b"".join(
                line("transact", list="a.keys", requestKey=f"{number}.{turn}".ljust(255, "k"),
                     operations=[{"op": "reconfigureList", "content": f"{number} {turn}"}]) for turn in range(3000)))
            time.sleep(2)
            trial.measure(daemon)
            as_user(ATTACKER, lambda: _delete(daemon.path))


def _leases(trial: Trial) -> None:
    """Leases thousands of items on one connection, which then ends."""
    many, lists = (8_000, 100) if trial.is_brief else (200_000, 200)

    def body(teller: Teller, path: str) -> None:
        client = Client(path)
        for number in range(lists):
            client.result(line("createList", list=f"a.leased.{number}", durability="volatile", lease="connection"))
        client.result(line("createList", list="a.kept", durability="durable"))
        for begin in range(0, many, 4000):
            client.result(line("transact", list="a.kept", lease="connection",
                               operations=[{"op": "appendItems", "items": items(4000, 20, f"l{begin}.")}]))
        teller.tell("leased")
        time.sleep(3600)

    with trial.daemon() as daemon, trial.memory(daemon):
        child = trial.attacker(lambda teller: body(teller, daemon.path))
        child.told()
        measuring = victim.start(daemon.path, trial.seconds, trial.patience)
        time.sleep(trial.seconds / 3)
        child.stop()
        trial.check_latency(victim.finish(measuring, trial.seconds, trial.patience))
        measuring.stop()
        end = time.monotonic() + 20
        left = -1
        while left and time.monotonic() < end:
            left = as_user(child.user, lambda: _leased(daemon.path))
        trial.check(left == 0, f"{left} leases are left after the connection has ended")
        as_user(child.user, lambda: _delete(daemon.path))


def _leased(path: str) -> int:
    """The number of leased lists and items."""
    lists = {entry["list"]: entry["items"] for entry in Client(path).result(line("lists"))["lists"]}
    return int(lists["a.kept"]) + len([name for name in lists if name.startswith("a.leased.")])


def _follow_and_change(
    trial: Trial, follow: Callable[[int], bytes], followers: int, change: Callable[[int], bytes], writers: int,
) -> None:
    """Follows a long list on some connections, and changes it constantly on others."""
    with trial.daemon() as daemon:
        trial.prepare(daemon, lambda client: fill(client, "a.long", 20_000, durability="volatile"))
        with trial.memory(daemon):
            trial.flood(daemon, followers, lambda number: b"", first=follow)
            time.sleep(1)
            trial.flood(daemon, writers, change)
            time.sleep(0.5)
            trial.measure(daemon)


def _changing_views(trial: Trial) -> None:
    """Follows a list that changes constantly with a thousand different views."""
    count = 200 if trial.is_brief else 1000

    def follow(number: int) -> bytes:
        return b"".join(line("subscribe", list="a.long", view={
            "where": {"path": "/text", "contains": f"{turn % 97}"}, "sort": [["/n", "/text"][turn % 2]],
            "search": f"{turn % 10}", "window": {"offset": turn, "limit": 50}}) for turn in range(count))

    def change(number: int) -> bytes:
        return b"".join(line("transact", list="a.long", operations=[
            {"op": "reconfigureItems", "items": [{"id": f"i{turn * 37 % 20_000}", "content": {"text": f"{turn}", "n": turn}}]},
            {"op": "moveItem", "item": f"i{turn * 31 % 20_000}", "after": None, "section": "all"}]) for turn in range(500))

    _follow_and_change(trial, follow, 1, change, 4)


def _windows(trial: Trial) -> None:
    """Follows a long list through windows of 10,000 rows, and moves all their rows with each change."""
    def follow(number: int) -> bytes:
        return b"".join(line("subscribe", list="a.long", view={"window": {"offset": number * 100 + turn, "limit": 10_000}})
                        for turn in range(100))

    def change(number: int) -> bytes:
        return b"".join(line("transact", list="a.long", operations=[
            {"op": "moveItem", "item": f"i{turn}", "after": None, "section": "all"}]) for turn in range(500))

    _follow_and_change(trial, follow, 10, change, 1)


def _left(trial: Trial) -> None:
    """Fills sockets with changes, and exits without reading a reply."""
    connections, length = (100, 1 << 18) if trial.is_brief else (500, 4 << 20)

    def body(teller: Teller, path: str) -> None:
        changes = transactions(0)
        sockets = []
        for _ in range(connections):
            sockets.append(socket.socket(socket.AF_UNIX))
            sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, length)
            sockets[-1].connect(path)
            sockets[-1].setblocking(False)
        for client in sockets:
            try:
                while client.send(changes):
                    pass
            except BlockingIOError:
                pass
        for client in sockets:
            client.close()
        teller.tell("gone")

    with trial.daemon() as daemon:
        trial.prepare(daemon, durable_lists)
        with trial.memory(daemon):
            trial.attacker(lambda teller: body(teller, daemon.path)).told()
            trial.measure(daemon)


def _followers(trial: Trial) -> None:
    """Follows the victim's list with thousands of different views."""
    connections, views = (4, 250) if trial.is_brief else (20, 500)

    def follow(number: int) -> bytes:
        return b"".join(line("subscribe", list="victim.tasks", deliver=("operations", "patches", "snapshots")[turn % 3], view={
            "where": {"not": {"path": f"/{turn % 7}", "contains": f"{number} {turn}"}}, "sort": ["/n", "/text"],
            "expansion": "own", "expanded": [f"{number}.{turn}"]}) for turn in range(views))

    with trial.daemon() as daemon, trial.memory(daemon):
        trial.flood(daemon, connections, lambda number: b"", first=follow)
        time.sleep(1)
        trial.measure(daemon)


def _heartbeats(trial: Trial) -> None:
    """Opens thousands of subscriptions with a heartbeat every 10 ms."""
    connections = 4 if trial.is_brief else 20

    def follow(number: int) -> bytes:
        return b"".join(line("subscribe", list=f"a.nothing.{turn % 2}", ifAbsent="wait", bookmark=10) for turn in range(500))

    with trial.daemon() as daemon, trial.memory(daemon):
        trial.flood(daemon, connections, lambda number: b"", first=follow)
        time.sleep(1)
        trial.measure(daemon)


def _descriptors(trial: Trial) -> None:
    """Opens more connections than the daemon has descriptors."""
    with trial.daemon(descriptors=400) as daemon, trial.memory(daemon):
        measuring = victim.start(daemon.path, trial.seconds, trial.patience)
        time.sleep(0.2)
        trial.flood(daemon, 600, lambda number: b"", first=lambda number: b"ping\n")
        trial.check_latency(victim.finish(measuring, trial.seconds, trial.patience))
        measuring.stop()
        before = daemon.processor_time()
        time.sleep(0.5)
        trial.check(daemon.processor_time() - before < 0.25, "the daemon does not spin")
        trial.check(_gets_in(daemon.path, VICTIM), "another user gets a connection")
        trial.check(_gets_in(daemon.path, 0), "root gets a connection")


def _gets_in(path: str, user: int) -> bool:
    def body() -> bool:
        try:
            client = Client(path, 5)
            return "result" in client.reply(line("ping"))
        except Exception:
            return False
    return bool(as_user(user, body))


def _passed_descriptors(trial: Trial) -> None:
    """Sends descriptors to the daemon, which has to close them."""
    def body(path: str) -> None:
        for _ in range(20):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(path)
            for _ in range(20):
                socket.send_fds(connection, [b"ping\n"], [0] * 100)
            connection.recv(1)
            connection.close()

    with trial.daemon(with_victim=False) as daemon:
        before = daemon.descriptors()
        as_user(ATTACKER, lambda: body(daemon.path))
        time.sleep(0.2)
        trial.check(daemon.descriptors() <= before + 1, f"{daemon.descriptors() - before} descriptors stay open")


BOUND = "3 x idle p99 or 20 ms; {} MiB, returned"


def _attack(name: str, run: Callable[[Trial], None], is_brief: bool = False, most: int = ATTACKER_MAX) -> Attack:
    return Attack(name, run, BOUND.format(most), is_brief, most)


ATTACKS = [
    _attack("handlers with long actions, and lists", _handlers, True),
    _attack("waiting subscriptions with long paths", _waiting_paths, True),
    _attack("waiting subscriptions with many ids", _expanded_ids),
    _attack("subscriptions with many ids", _live_ids),
    _attack("conditions of many long terms", _conditions),
    _attack("parts of transactions", _parts),
    _attack("changes that wait for the disk", _unwritten, True),
    _attack("lines without an end", _unfinished),
    _attack("slow readers", _slow_readers),
    _attack("slow subscribers", _slow_subscribers),
    _attack("stalled readers of many states", _stalled_states, True),
    _attack("as many connections as there are", _connections),
    _attack("40,000 subscriptions", _subscriptions),
    _attack("everything that is kept, at once", _everything, most=TOGETHER_MAX),
    _attack("schemas", _schemas),
    _attack("request keys", _keys),
    _attack("thousands of leases", _leases, True),
    _attack("many views under constant change", _changing_views),
    _attack("windows of 10,000 rows", _windows),
    _attack("lines left in sockets", _left),
    _attack("10,000 views of another user's list", _followers, True),
    _attack("10,000 heartbeats", _heartbeats),
    _attack("descriptors exhausted", _descriptors, True),
    Attack("descriptors sent to the daemon", _passed_descriptors, "none stays open", False),
]
