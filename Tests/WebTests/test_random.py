"""Random changes, views and lost connections: at each rest, the page has the rows that the daemon's snapshot of the view has."""

from __future__ import annotations

import os
import random
from typing import Any, Iterator

from fixture import SEED, Daemon, Web, WebTest
from playwright.sync_api import Page

#: Changes of the two lists together. `make soak-web` makes 10,000.
STEPS = int(os.environ.get("STEPS") or 300)
# A list of more rows than this is followed in a window.
WHOLE_MAX = 2_000


class RandomTests(WebTest):
    expected_messages = ("ERR_CONNECTION_REFUSED", "WebSocket connection to", "503")

    def setUp(self) -> None:
        super().setUp()
        self.web = Web(self.daemon)
        self.addCleanup(self.web.close)
        self.random = random.Random(SEED)
        self.count = 0

    # Changes

    def new_item(self, children: int = 0) -> dict[str, Any]:
        self.count += 1
        content = {"text": f"Text {self.count}", "rank": self.random.randrange(9)}
        item: dict[str, Any] = {"id": f"n{self.count}", "content": content, "expanded": self.random.random() < 0.5}
        if children:
            item["children"] = [self.new_item(self.random.randrange(2)) for _ in range(children)]
        return item

    def operations(self, name: str) -> list[dict[str, Any]]:
        """One to six random operations. Each fits the list as it is, so only the first of them may delete or move."""
        state = self.client.snapshot(name).state
        sections = [section.id for section in state.sections]
        items = [item for _, item in state.rows()]
        made: list[dict[str, Any]] = []
        kind = self.random.choice(["delete", "move", "section", "none"])
        gone: set[str] = set()
        if kind == "delete" and len(items) > 20:
            gone = {item.id for item in self.random.sample(items, self.random.randint(1, 10)) if item.parent is None}
            gone and made.append({"op": "deleteItems", "items": sorted(gone)})
        elif kind == "move" and len(items) > 2:
            top = [item for item in items if item.parent is None]
            item, place = self.random.sample(top, 2)
            made.append({"op": "moveItem", "item": item.id, self.random.choice(["before", "after"]): place.id})
        elif kind == "section":
            if len(sections) > 2 and self.random.random() < 0.3:
                made.append({"op": "moveSection", "section": sections[0], "after": sections[-1]})
            elif len(sections) < 6:
                self.count += 1
                made.append({"op": "appendSections", "sections": [
                    {"id": f"s{self.count}", "content": {"header": f"Section {self.count}"}, "items": [self.new_item()]}]})
        for _ in range(self.random.randint(1, 5)):
            new = [self.new_item(self.random.choice([0, 0, 0, 2])) for _ in range(self.random.choice([1, 1, 3, 40]))]
            there = [item.id for item in items if item.id not in gone and item.parent is None]
            if self.random.random() < 0.4 and there:
                item = self.random.choice(there)
                made.append({"op": "patchItems", "items": [{"id": item, "content": {"text": f"Patched {self.count}"}}]})
            elif self.random.random() < 0.5 and there:
                made.append({"op": "insertItems", self.random.choice(["before", "after"]): self.random.choice(there), "items": new})
            else:
                made.append({"op": "appendItems", "section": self.random.choice(sections), "items": new})
        return made

    # Checks

    def shown_rows(self, sections: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
        def below(items: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
            for item in items:
                yield item["id"], item["content"]["text"]
                yield from below(item.get("children", []))

        for section in sections:
            yield from below(section.get("items", []))

    def check(self, page: Page, name: str) -> None:
        """At rest, the mirror equals the daemon's snapshot of the same view, and the document has its rows in that order."""
        revision = self.client.snapshot(name).revision
        self.wait_for(lambda: page.evaluate("probe.list.following?.live && probe.list.following.revision") == revision,
                      f"the page is at revision {revision}")
        self.at_rest(page)
        view, mirror = page.evaluate("[probe.list.following.view, probe.list.following.mirror.snapshot()]")
        expected = self.client.request("snapshot", list=name, view=view)["snapshot"]
        self.assertEqual(mirror.get("sections", []), expected.get("sections", []), f"seed {SEED}: the mirror of {view}")
        rows = [row for row in self.rows(page) if not row["isHeader"]]
        self.assertGreater(len([row for row in rows if row["isVisible"]]), 0, "rows on the screen")
        self.check_rows([row["text"] for row in rows], list(self.shown_rows(expected["sections"])), self.cursor(page))
        # The order in the document is the order on the screen.
        order = page.evaluate("[...probe.root.querySelectorAll('[part~=row]')].map(row => row.getBoundingClientRect().y)")
        self.assertEqual(order, sorted(order), f"seed {SEED}: the order of the document")
        self.assertEqual(page.evaluate("probe.blank() < 1"), True)

    def check_rows(self, drawn: list[str], shown: list[tuple[str, str]], cursor: str | None) -> None:
        """The document has a run of the rows of the view. The cursor's row is in it, too, wherever it is."""
        texts = [text for _, text in shown]
        own = [id for id, _ in shown].index(cursor) if cursor in dict(shown) else None
        parts = [(drawn, 0)]
        if own is not None:
            parts += [([texts[own], *drawn[1:]], 1), ([*drawn[:-1], texts[own]], -1)]
        for rows, apart in parts:
            near = rows[1:] if apart == 1 else rows[:-1] if apart == -1 else rows
            for place in range(len(texts) - len(near) + 1):
                if texts[place:place + len(near)] == near and rows == drawn and (
                        not apart or own is not None and (own < place if apart == 1 else own >= place + len(near))):
                    return
        self.fail(f"seed {SEED}: the rows of the document, from top to bottom: {drawn} of {texts}, cursor {cursor}")

    def act(self, page: Page) -> None:
        """Something that a user does."""
        match self.random.randrange(6):
            case 0:
                part = self.random.random()
                page.evaluate("part => { const s = probe.scroller; s.scrollTop = part * (s.scrollHeight - s.clientHeight) }", part)
            case 1:
                self.press(page, *self.random.choices(["ArrowDown", "ArrowUp", "PageDown", "PageUp", "End", "Home"], k=4))
            case 2:
                self.press(page, *self.random.choices(["ArrowRight", "ArrowLeft", "ArrowDown"], k=4))
            case 3:
                page.mouse.move(400, 300)
                page.mouse.wheel(0, self.random.randint(-2000, 2000))
            case _:
                pass

    def run_model(self, rows: int, steps: int) -> None:
        print(f"{self._testMethodName}: SEED={SEED}", flush=True)
        items = [self.new_item(self.random.choice([0] * 9 + [2])) for _ in range(rows)]
        half = rows // 2
        name = self.publish({"sections": [{"id": "first", "items": items[:half]}, {"id": "second", "items": items[half:]}]})
        page = self.open(name)
        for step in range(steps):
            self.act(page)
            self.client.transact(name, self.operations(name))
            match self.random.randrange(40):
                case 0:
                    self.web.kill()
                    self.client.transact(name, self.operations(name))
                    self.web.start()
                case 1:
                    # The socket only.
                    self.web.kill()
                    self.web.start()
            if self.random.randrange(12) == 0 or step == steps - 1:
                self.check(page, name)

    def test_a_whole_list(self) -> None:
        self.run_model(60, STEPS // 2)

    def test_a_window(self) -> None:
        self.run_model(2 * WHOLE_MAX, STEPS // 2)


class KilledDaemonTests(WebTest):
    """The same with a daemon that is killed."""

    expected_messages = ("ERR_CONNECTION_REFUSED", "WebSocket connection to", "503")

    def test_a_daemon_is_killed_between_changes(self) -> None:
        daemon = Daemon()
        self.addCleanup(daemon.close)
        web = Web(daemon)
        self.addCleanup(web.close)
        self.daemon, self.web = daemon, web
        self.client = type(self.client)(daemon.socket, name="test")
        self.addCleanup(self.client.close)
        name = self.publish([{"id": f"r{n}", "text": f"Row {n}"} for n in range(3 * WHOLE_MAX)])
        page = self.open(name)
        for round in range(3):
            self.patch(name, "r0", text=f"Round {round}")
            daemon.kill()
            daemon.start()
            self.client.transact(name, [{"op": "moveItem", "item": "r5", "before": f"r{10 + round}"}])
            expected = ["Round " + str(round), *(f"Row {item[1:]}" for item in self.order(name)[1:8])]
            self.wait_for(lambda expected=expected: self.texts(page)[:8] == expected, f"{expected} in round {round}")
