"""Loops over updates: driven by an event loop, used by several threads, and with values that change later."""

from __future__ import annotations

import copy
import select
import threading
import time
import unittest
from typing import Any, Callable, Dict, List, Optional
from unittest import mock

from diffable import Client, Following, Item, ItemDict, ListState, NotSendable, Operation, Update, View, apply
from diffable.blocking import BlockingWire

from .fake_daemon import FakeDaemon, Peer
from .support import PATIENCE, Daemon, DaemonTestCase


class Subscriptions(FakeDaemon):
    """Knows one list, and records the view and the position with which each subscription begins."""

    def __init__(self, **methods: Any) -> None:
        self.begun: List[Dict[str, Any]] = []
        super().__init__(subscribe=self.subscribe, setView=self.set_view, **methods)

    def subscribe(self, peer: Peer, id: Any, params: Dict[str, Any]) -> None:
        self.begun.append(params)
        peer.reply(id, {"subscription": 1, "list": "tasks"})
        if "since" not in params:
            peer.notify("reset", subscription=1, epoch="e", revision=1, reason="initial", operations=[])

    def set_view(self, peer: Peer, id: Any, params: Dict[str, Any]) -> None:
        peer.reply(id, {"subscription": 1})
        peer.notify("changes", subscription=1, **{"from": 1}, revision=1, operations=[])


class ViewTests(DaemonTestCase):
    def fake(self, **methods: Any) -> Subscriptions:
        daemon = Subscriptions(**methods)
        self.addCleanup(daemon.close)
        return daemon

    def resumed(self, daemon: Subscriptions, following: Following) -> Dict[str, Any]:
        """The first request of a subscription over the next connection."""
        count = len(daemon.begun)
        with self.assertLogs("diffable", "WARNING"):
            daemon.peers[-1].cut()
            while len(daemon.begun) == count:
                following.next(timeout=0.01)
        return daemon.begun[-1]

    def test_a_view_set_by_another_thread_counts_even_if_its_reply_is_read_at_once(self) -> None:
        daemon = self.fake()
        seen = threading.Semaphore(0)
        send = BlockingWire.send

        async def send_and_be_overtaken(wire: BlockingWire, data: bytes) -> None:
            await send(wire, data)
            if b'"setView"' in data:
                self.assertTrue(seen.acquire(timeout=PATIENCE))

        with Client(daemon.socket) as client, client.follow("tasks", {"search": "first"}) as following:
            next(following)

            def take() -> None:
                next(following)
                seen.release()

            thread = threading.Thread(target=take)
            thread.start()
            with mock.patch.object(BlockingWire, "send", send_and_be_overtaken):
                following.set_view({"search": "second"})
            thread.join()
            begun = self.resumed(daemon, following)
        self.assertEqual((begun["view"], begun["since"]), ({"search": "second"}, {"epoch": "e", "revision": 1}))

    def test_views_that_many_threads_set_end_with_the_last_one(self) -> None:
        with Client(self.daemon.socket) as client:
            client.publish("many views", [{"id": str(number)} for number in range(40)])
            with client.follow("many views", {"window": {"offset": 0, "limit": 1}}) as following:
                next(following)

                def set_views(first: int) -> None:
                    for offset in range(first, first + 10):
                        following.set_view({"window": {"offset": offset, "limit": 1}})

                threads = [threading.Thread(target=set_views, args=(first,)) for first in (0, 10, 20)]
                for thread in threads:
                    thread.start()
                while any(thread.is_alive() for thread in threads):
                    following.next(timeout=0.001)
                following.set_view({"window": {"offset": 39, "limit": 1}})
                while [item.id for _, item in following.state.rows()] != ["39"]:
                    self.assertIsNotNone(following.next(timeout=PATIENCE))

    def test_a_view_that_the_caller_changes_later_stays_what_it_was(self) -> None:
        daemon = self.fake()
        view: View = {"search": "milk", "window": {"offset": 0, "limit": 5}}
        with Client(daemon.socket) as client, client.follow("tasks", view) as following:
            view["search"] = "bread"
            view["window"]["limit"] = 1
            next(following)
            self.assertEqual(self.resumed(daemon, following)["view"], {"search": "milk", "window": {"offset": 0, "limit": 5}})
            following.set_view(view)
            view["search"] = "tea"
            self.assertIsNotNone(following.next(timeout=PATIENCE))
            self.assertEqual(self.resumed(daemon, following)["view"], {"search": "bread", "window": {"offset": 0, "limit": 1}})
            with self.assertRaisesRegex(NotSendable, "a set at /search"):
                following.set_view({"search": {1}})  # type: ignore[arg-type]

    def test_an_equal_view_brings_an_update_with_the_present_state(self) -> None:
        with Client(self.daemon.socket) as client:
            client.publish("equal", ["a", "b"])
            views: List[Optional[View]] = [None, {"search": "a"}]
            for view in views:
                with client.follow("equal", view) as following:
                    shown = next(following).state.to_dict()
                    for again in (view, copy.copy(view)):
                        following.set_view(again)
                        update = following.next(timeout=PATIENCE)
                        assert update is not None
                        self.assertEqual((update.operations, update.state.to_dict()), ([], shown))
                        self.assertIsNone(following.next(timeout=0))


