"""A phone: 390 pixels wide, and only touch."""

from __future__ import annotations

import threading
from typing import Any

from fixture import WebTest, eventually
from playwright.sync_api import Page
from test_keys import DELETE, DONE, letters

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


class TouchTests(WebTest):
    def open_on_phone(self, name: str) -> Page:
        page = self.open(name, context=self.context(**PHONE))
        self.at_rest(page)
        return page

    def touch(self, page: Page, path: list[tuple[float, float]], hold: int = 0, end: bool = True) -> None:
        """Touches the first point, waits some milliseconds, moves over the others, and lifts the finger."""
        session = page.context.new_cdp_session(page)

        def send(kind: str, *points: tuple[float, float]) -> None:
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

        send("touchStart", path[0])
        page.wait_for_timeout(hold)
        for begin, to in zip(path, path[1:]):
            for step in range(1, 11):
                send("touchMove", (begin[0] + (to[0] - begin[0]) * step / 10, begin[1] + (to[1] - begin[1]) * step / 10))
                page.wait_for_timeout(16)
        if end:
            send("touchEnd")
        session.detach()

    def middle(self, page: Page, text: str) -> tuple[float, float]:
        row = next(row for row in self.rows(page) if row["text"] == text)
        return row["x"] + row["width"] / 2, row["y"] + row["height"] / 2

    def checked(self, name: str, item: str) -> Any:
        return self.client.snapshot(name).state[item].get("checked")

    def test_a_tap_performs_the_primary_action(self) -> None:
        name = self.publish(letters("a", "b", kinds={"": {"actions": [DONE]}}))
        page = self.open_on_phone(name)
        page.touchscreen.tap(*self.middle(page, "B"))
        self.wait_for(lambda: self.checked(name, "b") is True, "the tap acts")
        self.assertIsNone(self.checked(name, "a"))

    def test_a_swipe_shows_actions(self) -> None:
        name = self.publish(letters("a", "b", trailingActions=[DELETE]))
        page = self.open_on_phone(name)
        _, y = self.middle(page, "B")
        self.touch(page, [(300, y), (120, y)])
        button = page.get_by_role("button", name="Delete")
        self.wait_for(lambda: button.count() > 0 and button.first.is_visible(), "the action is shown")
        box = button.first.bounding_box()
        assert box is not None
        self.assertGreaterEqual(min(box["width"], box["height"]), 44)

    def test_a_swipe_from_the_edge_is_the_browsers(self) -> None:
        page = self.open_on_phone(self.publish(letters("a", "b", leadingActions=[DONE])))
        _, y = self.middle(page, "B")
        self.touch(page, [(10, y), (250, y)])
        self.at_rest(page)
        self.assertEqual(page.get_by_role("button", name="Done").count(), 0)

    def test_a_long_press_opens_the_menu(self) -> None:
        page = self.open_on_phone(self.publish(letters("a", "b", kinds={"": {"actions": [DONE, DELETE]}})))
        self.touch(page, [self.middle(page, "B")], hold=900)
        page.get_by_role("dialog").get_by_role("button", name="Delete").wait_for()

    def test_a_row_is_added_and_a_search_is_ended_without_a_keyboard(self) -> None:
        name = self.publish(letters("a", "b", canInsert=True))
        page = self.open_on_phone(name)
        page.get_by_role("button", name="New row").tap()
        page.keyboard.type("c")
        page.keyboard.press("Enter")
        self.wait_for(lambda: len(self.order(name)) == 3, "the new row")
        page.get_by_role("button", name="Search").tap()
        page.keyboard.type("b")
        self.wait_for(lambda: self.texts(page) == ["B"], "the match")
        page.get_by_role("button", name="End").tap()
        self.wait_for(lambda: len(self.texts(page)) == 3, "all rows")

    def test_a_tap_beside_a_menu_only_closes_it(self) -> None:
        page = self.open_on_phone(self.publish(letters("a", "b", kinds={"": {"actions": [DONE, DELETE]}})))
        self.touch(page, [self.middle(page, "B")], hold=900)
        dialog = page.get_by_role("dialog")
        dialog.wait_for()
        link = page.locator("#home").bounding_box()
        assert link is not None
        page.touchscreen.tap(link["x"] + link["width"] / 2, link["y"] + link["height"] / 2)
        self.wait_for(lambda: dialog.count() == 0, "the menu is closed")
        page.wait_for_timeout(500)
        self.assertIn("list=", page.url)

    def test_a_drag_moves_a_row(self) -> None:
        name = self.publish(letters("a", "b", "c", canReorder=True))
        page = self.open_on_phone(name)
        x, y = self.middle(page, "A")
        self.touch(page, [(x, y), (x, self.middle(page, "C")[1] + 15)], hold=500)
        self.wait_for(lambda: self.order(name) == ["b", "c", "a"], "the row is moved")

    def test_a_refused_drag_returns_with_the_reason(self) -> None:
        name = self.publish(letters("a", "b", "c", canReorder=True))
        handler = self.client.handle(name, ["propose"])
        self.addCleanup(handler.close)

        def refuse() -> None:
            for request in handler:
                request.refuse("the order is fixed")

        threading.Thread(target=refuse, daemon=True).start()
        page = self.open_on_phone(name)
        x, y = self.middle(page, "A")
        self.touch(page, [(x, y), (x, self.middle(page, "C")[1] + 15)], hold=500)
        self.wait_for(lambda: page.get_by_text("the order is fixed").first.is_visible(), "the reason is shown")
        self.wait_for(lambda: self.texts(page) == ["A", "B", "C"], "the row is back")
        self.assertEqual(self.order(name), ["a", "b", "c"])

    def test_a_drag_without_a_wait_scrolls(self) -> None:
        name = self.publish(letters(*(f"i{n}" for n in range(100)), canReorder=True))
        page = self.open_on_phone(name)
        self.touch(page, [(200, 700), (200, 200)])
        eventually(lambda: page.evaluate("probe.scroller.scrollTop > 100 || scrollY > 100"), "the list scrolls")
        self.assertEqual(self.client.snapshot(name).revision, 1)

    def test_rows_are_large_enough(self) -> None:
        page = self.open_on_phone(self.publish(letters("a", "b")))
        for row in self.rows(page):
            self.assertGreaterEqual(row["height"], 44)
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
