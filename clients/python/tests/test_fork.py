"""How a child of `os.fork` uses the clients of its parent, each in a separate program."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import List

from diffable import Client

from .support import PATIENCE, REPOSITORY, DaemonTestCase, eventually

_BEGIN = """
import os, sys, threading
from diffable import AsyncClient, Client
client = Client()

def fork(work):
    # The child's exit status.
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    return child

def wait(child):
    assert os.waitpid(child, 0)[1] == 0, "the child failed"
"""


class ForkTests(DaemonTestCase):
    def start(self, program: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-B", "-W", "ignore::DeprecationWarning", "-c", _BEGIN + textwrap.dedent(program)],
            env={**os.environ, "DIFFABLED_SOCKET": self.daemon.socket, "PYTHONPATH": str(REPOSITORY / "clients/python/src")},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_program(self, program: str) -> List[str]:
        process = self.start(program)
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, errors), (0, ""))
        return output.splitlines()

    def test_each_process_gets_its_own_answers(self) -> None:
        self.run_program("""
            client.publish("a", ["a"])
            client.publish("b", ["b"])

            def ask(name):
                for _ in range(500):
                    assert name in client.snapshot(name).state

            child = fork(lambda: ask("a"))
            ask("b")
            wait(child)
        """)

    def test_a_loop_goes_on_in_both_processes(self) -> None:
        self.run_program("""
            client.publish("both", ["a"])
            following = client.follow("both")
            next(following)
            following.fileno()
            following.next(timeout=0)

            def follow(name):
                update = next(following)
                assert update.cause == "changes" and name in update.state, (update, name)

            read, write = os.pipe()
            def in_child():
                os.read(read, 1)
                follow("b")
                following.close()
                client.close()
            child = fork(in_child)
            client.transact("both", [{"op": "appendItems", "items": [{"id": "b"}]}])
            follow("b")
            os.write(write, b"x")
            wait(child)
            client.transact("both", [{"op": "appendItems", "items": [{"id": "c"}]}])
            follow("c")
        """)

    def test_a_child_of_a_process_whose_other_thread_follows_goes_on_too(self) -> None:
        self.run_program("""
            client.publish("threads", ["0"])
            following = client.follow("threads")
            next(following)
            threading.Thread(target=lambda: [None for _ in following], daemon=True).start()

            def follow():
                while "last" not in following.state:
                    next(following)

            children = []
            for number in range(1, 30):
                client.transact("threads", [{"op": "appendItems", "items": [{"id": str(number)}]}])
                children.append(fork(follow))
            client.transact("threads", [{"op": "appendItems", "items": [{"id": "last"}]}])
            for child in children:
                wait(child)
        """)

    def test_a_lease_stays_with_the_process_that_made_it(self) -> None:
        self.run_program("""
            client.create("leased")
            lease = client.lease()
            lease.transact("leased", [{"op": "appendItems", "items": [{"id": "clock"}]}])

            def in_child():
                assert not lease.is_held
                try:
                    lease.transact("leased", [])
                except RuntimeError as error:
                    assert "parent process" in str(error), error
                else:
                    raise AssertionError("the child used its parent's lease")
                lease.close()

            wait(fork(in_child))
            assert lease.is_held
            assert "clock" in client.snapshot("leased").state
        """)

    def test_a_lease_ends_with_its_process_even_if_a_child_lives_on(self) -> None:
        with Client(self.daemon.socket) as client:
            process = self.start("""
                client.create("left")
                lease = client.lease()
                lease.transact("left", [{"op": "appendItems", "items": [{"id": "clock"}]}])
                child = fork(lambda: sys.stdin.read())
                print(child, flush=True)
                os._exit(0)
            """)
            assert process.stdout is not None
            child = int(process.stdout.readline())
            eventually(lambda: len(client.snapshot("left").state) == 0)
            os.kill(child, 9)

    def test_a_request_is_answered_by_the_process_that_got_it(self) -> None:
        self.run_program("""
            client.publish("answering", ["a"])
            handler = client.handle("answering", ["perform"])
            results = []
            handler.next(timeout=0)
            asking = threading.Thread(target=lambda: results.append(client.perform("answering", "do").result))
            while not client.lists()[[one.list for one in client.lists()].index("answering")].handles:
                handler.next(timeout=0.01)
            asking.start()
            request = next(handler)

            def in_child():
                try:
                    request.answer("child")
                except RuntimeError as error:
                    assert "forked" in str(error), error
                else:
                    raise AssertionError("the child answered")
                handler.close()

            wait(fork(in_child))
            request.answer("parent")
            asking.join()
            assert results == ["parent"], results
        """)

    def test_asyncio_begins_anew_in_a_child_and_in_another_loop(self) -> None:
        self.run_program("""
            import asyncio
            shared = AsyncClient()

            async def publish(name):
                await shared.publish(name, [name])
                assert name in (await shared.snapshot(name)).state

            asyncio.run(publish("first"))
            asyncio.run(publish("second"))
            child = fork(lambda: asyncio.run(publish("child")))
            asyncio.run(publish("parent"))
            wait(child)
        """)
