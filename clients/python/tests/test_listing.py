from __future__ import annotations

import asyncio
import random
import unittest
from typing import Set

from diffable import AsyncClient, Client, FollowingLists, ListsUpdate

from .support import PATIENCE, Daemon


class ListingTests(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = Daemon()
        self.addCleanup(self.daemon.close)
        self.client = Client(self.daemon.socket)

    def test_follows_the_set_of_lists_with_their_titles(self) -> None:
        client = self.client
        client.create("a")
        with client.follow_lists(content=True) as lists:
            update = self._next(lists)
            self.assertEqual((set(update.lists), update.listed, update.unlisted), ({"a"}, {"a"}, set()))
            self.assertEqual(list(update.lists["a"].may), ["see", "ask", "change"])
            client.publish("a", {"content": {"title": "A"}, "sections": []})
            update = self._next(lists)
            self.assertEqual((update.listed, update.lists["a"].content), ({"a"}, {"title": "A"}))
            client.delete("a")
            update = self._next(lists)
            self.assertEqual((dict(update.lists), update.unlisted), ({}, {"a"}))

    def test_knows_the_lists_after_random_changes(self) -> None:
        client, names = self.client, [f"list{number}" for number in range(8)]
        existing: Set[str] = set()
        with client.follow_lists() as lists:
            for _ in range(60):
                name = random.choice(names)
                if name in existing:
                    client.delete(name)
                    existing.remove(name)
                else:
                    client.create(name)
                    existing.add(name)
            client.create("last")
            while "last" not in (update := self._next(lists)).lists:
                pass
            self.assertEqual(set(update.lists), existing | {"last"})
            self.assertEqual(update.lists, {summary.list: summary for summary in client.lists()})

    def test_follows_in_asyncio(self) -> None:
        self.client.create("a")

        async def first() -> ListsUpdate:
            async with AsyncClient(self.daemon.socket) as client, client.follow_lists(min_interval=0.1) as lists:
                return await asyncio.wait_for(lists.__anext__(), PATIENCE)

        self.assertEqual(set(asyncio.run(first()).lists), {"a"})

    def _next(self, lists: FollowingLists) -> ListsUpdate:
        update = lists.next(timeout=PATIENCE)
        if update is None:
            raise AssertionError("no update came")
        return update


if __name__ == "__main__":
    unittest.main()
