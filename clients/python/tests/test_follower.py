"""examples/follower.py, the program of docs/follower.md, follows random changes over restarts, reads slowly and sets views."""

from __future__ import annotations

import importlib.util
import json
import socket
import threading
import time
import unittest
from typing import Any, Dict, List, Optional

from diffable import Client, NoSuchList, NoSuchRevision, SnapshotDict, View, operations
from diffable.state import ListState

from .fake_daemon import FakeDaemon, Peer
from .support import PATIENCE, REPOSITORY, Daemon, RandomLists, eventually

PROGRAM = REPOSITORY / "examples" / "follower.py"


class End(BaseException):
    pass


def load() -> Any:
    specification = importlib.util.spec_from_file_location("follower", PROGRAM)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    # The daemon is stopped on purpose.
    module.print = lambda *_, **__: None  # type: ignore[attr-defined]
    return module.Follower


def plain(things: Any) -> Any:
    """Without the members that have defaults."""
    if isinstance(things, dict):
        kept = {
            name: plain(member) if name in ("sections", "items", "children") else member for name, member in things.items()
            if member is not None and not (name == "expanded" and not member)
        }
        return {name: member for name, member in kept.items() if name not in ("items", "children") or member}
    return [plain(thing) for thing in things]


class Running(threading.Thread):
    """Compares each shown state with the daemon's at that revision, and changes the view now and then."""

    def __init__(self, client: Client, socket: str, views: List[View], random: Any) -> None:
        super().__init__(daemon=True)
        self.client, self.views, self.random = client, views, random
        self.shown = self.resets = 0
        self.wrong: List[Any] = []
        self.is_over = False
        self.follower = load()(socket, "random", views[0], self.show)
        self.start()

    def run(self) -> None:
        try:
            self.follower.run()
        except End:
            pass
        except BaseException as error:
            self.wrong.append(repr(error))

    def show(self, follower: Any) -> None:
        if self.is_over:
            raise End
        self.shown += 1
        try:
            snapshot = self.client.snapshot("random", at=follower.since.get("revision"), view=follower.shown)
            if snapshot.epoch == follower.since.get("epoch") and snapshot.state.to_dict() != plain(follower.state):
                self.wrong.append((follower.shown, plain(follower.state), snapshot.state.to_dict()))
        except (NoSuchList, NoSuchRevision):
            # The list was deleted and created again in between.
            pass
        if self.random.random() < 0.2:
            # It reads slowly, so the daemon combines changes.
            time.sleep(self.random.random() * 0.05)
        if self.random.random() < 0.3:
            follower.wanted = self.random.choice(self.views)


