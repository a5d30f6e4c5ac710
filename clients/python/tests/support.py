"""A daemon for tests, and random lists."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional

from diffable import Client

REPOSITORY = Path(__file__).resolve().parents[3]
BINARIES = Path(os.environ.get("DIFFABLED_BINARIES") or REPOSITORY / ".build" / "debug")


class Daemon:
    """A real daemon, with a directory of its own. It can be killed and started again."""

    def __init__(self, *options: str) -> None:
        self._options = options
        if not (BINARIES / "diffabled").exists():
            raise unittest.SkipTest(f"there is no {BINARIES}/diffabled: build it, or say DIFFABLED_BINARIES")
        self.directory = tempfile.mkdtemp(prefix="diffable-")
        self.socket = f"{self.directory}/diffabled.sock"
        self._process: Optional[subprocess.Popen[bytes]] = None
        self.start()
        eventually(lambda: os.path.exists(self.socket))

    def start(self) -> None:
        with open(f"{self.directory}/log", "ab") as log:
            self._process = subprocess.Popen(
                [BINARIES / "diffabled", "--socket", self.socket, "--state-directory", f"{self.directory}/state",
                 *self._options],
                stderr=log, stdout=log, stdin=subprocess.DEVNULL,
            )

    def kill(self, how: int = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def restart(self) -> None:
        self.kill()
        self.start()

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.directory)


class DaemonTestCase(unittest.TestCase):
    """One daemon serves all tests of a class; each uses its own list."""

    daemon: Daemon

    @classmethod
    def setUpClass(cls) -> None:
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.close)


#: The seconds to wait for an event that is immediate on a quiet machine: not a measurement, but a limit if it never happens.
PATIENCE = 180


def eventually(is_so: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError("it never became so")
        time.sleep(0.005)


def answers_for_lists(client: Client) -> bool:
    """Whether this daemon supports handlers."""
    return "handle" in {str(method["method"]) for method in client.request("help")["methods"]}


class RandomLists:
    """Random states and random operations on them. A failure prints the seed: DIFFABLED_SEED repeats it."""

    def __init__(self, items_max: int = 200) -> None:
        self.items_max = items_max
        self.seed = int(os.environ.get("DIFFABLED_SEED") or random.SystemRandom().getrandbits(48))
        self.random = random.Random(self.seed)
        self._last = 0

    def __str__(self) -> str:
        return f"DIFFABLED_SEED={self.seed}"

    def content(self) -> Any:
        choice = self.random
        return choice.choice([
            None, True, choice.randrange(50), [1, [2]], "text \"quoted\" \n \u2028 😀",
            {"text": choice.choice(["Buy milk", "Brot", "Äpfel", "x" * 40]), "due": choice.randrange(9)},
            {"done": choice.random() < 0.5, "tags": ["a", "b"], "due": choice.random()},
        ])

    def new_id(self) -> str:
        self._last += 1
        return f"{self.random.choice(['i', 'ü ', 'a/b~'])}{self._last}"

    def item(self, levels: int = 2) -> Any:
        choice = self.random
        item: Dict[str, Any] = {"id": self.new_id()}
        if choice.random() < 0.3:
            item["kind"] = choice.choice(["todo", "header"])
        if choice.random() < 0.8:
            item["content"] = self.content()
        if choice.random() < 0.2:
            item["expanded"] = choice.random() < 0.7
        if levels and choice.random() < 0.3:
            item["children"] = [self.item(levels - 1) for _ in range(choice.randrange(1, 4))]
        return item

    def items(self) -> List[Any]:
        return [self.item() for _ in range(self.random.randrange(1, 5))]

    def some_children(self, parent: Any) -> List[Any]:
        """Some of the existing children, in another order, without their expansion."""
        children = [child.to_dict() for child in parent.children if self.random.random() < 0.7]
        for child in children:
            child.pop("expanded", None)
        self.random.shuffle(children)
        return children

    def operation(self, state: Any) -> Any:
        """An operation that usually fits the state."""
        choice = self.random
        sections = [section.id for section in state.sections]
        items = list(state._items_by_id)

        def some(ids: List[str], most: int = 4) -> List[str]:
            return choice.sample(ids, min(len(ids), choice.randrange(1, most + 1)))

        if not sections or choice.random() < 0.03:
            section = {"id": self.new_id(), "content": self.content(), "items": self.items()}
            return {"op": "appendSections", "sections": [section]}
        if len(sections) > 8:
            return {"op": "deleteSections", "sections": [*some(sections), "nothing"], "ifPresent": True}
        anchor = choice.choice([{"before": choice.choice(sections)}, {"after": choice.choice(sections)}, {"after": None}])
        if not items or choice.random() < 0.1:
            return choice.choice([
                {"op": "insertSections", **anchor, "sections": [{"id": self.new_id(), "items": self.items()}]},
                {"op": "moveSection", "section": choice.choice(sections), **anchor},
                {"op": "reloadSections", "sections": [{"id": choice.choice(sections), "content": self.content()}]},
                {"op": "reloadSections", "sections": some(sections)},
                {"op": "reconfigureList", "content": self.content()},
                {"op": "patchList", "content": {"title": choice.choice(["a", "b", None]), "deep": {"n": choice.randrange(3)}}},
                {"op": "appendItems", "items": self.items()},
                {"op": "deleteSections", "sections": some(sections, 2)},
                {"op": "appendItems", "section": choice.choice(sections), "items": self.items()},
            ])
        item = choice.choice(items)
        if choice.random() < 0.03:
            # The item is usually elsewhere already.
            name = choice.choice(["appendItems", "replaceChildren"])
            return {"op": name, "parent": item, "items": [{"id": choice.choice(items)}]}
        places: List[Dict[str, Any]] = [
            {"before": item}, {"after": item}, {"section": choice.choice(sections)}, {"parent": item},
            {"section": choice.choice(sections), "after": None}, {"parent": item, "after": None},
        ]
        place = choice.choice(places)
        if "before" not in place and "after" not in place and choice.random() < 0.3:
            return {"op": "appendItems", **place, "items": self.items()}
        if len(items) > self.items_max or choice.random() < 0.12:
            return {"op": "deleteItems", "items": some(items, 12), **({"ifPresent": True} if choice.random() < 0.5 else {})}
        return choice.choice([
            {"op": "insertItems", **place, "items": self.items()}
            if "before" in place or "after" in place else {"op": "appendItems", **place, "items": self.items()},
            {"op": "moveItem", "item": choice.choice(items), **place},
            {"op": "moveItem", "item": choice.choice(items), **choice.choice(places)},
            {"op": "reconfigureItems", "items": [*some(items), {"id": item, "content": self.content()}]},
            {"op": "patchItems", "items": [{"id": item, "content": {"due": choice.randrange(9), "text": None}}]},
            {"op": "reloadItems", "items": [{"id": item, "kind": choice.choice(["todo", "other", None])}]},
            {"op": "reloadItems", "items": [{"id": item, "content": self.content()}, choice.choice(items)]},
            {"op": "expandItems", "items": some(items)},
            {"op": "collapseItems", "items": some(items)},
            {"op": "replaceChildren", "parent": item, "items": [*self.some_children(state[item]), *self.items()]},
        ])
