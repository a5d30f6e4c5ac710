"""Each layout and appearance: its picture, its accessibility tree, and axe in light and dark."""

from __future__ import annotations

import json
import re

from axe_playwright_python.sync_playwright import Axe
from drawings import CELLS_MAX, accessibility_tree, check_picture, check_tree, differing_cells
from fixture import REPOSITORY, WebTest
from playwright.sync_api import Page

#: The lists of docs/appearance.md, with the keys that are pressed before the picture is taken.
BLOCK = re.compile(r"^```json (\w[\w-]*) \d+x\d+ ?([^\n]*)\n(.*?)^```$", re.M | re.S)
KEYS = {"Down": "ArrowDown", "Up": "ArrowUp", "Left": "ArrowLeft", "Right": "ArrowRight"}
LAYOUTS = [(name, [KEYS.get(key, key) for key in keys.split()], json.loads(text))
           for name, keys, text in BLOCK.findall((REPOSITORY / "docs/appearance.md").read_text())]


def violations(page: Page) -> list[str]:
    """Returns axe's findings, one line for each element."""
    found = Axe().run(page).response["violations"]
    return [f'{rule["id"]}: {rule["help"]}: {node["html"][:200]} {node.get("failureSummary", "")[:200]}'
            for rule in found for node in rule["nodes"]]


class LayoutTests(WebTest):
    def test_each_layout(self) -> None:
        self.assertGreater(len(LAYOUTS), 15)
        for name, keys, content in LAYOUTS:
            with self.subTest(layout=name):
                drawn, other = ("light", "dark") if name.endswith("-light") else ("dark", "light")
                page = self.open(self.publish(content, name=name), context=self.context(color_scheme=drawn))
                self.press(page, *keys)
                self.at_rest(page)
                problems = [check_picture(page, name), check_tree(page, name), *violations(page)]
                page.emulate_media(color_scheme=other)
                self.at_rest(page)
                problems += violations(page)
                page.context.close()
                self.assertEqual([problem for problem in problems if problem], [])

    def test_a_small_difference_is_noticed(self) -> None:
        name = self.publish({"sections": [{"id": "a", "items": [{"id": "milk", "content": {"text": "Milk", "badge": "3"}}]}]})
        page = self.open(name)
        self.at_rest(page)
        picture, tree = page.screenshot(), accessibility_tree(page)
        self.assertEqual(differing_cells(picture, page.screenshot()), 0)
        self.patch(name, "milk", badge=None)
        self.wait_for(lambda: accessibility_tree(page) != tree, "the badge is gone from the tree")
        self.at_rest(page)
        self.assertGreater(differing_cells(picture, page.screenshot()), CELLS_MAX)