class FollowerTests(unittest.TestCase):
    def test_the_page_shows_the_program_which_is_short(self) -> None:
        page = (REPOSITORY / "docs" / "follower.md").read_text()
        program = PROGRAM.read_text()
        self.assertIn(f"```python\n{program}```\n", page)
        self.assertLessEqual(len([line for line in program.splitlines() if line]), 100)

    def test_it_shows_each_state_as_the_daemon_has_it_over_kills_and_deletions(self) -> None:
        random = RandomLists(items_max=80)
        daemon = Daemon()
        self.addCleanup(daemon.close)
        views: List[View] = [
            {}, {"search": "milk"}, {"window": {"offset": 2, "limit": 9}}, {"expansion": "own", "expanded": []},
            {"sort": ["/due"], "where": {"path": "/due", "atMost": 7}},
        ]
        with Client(daemon.socket, patience=PATIENCE) as client, self.subTest(seed=str(random)), self.assertLogs("diffable"):
            running = [Running(client, daemon.socket, views, random.random) for _ in range(3)]
            state = ListState()
            for round in range(400):
                if round % 100 == 99:
                    daemon.restart()
                if round in (0, 250):
                    client.delete("random") if round else None
                    # Long enough for several parts.
                    long: SnapshotDict = {
                        "sections": [{"id": "s", "items": [
                            {"id": f"x{n}", "children": [{"id": f"x{n}/{m}", "content": "y" * 200} for m in range(500)]}
                            for n in range(4)]}]}
                    client.publish("random", long)
                    # Every follower receives it before it is deleted.
                    eventually(lambda: all(one.wrong or self.is_current(client, one) for one in running))
                    client.publish("random", {"sections": []})
                    state = client.snapshot("random").state
                changes = []
                for _ in range(random.random.randrange(1, 10)):
                    operation = random.operation(state)
                    try:
                        operations.apply(state, operation)
                        changes.append(operation)
                    except operations.DoesNotFit:
                        pass
                client.transact("random", changes)
            for one in running:
                eventually(lambda one=one: one.wrong or self.is_current(client, one))
                one.is_over = True
                self.assertEqual(one.wrong, [])
                self.assertGreater(one.shown, 5)

    def is_current(self, client: Client, running: Running) -> bool:
        follower = running.follower
        if not follower.since or follower.shown is not follower.wanted:
            return False
        shown = client.snapshot("random", view=follower.shown).state.to_dict()
        return bool(follower.since and plain(follower.state) == shown)

    def test_the_daemon_sends_what_the_page_says(self) -> None:
        daemon = Daemon()
        self.addCleanup(daemon.close)
        with Client(daemon.socket) as client, socket.socket(socket.AF_UNIX) as connection, connection.makefile("rb") as lines:
            client.publish("long", [{"id": f"x{n}", "text": "y" * 200} for n in range(1_000)])
            connection.settimeout(PATIENCE)
            connection.connect(daemon.socket)

            def ask(method: str, **params: Any) -> None:
                connection.sendall(json.dumps({"id": method, "method": method, "params": params}).encode() + b"\n")

            def read() -> Any:
                return json.loads(lines.readline())

            ask("subscribe", list="long", ifAbsent="wait")
            subscribed = read()["result"]
            parts = [read()["params"]]
            while parts[-1].get("more"):
                parts.append(read()["params"])
            self.assertGreater(len(parts), 2)
            self.assertEqual({part["reason"] for part in parts}, {"initial"})
            for name in ("reloadItems", "reconfigureItems"):
                redraw: Any = {"op": name, "items": ["x1"]}
                client.transact("long", [redraw])
                self.assertEqual(read()["params"]["operations"], [redraw])
            client.transact("long", [{"op": "reloadSections", "sections": ["main"]}])
            self.assertEqual(read()["params"]["operations"], [{"op": "reloadSections", "sections": ["main"]}])
            ask("setView", subscription=subscribed["subscription"], view={})
            self.assertIn("result", read())
            equal = read()["params"]
            self.assertEqual((equal["from"], equal["operations"]), (equal["revision"], []))
            for view, resumed in (({}, True), ({"window": {"anchor": "gone", "limit": 2}}, False)):
                ask("subscribe", list="long", view=view, since={"epoch": parts[0]["epoch"], "revision": equal["revision"]})
                self.assertEqual(read()["result"]["resumed"], resumed)
            self.assertEqual(read()["params"]["reason"], "history")
            ask("subscribe", list="long", newMember=1)
            self.assertIn("newMember", read()["error"]["message"])
            client.delete("long")
            self.assertEqual([read()["method"] for _ in range(3)], ["listDeleted"] * 3)
            client.publish("long", ["a"])
            # Only the first subscription waits for the next list.
            again = read()["params"]
            self.assertEqual((again["subscription"], again["reason"]), (subscribed["subscription"], "epoch"))

    def test_it_begins_from_nothing_when_a_group_does_not_fit(self) -> None:
        begun: List[Dict[str, Any]] = []
        shown: List[Any] = []

        def subscribe(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            begun.append(params)
            peer.reply(id, {"subscription": 7, "list": "tasks", "newMember": 1})
            place = {"subscription": 7, "list": "tasks", "newMember": {}}
            peer.notify("reset", **place, epoch="e", revision=1, reason="new reason", operations=[
                {"op": "appendSections", "sections": [{"id": "s", "items": [{"id": "a"}], "newMember": 1}]}])
            peer.notify("changes", **{**place, "subscription": 8}, **{"from": 9}, revision=10, operations=[])
            peer.notify("newMethod", **place)
            if len(begun) == 1:
                gone = [{"op": "deleteItems", "items": ["never there"]}]
                peer.notify("changes", **place, **{"from": 1}, revision=2, operations=gone)
            elif len(begun) == 2:
                peer.notify("changes", **place, **{"from": 2}, revision=3, operations=[])
            elif len(begun) == 3:
                peer.notify("bookmark", **place, epoch="e", revision=5)
                redraw = [{"op": "reloadItems", "items": ["a", {"id": "a", "kind": "k"}]}]
                peer.notify("changes", **place, **{"from": 5}, revision=6, operations=redraw)
            else:
                return
            if len(begun) == 3:
                eventually(lambda: len(shown) == 4)
                peer.cut()

        def show(follower: Any) -> None:
            shown.append((follower.since["revision"], follower.state["sections"][0]["items"][0].get("kind")))

        daemon = FakeDaemon(subscribe=subscribe)
        self.addCleanup(daemon.close)
        follower = load()(daemon.socket, "tasks", {}, show)
        threading.Thread(target=follower.run, daemon=True).start()
        eventually(lambda: len(begun) == 4)
        since: List[Optional[Any]] = [params.get("since") for params in begun]
        self.assertEqual(since, [None, None, None, {"epoch": "e", "revision": 6}])
        self.assertEqual(shown[:4], [(1, None), (1, None), (1, None), (6, "k")])


if __name__ == "__main__":
    unittest.main()
