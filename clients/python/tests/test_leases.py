from __future__ import annotations

import asyncio
import threading
import unittest

from diffable import AsyncClient, Client, ConnectionLost, NoDaemon, NoSuchItem, NoSuchList

from .support import PATIENCE, Daemon, DaemonTestCase, eventually


class LeaseTests(DaemonTestCase):
    def ids(self, client: Client, list: str) -> object:
        return [item.id for _, item in client.snapshot(list).state.rows()]

    def test_what_is_leased_goes_with_the_lease_and_all_else_stays(self) -> None:
        with Client(self.daemon.socket) as client:
            client.publish("bar", [{"id": "title"}])
            with client.lease() as lease:
                self.assertFalse(lease.is_held, "nothing was asked of it yet")
                lease.publish("bar", [{"id": "clock", "text": "12:00"}], into="left")
                lease.transact("bar", [{"op": "appendItems", "section": "main", "items": [{"id": "net"}]}])
                lease.propose("bar", [{"op": "appendItems", "section": "main", "items": [{"id": "sound"}]}])
                lease.create("popup", durability="volatile")
                lease.create("bar", if_absent=True)
                with self.assertRaises(NoSuchItem):
                    lease.transact("bar", [{"op": "deleteItems", "items": ["eggs"]}])
                self.assertTrue(lease.is_held, "a refusal ends nothing")
                self.assertEqual(self.ids(client, "bar"), ["title", "net", "sound", "clock"])
            self.assertFalse(lease.is_held)
            eventually(lambda: self.ids(client, "bar") == ["title"])
            eventually(lambda: "popup" not in [list.list for list in client.lists()])
            with self.assertRaisesRegex(RuntimeError, "has ended"):
                lease.transact("bar", [])

    def test_asyncio_leases_too(self) -> None:
        async def lease() -> None:
            async with AsyncClient(self.daemon.socket) as client:
                await client.create("async bar", durability="volatile")
                async with client.lease() as lease:
                    await lease.publish("async bar", ["clock"])
                    self.assertEqual(len((await client.snapshot("async bar")).state), 1)
                    self.assertTrue(lease.is_held)
                async with client.follow("async bar") as following:
                    async for update in following:
                        if len(update.state) == 0:
                            break

        asyncio.run(asyncio.wait_for(lease(), PATIENCE))

    def test_a_lost_lease_says_so_and_the_next_one_begins_anew(self) -> None:
        daemon = Daemon()
        self.addCleanup(daemon.close)
        with Client(daemon.socket, patience=PATIENCE) as client, self.assertLogs("diffable"):
            client.create("bar")
            with client.lease() as lease, client.lease() as next:
                lease.publish("bar", ["clock"])
                daemon.kill()
                eventually(lambda: not lease.is_held)
                with self.assertRaises(ConnectionLost):
                    lease.publish("bar", ["clock"])
                with Client(daemon.socket, patience=0.01) as hasty, hasty.lease() as hopeless:
                    with self.assertRaises(NoDaemon):
                        hopeless.publish("bar", ["clock"])
                threading.Timer(0.2, daemon.start).start()
                # A lease that has not begun waits for a daemon, as all requests do.
                next.publish("bar", ["net"])
                self.assertEqual(self.ids(client, "bar"), ["net"])
                with self.assertRaises(ConnectionLost):
                    lease.transact("bar", [])

    def test_a_deleted_list_is_kept_as_was_said_and_comes_back_by_its_epoch(self) -> None:
        with Client(self.daemon.socket) as client:
            epochs = []
            for item in ("first", "second"):
                client.publish("kept", [item])
                epochs.append(client.snapshot("kept").epoch)
                client.delete("kept", keep="required")
            self.assertEqual(client.undelete("kept", epoch=epochs[0]).epoch, epochs[0])
            self.assertEqual(self.ids(client, "kept"), ["first"])
            client.delete("kept", keep="never")
            with self.assertRaises(NoSuchList):
                client.undelete("kept", epoch=epochs[0])


if __name__ == "__main__":
    unittest.main()
