"""What Firefox ESR and WebKitGTK have to show: each layout as Chromium draws it, long lists, keys, changes and lost connections."""

from __future__ import annotations

import unittest
from typing import Any, Callable

from drawings import DRAWN
from drivers import Browser, Firefox, WebKit
from fixture import WebTest
from test_connection import ConnectionTests
from test_keys import KeyTests, StayingTests, letters
from test_layouts import LAYOUTS
from test_windows import WindowTests

#: Pixels by which x, y, width and height of a box may differ. Each browser rounds widths of texts in its own way.
DIFFERENCES = (6, 1, 6, 1)

BOXES = """() => {
    const all = [...probe.root.querySelectorAll("[part], [part] :not(svg *), dialog, dialog *")];
    return all.filter(element => element.checkVisibility()).map(element => {
        const {x, y, width, height} = element.getBoundingClientRect();
        return [`${element.localName}.${element.className} ${element.textContent.trim().slice(0, 20)}`, x, y, width, height];
    });
}"""

#: The boxes of each layout in Chromium.
drawn: dict[str, list[list[Any]]] = {}
browsers: dict[type[Browser], Browser] = {}


class InBrowser(WebTest):
    """Makes `open` open pages in another browser."""

    kind: type[Browser]

    def setUp(self) -> None:
        super().setUp()
        self.browser = browsers[self.kind] = browsers.get(self.kind) or self.kind()
        self.browser.messages = self.messages
        self.addCleanup(self.browser.goto, "about:blank")

    def context(self, **options: Any) -> Any:
        return self.browser


class BrowserTests(InBrowser):
    def check_boxes(self, name: str, keys: list[str], content: Any) -> None:
        if name not in drawn:
            self.publish(content, name=name)
            drawn[name] = self.boxes(name, keys, WebTest.context(self))
        boxes, expected = self.boxes(name, keys), drawn[name]
        DRAWN.mkdir(parents=True, exist_ok=True)
        (DRAWN / f"{name}-{self.kind.__name__}.png").write_bytes(self.browser.screenshot())
        self.assertEqual([box[0] for box in boxes], [box[0] for box in expected])
        self.assertGreater(len(boxes), 3)
        different = [f"{box[0]}: {box[1:]} instead of {other[1:]}" for box, other in zip(boxes, expected)
                     if any(abs(one - two) > most for one, two, most in zip(box[1:], other[1:], DIFFERENCES))]
        self.assertEqual(different, [])

    def boxes(self, name: str, keys: list[str], context: Any = None) -> list[list[Any]]:
        page = self.open(name, context=context)
        self.press(page, *keys)
        self.at_rest(page)
        return page.evaluate(BOXES)

    def test_changes_arrive(self) -> None:
        name = self.publish(letters("a", "b"))
        page = self.open(name)
        self.client.transact(name, [{"op": "moveItem", "item": "a", "after": "b"}])
        self.wait_for(lambda: self.texts(page) == ["B", "A"], "a row moves")
        self.patch(name, "a", text="changed")
        self.wait_for(lambda: self.texts(page) == ["B", "changed"], "a text changes")
        self.client.transact(name, [{"op": "deleteItems", "items": ["b"]}])
        self.wait_for(lambda: self.texts(page) == ["changed"], "a row is gone")

    def test_messages_of_the_console_are_noticed(self) -> None:
        page = self.open(self.publish(letters("a")))
        page.evaluate("""() => {
            console.warn('warned');
            setTimeout(() => missing());
            Promise.reject(new Error('rejected'));
            document.body.append(Object.assign(document.createElement('style'), {textContent: '* { color: red }'}));
            document.body.append(Object.assign(document.createElement('img'), {src: 'http://127.0.0.2/'}));
            return new Promise(resolve => setTimeout(resolve, 100));
        }""")
        page.goto("about:blank")
        for expected in ("warned", "missing", "rejected", "style-src", "img-src"):
            self.assertTrue(any(expected in message for message in self.messages), f"{expected} in {self.messages}")
        self.messages.clear()


def box_test(*layout: Any) -> Callable[[BrowserTests], None]:
    return lambda self: self.check_boxes(*layout)


for layout in LAYOUTS:
    setattr(BrowserTests, f"test_{layout[0]}_has_the_boxes_that_chromium_draws", box_test(*layout))

#: The tests that run in each browser: all of a class, or those that use nothing which only playwright has.
TESTS: dict[type[WebTest], tuple[str, ...]] = {
    BrowserTests: (),
    WindowTests: (
        "test_a_million_rows", "test_wheel_and_pages_reach_each_row",
        "test_the_cursor_follows_its_row_out_of_the_window_and_back",
        "test_a_collapsed_parent_in_a_long_list_shows_that_it_has_children"),
    KeyTests: (
        "test_arrows_and_jumps_move_the_cursor", "test_the_cursor_is_the_active_descendant", "test_space_marks_one_or_several",
        "test_a_range_is_marked", "test_alt_arrow_moves_a_row", "test_search_shows_matches_while_one_types",
        "test_an_inserted_row_is_typed"),
    StayingTests: ("test_5000_rows_inserted_above_move_no_pixel",),
    ConnectionTests: ("test_a_killed_daemon_returns", "test_a_killed_bridge_returns"),
}


def load_tests(loader: unittest.TestLoader, _tests: unittest.TestSuite, _pattern: str) -> unittest.TestSuite:
    suite = unittest.TestSuite()
    for kind in (Firefox, WebKit):
        for base, names in TESTS.items():
            case = type(kind.__name__ + base.__name__, (base, InBrowser), {"kind": kind})
            found = loader.getTestCaseNames(case)
            suite.addTests(case(name) for name in found if name in names or not names)
    return suite
