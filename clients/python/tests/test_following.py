from __future__ import annotations

import asyncio
import threading
import time
import unittest
from typing import Any, List, Optional

from diffable import (
    AsyncClient,
    Client,
    ListState,
    NoSuchList,
    NoSuchRevision,
    Refused,
    Snapshot,
    TooLarge,
    Update,
    View,
    __version__,
    operations,
)

from .support import PATIENCE, Daemon, DaemonTestCase, RandomLists, eventually

#: The views of the other followers.
VIEWS: List[View] = [
    {"where": {"path": "/due", "atMost": 5}},
    {"search": "milk"},
    {"sort": ["/due", {"path": "id", "descending": True}]},
    {"expansion": "shared", "window": {"offset": 3, "limit": 12}},
    {"sort": ["/due"], "expansion": "own", "expanded": [], "window": {"offset": 0, "limit": 8}},
]


class Onlooker(threading.Thread):
    """Follows a list, and compares each state with the daemon's at that revision."""

    def __init__(self, client: Client, view: Optional[View]) -> None:
        super().__init__(daemon=True)
        self.client, self.view = client, view
        self.following = client.follow("random", view)
        self.updates = 0
        self.differences: List[str] = []
        self.start()

    def run(self) -> None:
        try:
            for update in self.following:
                self.compare(update)
                self.updates += 1
        except Exception as error:
            self.differences.append(repr(error))

    def has_seen(self, final: Snapshot) -> bool:
        """A view may stay at an old revision that looks the same."""
        return self.updates > 0 and (self.view is not None or self.following.revision == final.revision)

    def compare(self, update: Update) -> None:
        mine = update.state.to_dict()
        snapshot = self.client.snapshot("random", at=update.revision, view=self.view)
        if snapshot.epoch != update.epoch or snapshot.state.to_dict() != mine or snapshot.window != update.window:
            self.differences.append(f"{self.view} at {update.revision}: {mine} is not {snapshot.state.to_dict()}")


class FollowingTests(unittest.TestCase):
    def test_ten_thousand_random_operations_are_followed_over_kills_through_every_view(self) -> None:
        random = RandomLists(items_max=50)
        daemon = Daemon()
        self.addCleanup(daemon.close)
        client = Client(daemon.socket, patience=PATIENCE)
        with client, self.subTest(seed=str(random)), self.assertLogs("diffable", "WARNING"):
            client.create("random", if_absent=True)
            onlookers = [Onlooker(client, view) for view in [None, *random.random.sample(VIEWS, 3)]]
            final = self.change(client, daemon, random, onlookers)
            for onlooker in onlookers:
                eventually(lambda onlooker=onlooker: onlooker.differences or onlooker.has_seen(final))
                onlooker.following.close()
                onlooker.join()
                self.assertEqual(onlooker.differences, [])
                self.assertGreater(onlooker.updates, 3)

    def change(self, client: Client, daemon: Daemon, random: RandomLists, onlookers: List[Onlooker]) -> Snapshot:
        """Makes 10,000 operations by two clients, each transaction once even though the daemon is killed several times."""
        done = transactions = 0
        kills = [2_500, 5_000, 7_500]
        snapshot = client.snapshot("random")
        with Client(daemon.socket, patience=PATIENCE) as other:
            # Continues while a follower has hardly had an update yet.
            while done < 10_000 or done < 50_000 and any(onlooker.updates <= 3 for onlooker in onlookers):
                if done >= 10_000:
                    time.sleep(0.1)
                operations = self.fitting(random, snapshot.state, 50)
                killer = None
                if kills and done >= kills[0]:
                    kills.pop(0)
                    killer = threading.Timer(random.random.random() * 0.02, daemon.restart)
                    killer.start()
                outcome = random.random.choice([client, other]).transact("random", operations)
                done += len(operations)
                transactions += outcome.changed is True
                if killer:
                    killer.join()
                snapshot = client.snapshot("random")
                # A transaction that was made twice would have made an extra revision.
                self.assertEqual(snapshot.revision, transactions)
                self.assertEqual(snapshot.state.to_dict(), self.expected.to_dict())
        return snapshot

    def fitting(self, random: RandomLists, state: ListState, count: int) -> List[Any]:
        """Operations that fit, one after the other; `expected` is their result."""
        self.expected = ListState.from_dict(state.to_dict())
        fitting: List[Any] = []
        while len(fitting) < count:
            operation = random.operation(self.expected)
            try:
                operations.apply(self.expected, operation)
                fitting.append(operation)
            except operations.DoesNotFit:
                # It changes nothing, so the comparison at the end holds.
                pass
        return fitting


