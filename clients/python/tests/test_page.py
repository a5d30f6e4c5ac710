"""The programs of docs/python.md, run in their order, with one daemon for all of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Dict, List, Optional

from diffable import Client, ProposalRefused

from .fake_daemon import HandlerDaemon
from .support import PATIENCE, REPOSITORY, Daemon, answers_for_lists, eventually

PAGE = (REPOSITORY / "docs" / "python.md").read_text()
PACKAGE = str(REPOSITORY / "clients" / "python" / "src")


def blocks(kind: str) -> Dict[str, str]:
    return dict(re.findall(rf"^```{kind} (\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


class PageTests(unittest.TestCase):
    def start(self, name: str, socket: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-B", "-u", "-W", "error", "-c", blocks("python")[name]],
            env={**os.environ, "DIFFABLED_SOCKET": socket, "PYTHONPATH": PACKAGE}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def finish(self, name: str, process: subprocess.Popen[str], complaints: Optional[str] = "") -> None:
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual((output, errors if complaints is not None else None), (blocks("text").get(name, ""), complaints), name)
        self.assertEqual(process.returncode, 0)

    def test_each_program_of_the_page_prints_what_stands_below_it(self) -> None:
        names = list(blocks("python"))
        self.assertEqual(names[:3] + names[-1:], ["publish", "follow", "another", "types"])
        self.assertTrue(set(blocks("text")) <= set(names))
        daemon = Daemon()
        self.addCleanup(daemon.close)
        following = None
        with Client(daemon.socket) as client:
            for name in names:
                if name in ("handle", "ask"):
                    continue
                if name == "another":
                    # The follower has to have seen the first state.
                    eventually(lambda: client.status()["deliveries"] >= 1)
                process = self.start(name, daemon.socket)
                if name == "follow":
                    following = process
                    continue
                self.finish(name, process)
                if name == "another":
                    eventually(lambda: client.status()["deliveries"] >= 2)
                    client.rename("tasks", "kept")
                    assert following is not None
                    self.finish("follow", following)
                    client.rename("kept", "tasks")

    def test_the_shipped_example_brings_what_is_in_a_directory(self) -> None:
        daemon = HandlerDaemon()
        self.addCleanup(daemon.close)
        with tempfile.TemporaryDirectory() as directory:
            # The fake daemon's only item has this name.
            os.mkdir(f"{directory}/milk")
            for name in ("b", "a"):
                Path(directory, "milk", name).write_text("text")
            os.mkdir(f"{directory}/milk/c")
            bot = subprocess.Popen(
                [sys.executable, "-B", "-W", "error", str(REPOSITORY / "examples" / "files_bot.py"), directory, "tasks"],
                env={**os.environ, "DIFFABLED_SOCKET": daemon.socket, "PYTHONPATH": PACKAGE}, cwd=directory)
            self.addCleanup(bot.wait)
            self.addCleanup(bot.kill)
            eventually(lambda: daemon.handler)
            with Client(daemon.socket) as client:
                client.expand("tasks", "milk")
                size = client.perform("tasks", "size", [f"{directory}/milk/a", f"{directory}/milk/b"])
                self.assertEqual(size.result, {"bytes": 8})
                for ask, words in (
                    (lambda: client.perform("tasks", "size", ["/no/such"]), "/no/such: No such file"),
                    (lambda: client.expand("tasks", "/no/such"), "/no/such: No such file"),
                    (lambda: client.propose("tasks", []), "files are not moved"),
                ):
                    with self.assertRaisesRegex(ProposalRefused, words):
                        ask()
        children, = [params["operations"][0]["items"] for method, params in daemon.requests if method == "transact"]
        self.assertEqual([child["content"]["text"] for child in children], ["c", "a", "b"])
        self.assertEqual([child["kind"] for child in children], ["directory", "file", "file"])

    def test_the_handler_of_the_page_answers(self) -> None:
        fake = HandlerDaemon()
        self.addCleanup(fake.close)
        sockets: List[str] = [fake.socket]
        daemon = Daemon()
        self.addCleanup(daemon.close)
        with Client(daemon.socket) as client:
            if answers_for_lists(client):
                client.publish("tasks", [{"id": "milk"}])
                sockets.append(daemon.socket)
        for socket in sockets:
            handler = self.start("handle", socket)
            with Client(socket) as client:
                eventually(lambda s=socket, c=client: fake.handler if s == fake.socket else c.lists()[0].handles)
                self.finish("ask", self.start("ask", socket))
            handler.kill()