class CopyTests(unittest.TestCase):
    def test_a_request_sends_what_it_was_given_whatever_the_caller_changes_while_it_connects(self) -> None:
        content = {"text": "Milk", "tags": ["a"]}
        items: List[ItemDict] = [{"id": "milk", "content": content}]
        operations: List[Operation] = [{"op": "appendItems", "items": items}]

        def hello(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            content["tags"] = content["text"] = "changed"
            items.append({"id": "more"})
            operations.append({"op": "deleteAllItems"})
            peer.reply(id, {})

        def answer(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            peer.reply(id, {"list": "tasks", "epoch": "e", "revision": 1})

        methods = dict.fromkeys(("transact", "apply", "propose", "perform", "setSchemas", "snapshot"), answer)
        sent = {"id": "milk", "content": {"text": "Milk", "tags": ["a"]}}
        requests: List[Callable[[Client], Any]] = [
            lambda client: client.transact("tasks", operations),
            lambda client: client.propose("tasks", operations),
            lambda client: client.lease().transact("tasks", operations),
            lambda client: client.publish("tasks", {"sections": [{"id": "main", "items": items}]}),
            lambda client: client.publish("tasks", [{"id": "milk", "nested": content}], into="main"),
            lambda client: client.perform("tasks", "do", arguments=items),
            lambda client: client.set_schemas("tasks", {"todo": items}),
            lambda client: client.snapshot("tasks", view={"where": {"path": "", "equals": items}}),
        ]
        for ask in requests:
            content.update(text="Milk", tags=["a"])
            del items[1:], operations[1:]
            daemon = FakeDaemon(hello=hello, **methods)
            self.addCleanup(daemon.close)
            ask(Client(daemon.socket))
            text = str(daemon.requests[-1][1])
            self.assertTrue(str(sent) in text or str(sent["content"]) in text, text)
            self.assertNotRegex(text, "changed|more|deleteAll")

    def test_a_state_shares_nothing_with_what_it_was_made_of_or_what_is_made_of_it(self) -> None:
        item: ItemDict = {"id": "milk", "content": {"tags": ["a"]}}
        state = ListState.from_dict({"content": {"tags": ["a"]}, "sections": [{"id": "s", "content": ["a"], "items": [item]}]})
        before = state.to_dict()
        item["content"]["tags"].append("b")
        taken: Any = state.to_dict()
        taken["sections"][0]["items"][0]["content"]["tags"].append("b")
        taken["content"]["tags"].append("b")
        taken["sections"][0]["content"].append("b")
        self.assertEqual(state.to_dict(), before)
        operation: Any = {"op": "reconfigureItems", "items": [{"id": "milk", "content": {"tags": ["c"]}}]}
        apply(state, operation)
        operation["items"][0]["content"]["tags"].append("d")
        self.assertEqual(state["milk"]["tags"], ["c"])
        made = Item.from_dict(item)
        item["content"]["tags"].append("e")
        self.assertEqual(made["tags"], ["a", "b"])


class TimeoutTests(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = Daemon()
        self.addCleanup(self.daemon.close)
        self.client = Client(self.daemon.socket, patience=PATIENCE)
        self.client.publish("tasks", ["a"])

    def append(self, id: str) -> None:
        self.client.transact("tasks", [{"op": "appendItems", "items": [{"id": id}]}])

    def test_next_returns_none_when_its_time_is_over_and_loses_nothing(self) -> None:
        with self.client.follow("tasks") as following:
            first = following.next(timeout=PATIENCE)
            self.assertEqual(first and first.cause, "initial")
            self.assertIsNone(following.next(timeout=0))
            begin = time.monotonic()
            self.assertIsNone(following.next(timeout=0.05))
            self.assertGreaterEqual(time.monotonic() - begin, 0.05)
            for number in range(20):
                self.append(str(number))
            while len(following.state) < 21:
                following.next(timeout=0.001)
            self.client.delete("tasks")
            with self.assertRaises(StopIteration):
                while True:
                    following.next(timeout=0.001)
            self.assertEqual(list(following), [])

    def test_next_returns_in_time_while_the_daemon_is_away_or_hangs(self) -> None:
        def hello(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            answered.wait(PATIENCE)
            peer.reply(id, {})

        answered = threading.Event()
        self.addCleanup(answered.set)
        hanging = Subscriptions(hello=hello)
        self.addCleanup(hanging.close)
        with Client(hanging.socket) as client, client.follow("tasks") as following:
            for _ in range(3):
                self.assertIsNone(following.next(timeout=0.01))
            self.assertEqual(len(hanging.peers), 1, "each call goes on with the connection that is being made")
            answered.set()
            update = following.next(timeout=PATIENCE)
            self.assertEqual(update and update.revision, 1)
        with self.client.follow("tasks") as following, self.assertLogs("diffable", "WARNING"):
            next(following)
            self.daemon.kill()
            begin = time.monotonic()
            for _ in range(10):
                self.assertIsNone(following.next(timeout=0.02))
            self.assertLess(time.monotonic() - begin, PATIENCE / 2)
            self.daemon.start()
            self.append("b")
            while "b" not in following.state:
                following.next(timeout=0.05)

    def test_several_threads_may_take_turns(self) -> None:
        taken: List[int] = []

        def take() -> None:
            while len(following.state) < 30:
                update = following.next(timeout=0.01)
                if update is not None:
                    taken.append(update.revision)

        with self.client.follow("tasks") as following:
            threads = [threading.Thread(target=take) for _ in range(3)]
            for thread in threads:
                thread.start()
            for number in range(29):
                self.append(str(number))
            for thread in threads:
                thread.join()
        self.assertEqual(len(taken), len(set(taken)))

    # MARK: An event loop

    def drive(self, following: Following, is_enough: Callable[[List[Update]], bool]) -> int:
        """Acts like an event loop, and returns how often it woke."""
        poll = select.poll()
        poll.register(following, select.POLLIN)
        updates: List[Update] = []
        wakings = 0
        while not is_enough(updates):
            self.assertTrue(poll.poll(PATIENCE * 1000), "it would have slept for ever")
            wakings += 1
            while (update := following.next(timeout=0)) is not None:
                updates.append(update)
        return wakings

    def is_readable(self, following: Following, seconds: float = 0) -> bool:
        return bool(select.select([following], [], [], seconds)[0])

    def test_an_event_loop_is_told_of_each_update_and_sleeps_in_between(self) -> None:
        with self.client.follow("tasks") as following:
            self.assertTrue(self.is_readable(following), "it has to connect")
            self.drive(following, lambda updates: len(updates) == 1)
            self.assertFalse(self.is_readable(following, 0.05))
            for number in range(50):
                self.append(str(number))
            wakings = self.drive(following, lambda _: len(following.state) == 51)
            self.assertLess(wakings, 120)
            self.assertFalse(self.is_readable(following, 0.05))
            # Two updates may arrive in one piece: after the first is taken it is still readable.
            self.append("x")
            following.set_view({"search": "a"})
            while len(following.state) != 1:
                self.assertTrue(self.is_readable(following, PATIENCE))
                following.next(timeout=0)

    def test_an_event_loop_is_told_when_to_connect_again(self) -> None:
        with self.client.follow("tasks") as following, self.assertLogs("diffable", "WARNING"):
            self.drive(following, lambda updates: len(updates) == 1)
            descriptor = following.fileno()
            self.daemon.kill()
            threading.Timer(0.6, self.daemon.start).start()
            appending = threading.Thread(target=self.append, args=("b",))
            appending.start()
            wakings = self.drive(following, lambda _: "b" in following.state)
            appending.join()
            self.assertLess(wakings, 100)
            self.assertEqual(following.fileno(), descriptor)

    def test_an_event_loop_is_told_of_the_end_by_whomever_it_comes(self) -> None:
        for end in ("close", "delete"):
            self.client.publish("ending", ["a"])
            with self.client.follow("ending") as following:
                self.drive(following, lambda updates: len(updates) == 1)
                act = following.close if end == "close" else lambda: self.client.delete("ending")
                ending = threading.Timer(0.05, act)
                ending.start()
                with self.assertRaises(StopIteration):
                    self.drive(following, lambda _: False)
                ending.join()
                self.assertTrue(self.is_readable(following))
            with self.assertRaises(StopIteration):
                following.next(timeout=0)

    def test_an_event_loop_notices_a_daemon_that_hangs(self) -> None:
        hanging = Subscriptions()
        self.addCleanup(hanging.close)
        del hanging.methods["ping"]
        with Client(hanging.socket, reply_timeout=0.3) as client, client.follow("tasks") as following:
            with self.assertLogs("diffable", "WARNING") as logs:
                self.drive(following, lambda _: len(hanging.begun) == 2)
            self.assertIn("has said nothing for 0.3 s", logs.output[0])

    def test_a_handler_has_them_too(self) -> None:
        with self.client.handle("tasks", ["perform"]) as handler:
            self.assertIsNone(handler.next(timeout=0))
            poll = select.poll()
            poll.register(handler, select.POLLIN)
            asking = threading.Thread(target=self.client.perform, args=("tasks", "do"))
            while not self.client.lists()[0].handles:
                poll.poll(1000)
                self.assertIsNone(handler.next(timeout=0))
            asking.start()
            request = None
            while request is None:
                self.assertTrue(poll.poll(PATIENCE * 1000))
                request = handler.next(timeout=0)
            request.answer()
            asking.join()

    def test_an_interrupted_change_is_not_gone_on_from(self) -> None:
        with self.client.follow("tasks") as following:
            next(following)
            self.append("b")
            with mock.patch("diffable.operations.take", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
                next(following)
            update = next(following)
        self.assertEqual((update.cause, len(update.state)), ("reload", 2))

    def test_a_mirrors_bookmark_is_where_the_next_update_begins(self) -> None:
        self.client.publish("copy", ["first"])
        with self.client.follow("copy", {"search": "seen"}, min_interval=0.01) as following:
            next(following)
            with Client(self.daemon.socket) as source:
                # A mirror is changed by its connection only.
                source.request("mirror", list="copy", of="elsewhere")
                source.transact("copy", [{"op": "appendItems", "items": [{"id": "unseen"}]}])
                source.request("mirror", list="copy", live=True)
                source.transact("copy", [{"op": "appendItems", "items": [{"id": "b", "content": "seen"}]}])
                update = following.next(timeout=PATIENCE)
        self.assertEqual(update and [item.id for _, item in update.state.rows()], ["b"])


if __name__ == "__main__":
    unittest.main()