class UpdateTests(DaemonTestCase):
    def setUp(self) -> None:
        self.client = Client(self.daemon.socket)
        self.addCleanup(self.client.close)

    def test_the_client_has_the_daemons_version(self) -> None:
        self.assertEqual(self.client.status()["version"], __version__)

    def test_a_list_that_is_not_there_is_refused_or_waited_for(self) -> None:
        with self.assertRaises(NoSuchList):
            next(self.client.follow("later"))
        with self.client.follow("later", if_absent="wait") as following:
            threading.Timer(0.05, lambda: self.client.publish("later", ["a"])).start()
            update = next(following)
            causes = [update.cause]
            while "a" not in update.state:
                update = next(following)
            self.client.delete("later")
            while causes[-1] != "deleted":
                causes.append(next(following).cause)
            self.client.publish("later", ["b"], durability="volatile")
            update = next(following)
        self.assertEqual(causes[0], "initial")
        self.assertEqual(update.cause, "epoch")

    def test_iteration_ends_with_the_list_and_with_close(self) -> None:
        self.client.publish("ending", ["a"])
        following = self.client.follow("ending")
        next(following)
        self.client.delete("ending")
        self.assertEqual(list(following), [])
        self.client.publish("ending", ["a"])
        following = self.client.follow("ending")
        next(following)
        threading.Timer(0.05, following.close).start()
        self.assertEqual(list(following), [])

    def test_a_view_can_be_set_while_one_follows(self) -> None:
        self.client.publish("viewed", [{"id": str(number), "n": number} for number in range(50)])
        with self.client.follow("viewed", {"window": {"offset": 0, "limit": 3}}) as following:
            update = next(following)
            self.assertEqual([item.id for _, item in update.state.rows()], ["0", "1", "2"])
            self.assertEqual(update.window and update.window.total, 50)
            following.set_view({"window": {"offset": 40, "limit": 2}})
            self.assertEqual([item.id for _, item in next(following).state.rows()], ["40", "41"])
            following.set_view({"windw": {}})  # type: ignore[arg-type]
            with self.assertRaisesRegex(Refused, "windw"):
                next(following)

    def test_a_long_state_comes_and_goes_in_parts(self) -> None:
        rows = [{"id": str(number), "text": "x" * 100} for number in range(12_000)]
        self.client.publish("long", rows, durability="volatile")
        with self.client.follow("long") as following:
            update = next(following)
            self.assertEqual(len(update.state), 12_000)
            self.assertEqual([item.id for item in update.sections[0].items], [row["id"] for row in rows])
            outcome = self.client.publish("long", rows[::-1], reload=True)
            self.assertEqual(outcome.revision, 2)
            self.assertEqual([item.id for item in next(following).sections[0].items][:2], ["11999", "11998"])

    def test_asyncio_follows_and_changes_side_by_side(self) -> None:
        async def follow(client: AsyncClient, count: int) -> List[int]:
            seen = []
            async with client.follow("async") as following:
                async for update in following:
                    seen.append(len(update.state))
                    if seen[-1] == count:
                        break
            return seen

        async def main() -> None:
            async with AsyncClient(self.daemon.socket) as client:
                await client.create("async")
                followers = [asyncio.create_task(follow(client, 20)) for _ in range(3)]
                await asyncio.gather(*[
                    client.transact("async", [{"op": "appendItems", "items": [{"id": str(number)}]}]) for number in range(20)])
                for seen in await asyncio.gather(*followers):
                    self.assertEqual(seen, sorted(seen))

        asyncio.run(main())

    def test_a_cancelled_wait_loses_nothing(self) -> None:
        async def main() -> None:
            async with AsyncClient(self.daemon.socket) as client:
                await client.publish("cancelled", ["0"])
                async with client.follow("cancelled") as following:
                    expected = 1
                    for _ in range(40):
                        try:
                            update = await asyncio.wait_for(following.__anext__(), 0.002)
                            self.assertLessEqual(update.state["0"].index, 0)
                        except asyncio.TimeoutError:
                            await client.transact("cancelled", [{"op": "appendItems", "items": [{"id": str(expected)}]}])
                            expected += 1
                    while len(following.state) < expected:
                        await asyncio.wait_for(following.__anext__(), PATIENCE)

        asyncio.run(main())

    def test_changes_of_many_threads_are_made_once_each(self) -> None:
        self.client.create("threads", durability="volatile")

        def append(thread: int) -> None:
            for number in range(20):
                self.client.transact("threads", [{"op": "appendItems", "items": [{"id": f"{thread}-{number}"}]}])

        threads = [threading.Thread(target=append, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        snapshot = self.client.snapshot("threads")
        self.assertEqual((len(snapshot.state), snapshot.revision), (80, 80))

    def test_the_past_is_read_and_restored(self) -> None:
        with Client(self.daemon.socket, name="planner") as client:
            client.publish("past", ["a"])
            client.publish("past", ["a", "b"])
            history = client.history("past", limit=1)
            self.assertEqual((history.revision, history.revisions[0].name, history.oldest), (2, "planner", 0))
            self.assertEqual(len(client.snapshot("past", at=1).state), 1)
            difference = client.difference("past", 2, 1)
            self.assertEqual((difference.from_revision, difference.to_revision), (2, 1))
            self.assertEqual(difference.operations, [{"op": "deleteItems", "items": ["b"]}])
            self.assertEqual(client.undo("past", dry_run=True).revision, 2)
            self.assertEqual(client.undo("past").revision, 3)
            self.assertEqual(len(client.snapshot("past").state), 1)

    def test_undo_goes_back_and_redo_forward(self) -> None:
        with Client(self.daemon.socket, name="planner") as client:
            for items in (["a"], ["a", "b"], ["a", "b", "c"]):
                client.publish("steps", items)
            self.assertEqual([client.undo("steps").undo for _ in range(2)], [{"from": 3, "to": 2}, {"from": 2, "to": 1}])
            self.assertEqual(len(client.snapshot("steps").state), 1)
            redone = client.redo("steps", steps=2)
            self.assertEqual((redone.redo, redone.undo), ({"from": 1, "to": 3}, None))
            self.assertEqual(client.history("steps", limit=1).revisions[0].redo, {"from": 1, "to": 3})
            with self.assertRaises(NoSuchRevision):
                client.redo("steps")
            client.undo("steps", steps=3, dry_run=True)
            self.assertEqual(len(client.snapshot("steps").state), 3)

    def test_what_was_refused_does_not_spoil_what_comes_in_parts(self) -> None:
        rows = [{"id": str(number), "v": "x" * 200} for number in range(10_000)]
        deep: Any = 1
        for _ in range(80):
            deep = [deep]
        with Client(self.daemon.socket) as client:
            with self.assertRaises(TooLarge):
                client.publish("parts", [{"id": "a", "v": deep}])
            self.assertEqual(client.publish("parts", rows).summary["insertedItems"], len(rows))
            # The refused request can be in parts itself.
            with self.assertRaises(TooLarge):
                client.publish("parts", [{"id": "a", "v": deep}, *rows])
            self.assertFalse(client.publish("parts", rows).changed)
            self.assertEqual(client.publish("parts", rows[1:]).summary, {"deletedItems": 1})

    def test_a_key_of_ones_own_is_used_once(self) -> None:
        self.client.create("keys")
        for _ in range(2):
            outcome = self.client.transact("keys", [{"op": "appendItems", "items": [{"id": "a"}]}], request_key="k")
            self.assertEqual((outcome.revision, outcome.changed), (1, True))
        with self.assertRaises(Refused) as caught:
            self.client.transact("keys", [{"op": "appendItems", "items": [{"id": "b"}]}], if_revision=0)
        self.assertEqual((type(caught.exception).__name__, caught.exception.revision), ("RevisionMismatch", 1))

    def test_lists_are_made_renamed_deleted_and_brought_back(self) -> None:
        self.client.create("chores", mode="0640")
        self.client.publish("chores", {"content": {"title": "Chores"}, "sections": [{"id": "s", "items": [{"id": "a"}]}]})
        self.assertEqual(self.client.publish("chores", ["b"], into="s").summary, {"deletedItems": 1, "insertedItems": 1})
        self.assertEqual(self.client.set_access("chores", mode="0600").mode, "0600")
        self.assertEqual(self.client.rename("chores", "errands").list, "errands")
        summary, = [one for one in self.client.lists() if one.list == "errands"]
        self.assertEqual((summary.items, summary.mode, summary.durability), (1, "0600", "durable"))
        self.client.delete("errands")
        deleted, = [one for one in self.client.lists(deleted=True) if one.list == "errands"]
        self.assertIsNotNone(deleted.time)
        self.assertEqual(self.client.undelete("errands", as_name="chores").revision, 2)
        self.assertEqual(self.client.snapshot("chores").content, {"title": "Chores"})
