from __future__ import annotations

import asyncio
import os
import socket
import tempfile
import threading
import unittest
from typing import Any, Dict, List, Optional
from unittest import mock

from diffable import (
    AsyncClient,
    Client,
    ConnectionLost,
    NoDaemon,
    NoReply,
    ShuttingDown,
    SocketNotPermitted,
    TooLarge,
    UntrustedSocket,
)
from diffable.asynchronous import AsyncWire
from diffable.backoff import pause
from diffable.blocking import BlockingWire
from diffable.socket_path import SYSTEM, TrustedSocket, find

from .fake_daemon import FakeDaemon, Peer
from .support import PATIENCE, eventually


def patient_for_pings(receive: Any) -> Any:
    """Waits longer for the reply to the question after a silence: a daemon in this process may be late on a busy machine."""
    was_silent = False

    async def receive_patiently(wire: Any, timeout: Optional[float]) -> bytes:
        nonlocal was_silent
        try:
            data: bytes = await receive(wire, PATIENCE if was_silent else timeout)
        except TimeoutError:
            was_silent = True
            raise
        was_silent = False
        return data

    return receive_patiently


class ConnectionTests(unittest.TestCase):
    def daemon(self, **methods: Any) -> FakeDaemon:
        daemon = FakeDaemon(**methods)
        self.addCleanup(daemon.close)
        return daemon

    def test_a_change_whose_answer_was_lost_is_sent_again_as_it_was(self) -> None:
        sent: List[Dict[str, Any]] = []

        def transact(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            sent.append({"id": id, **params})
            if len(sent) < 3:
                peer.cut()
            elif len(sent) == 3:
                peer.refuse(id, "storageFailed", "the disk failed", 14)
            else:
                peer.reply(id, {"list": "tasks", "revision": 1, "changed": True})

        daemon = self.daemon(transact=transact)
        with Client(daemon.socket, patience=PATIENCE) as client, self.assertLogs("diffable", "WARNING"):
            self.assertEqual(client.transact("tasks", []).revision, 1)
        self.assertEqual(sent[0], sent[3])
        self.assertEqual(len({line["requestKey"] for line in sent}), 1)

    def test_what_must_not_be_done_twice_is_not_sent_again(self) -> None:
        daemon = self.daemon(deleteList=lambda peer, id, params: peer.cut(), perform=lambda peer, id, params: peer.cut())
        with Client(daemon.socket) as client:
            with self.assertRaisesRegex(ConnectionLost, "not known"):
                client.delete("tasks")
            with self.assertRaises(ConnectionLost):
                client.perform("tasks", "done")
        self.assertEqual([method for method, _ in daemon.requests].count("deleteList"), 1)

    def test_a_daemon_that_hangs_is_given_up_and_one_that_is_busy_is_not(self) -> None:
        hanging = self.daemon()
        del hanging.methods["ping"]
        with Client(hanging.socket, reply_timeout=0.4) as client, self.assertRaisesRegex(NoReply, "0.4 s"):
            client.perform("tasks", "done")

        def ping(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            """Replies to the request after about three pings, each after half of the timeout."""
            peer.reply(id, {})
            asked = [method for method, _ in busy.requests]
            if "perform" in asked and asked[asked.index("perform"):].count("ping") == 3:
                peer.reply(performing[0], {"list": "tasks"})

        performing: List[Any] = []
        busy = self.daemon(perform=lambda peer, id, params: performing.append(id), ping=ping)
        with mock.patch.object(BlockingWire, "receive", patient_for_pings(BlockingWire.receive)):
            with Client(busy.socket, reply_timeout=0.4) as client:
                client.perform("tasks", "done")

    def test_a_daemon_that_takes_nothing_any_more_is_given_up(self) -> None:
        def stop_reading(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            peer.reply(id, {"limits": {"lineLengthMax": 1 << 20}})
            stopped.wait(PATIENCE)

        stopped = threading.Event()
        self.addCleanup(stopped.set)
        daemon = self.daemon(hello=stop_reading)
        rows = [{"id": str(number), "text": "x" * 1_000} for number in range(3_000)]
        with mock.patch.object(BlockingWire, "receive", patient_for_pings(BlockingWire.receive)):
            with Client(daemon.socket, reply_timeout=0.3, patience=0) as client, self.assertRaises(ConnectionLost):
                client.publish("tasks", rows)

        async def publish() -> None:
            async with AsyncClient(daemon.socket, reply_timeout=0.3, patience=0) as client:
                await client.publish("tasks", rows)

        with mock.patch.object(AsyncWire, "receive", patient_for_pings(AsyncWire.receive)):
            with self.assertRaises(ConnectionLost):
                asyncio.run(publish())

    def test_a_loop_that_is_left_is_closed(self) -> None:
        def subscribe(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            peer.reply(id, {"subscription": 1, "list": "tasks"})
            peer.notify("reset", subscription=1, epoch="e", revision=1, reason="initial", operations=[])

        ended: List[Peer] = []
        daemon = self.daemon(subscribe=subscribe)
        daemon.has_ended = ended.append  # type: ignore[assignment,method-assign]
        client = Client(daemon.socket)
        for update in client.follow("tasks"):
            self.assertEqual(update.revision, 1)
            break
        eventually(lambda: ended)

    def test_a_subscription_that_was_cut_off_goes_on_from_its_last_whole_group(self) -> None:
        since: List[Any] = []

        def subscribe(peer: Peer, id: Any, params: Dict[str, Any]) -> None:
            since.append(params.get("since"))
            peer.reply(id, {"subscription": 1, "list": "tasks"})
            about = {"subscription": 1, "list": "tasks"}
            if len(since) == 1:
                items = [{"op": "appendItems", "items": [{"id": "a"}]}]
                peer.notify("reset", **about, epoch="e", revision=1, reason="initial", operations=items)
                gone = [{"op": "deleteItems", "items": ["a"]}]
                peer.notify("changes", **about, **{"from": 1}, revision=2, operations=gone, more=True)
                peer.cut()
            else:
                more = [{"op": "appendItems", "items": [{"id": "b"}]}]
                peer.notify("changes", **about, **{"from": 1}, revision=4, operations=more)

        async def follow(client: AsyncClient) -> List[Any]:
            following = client.follow("tasks")
            seen = [len((await following.__anext__()).state) for _ in range(2)]
            await following.close()
            return seen

        for blocks in (True, False):
            since.clear()
            daemon = self.daemon(subscribe=subscribe)
            with self.assertLogs("diffable", "WARNING") as logs:
                if blocks:
                    with Client(daemon.socket) as client, client.follow("tasks") as following:
                        seen = [len(next(following).state) for _ in range(2)]
                else:
                    seen = asyncio.run(follow(AsyncClient(daemon.socket)))
            self.assertEqual((seen, since), ([1, 2], [None, {"epoch": "e", "revision": 1}]))
            self.assertRegex(logs.output[0], "closed the connection.*Trying again")
            self.assertIn("connected again", logs.output[1])

    def test_a_daemon_that_serves_no_more_connections_says_why(self) -> None:
        daemon = self.daemon(hello=lambda peer, id, params: peer.refuse(None, "tooLarge", "connectionsMax is 1", 11))
        with Client(daemon.socket) as client, self.assertRaisesRegex(TooLarge, "connectionsMax"):
            client.ping()

    def test_who_has_no_patience_hears_at_once_what_is_wrong(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            client = Client(f"{directory}/no.sock", patience=0)
            with self.assertRaisesRegex(NoDaemon, "no daemon answers at .*no.sock .*Start one with"):
                client.ping()
        daemon = self.daemon(lists=lambda peer, id, params: peer.refuse(id, "shuttingDown", "it ends", 17))
        with Client(daemon.socket, patience=0) as client, self.assertRaises(ShuttingDown):
            client.lists()

    def test_a_socket_that_may_not_be_used_is_said_to_be_there(self) -> None:
        daemon = self.daemon()
        with mock.patch("diffable.blocking.socket.socket.connect", side_effect=PermissionError):
            with self.assertRaisesRegex(SocketNotPermitted, "ask its owner"):
                Client(daemon.socket).ping()

    def test_pauses_grow_to_two_seconds(self) -> None:
        self.assertEqual(pause(0), 0)
        for failures, most in ((1, 0.05), (2, 0.1), (7, 2), (5_000, 2)):
            for _ in range(20):
                self.assertTrue(most / 2 <= pause(failures) <= most)


class SocketPathTests(unittest.TestCase):
    def test_the_named_one_comes_first_then_the_variable_the_users_own_the_systems(self) -> None:
        both = {"DIFFABLED_SOCKET": "/v", "XDG_RUNTIME_DIR": "/run/user/7"}
        own = "/run/user/7/diffabled/diffabled.sock"
        self.assertEqual(find("/n", both), "/n")
        self.assertEqual(find(None, both), "/v")
        runtime = {"DIFFABLED_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/7"}
        self.assertEqual(find(None, runtime, lambda path: True, lambda path: False), own)
        self.assertEqual(find(None, runtime, lambda path: True, lambda path: path == own), SYSTEM)
        self.assertEqual(find(None, runtime, lambda path: True, lambda path: True), own)
        self.assertEqual(find(None, runtime, lambda path: path == SYSTEM), SYSTEM)
        with self.assertRaisesRegex(NoDaemon, f"no socket at {own} or {SYSTEM}"):
            find(None, runtime, lambda path: False)
        with self.assertRaisesRegex(NoDaemon, "XDG_RUNTIME_DIR is not set"):
            find(None, {}, lambda path: False)

    def test_the_systems_daemon_does_not_stand_in_for_the_users_own_that_is_stopped(self) -> None:
        own = "/run/user/7/diffabled/diffabled.sock"
        user = {"XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/home/u"}

        def is_state(path: str) -> bool:
            return path == "/home/u/.local/state/diffabled"

        self.assertEqual(find(None, user, lambda path: True, lambda path: False, is_state), own)
        self.assertEqual(find("/n", user, lambda path: True, lambda path: True, is_state), "/n")
        with self.assertRaisesRegex(NoDaemon, f"your own daemon is not running: nobody listens at {own}.*/home/u/.local"):
            find(None, user, lambda path: True, lambda path: path == own, is_state)
        with self.assertRaisesRegex(NoDaemon, "systemctl --user start"):
            find(None, user, lambda path: path == SYSTEM, lambda path: False, is_state)
        with self.assertRaisesRegex(NoDaemon, "XDG_RUNTIME_DIR is not set, so the socket of your own daemon"):
            find(None, {"HOME": "/home/u"}, lambda path: path == SYSTEM, lambda path: False, is_state)
        elsewhere = {**user, "XDG_STATE_HOME": "/s"}
        self.assertEqual(find(None, elsewhere, lambda path: path == SYSTEM, lambda path: False, is_state), SYSTEM)

    def test_a_socket_where_others_can_write_is_not_used(self) -> None:
        daemon = FakeDaemon()
        self.addCleanup(daemon.close)
        link = f"{daemon.directory}/link"
        os.symlink(daemon.socket, link)
        self.assertEqual(TrustedSocket(link).path, os.path.realpath(daemon.socket))
        for mode, is_trusted in ((0o777, False), (0o720, False), (0o1777, True), (0o755, True)):
            os.chmod(daemon.directory, mode)
            if is_trusted:
                Client(daemon.socket).ping()
                continue
            with self.assertRaisesRegex(UntrustedSocket, "others can write in .*chmod go-w"):
                Client(daemon.socket).ping()
        with mock.patch("diffable.socket_path.os.geteuid", return_value=4_711):
            if os.getuid() not in (0, 4_711):
                with self.assertRaisesRegex(UntrustedSocket, "it belongs to the user"):
                    TrustedSocket(daemon.socket)

    def test_a_path_that_cannot_be_resolved_is_not_connected_to(self) -> None:
        daemon = FakeDaemon()
        self.addCleanup(daemon.close)
        os.symlink("loop", f"{daemon.directory}/loop")
        for path, reason in (("/nowhere/at/all", "No such file"), (f"{daemon.directory}/loop", "symbolic links")):
            with self.assertRaisesRegex(NoDaemon, reason):
                Client(path).ping()
        # A link that appears after links were resolved.
        link = f"{daemon.directory}/link"
        os.symlink(daemon.socket, link)
        with mock.patch("diffable.socket_path.os.path.realpath", lambda path: path):
            with self.assertRaisesRegex(NoDaemon, "symbolic links"):
                Client(link).ping()

    @unittest.skipUnless(os.geteuid() == 0, "only root can listen as another user")
    def test_a_server_of_another_user_is_not_spoken_to(self) -> None:
        """On a socket that root owns, in root's directory."""
        with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as server:
            server.bind(f"{directory}/socket")
            os.seteuid(61_002)
            server.listen()
            os.seteuid(0)
            path = f"{directory}/socket"

            async def ping() -> None:
                await AsyncClient(path).ping()

            with mock.patch("diffable.socket_path.os.geteuid", return_value=61_001):
                with self.assertRaisesRegex(UntrustedSocket, "runs as the user 61002"):
                    Client(path).ping()
                with self.assertRaisesRegex(UntrustedSocket, "runs as the user 61002"):
                    asyncio.run(ping())
            for _ in range(2):
                with server.accept()[0] as accepted:
                    self.assertEqual(accepted.recv(1), b"")
