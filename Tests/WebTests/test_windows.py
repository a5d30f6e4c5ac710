"""Long lists, of which a page follows a window."""

from __future__ import annotations

from fixture import WebTest

MILLION = 1_000_000


class WindowTests(WebTest):
    def test_a_million_rows(self) -> None:
        page = self.open(self.long_list(MILLION))
        self.assertEqual(self.texts(page)[0], "Row 0")
        self.assertEqual(page.evaluate(
            "Number(probe.root.querySelector('[role=grid], [role=treegrid]')?.ariaRowCount ?? probe.list.ariaRowCount)"), MILLION)
        # Anywhere, both ends too.
        for part in (0.5, 0.123, 1, 0.999, 0):
            page.evaluate("part => { const s = probe.scroller; s.scrollTop = part * (s.scrollHeight - s.clientHeight) }", part)
            # The ends of the scroll bar have a place for each pixel, so the rest is not quite in proportion.
            expected, slack = part * MILLION, MILLION // 100

            def is_there() -> bool:
                texts = self.texts(page)
                numbers = [int(text.removeprefix("Row ")) for text in texts if text.startswith("Row ")]
                return len(numbers) > 8 and numbers == list(range(numbers[0], numbers[0] + len(numbers))) and (
                    numbers[0] - slack <= expected <= numbers[-1] + slack) and page.evaluate("probe.blank()") == 0

            self.wait_for(is_there, f"the rows at {part}")
        self.press(page, "End")
        self.wait_for(lambda: self.texts(page)[-1:] == [f"Row {MILLION - 1}"] and self.cursor(page) == f"r{MILLION - 1}", "the end")
        indexes = [row["index"] for row in self.rows(page) if row["isVisible"]]
        self.assertEqual(indexes, list(range(MILLION - len(indexes) + 1, MILLION + 1)))
        # The list keeps only some screens of rows in the document.
        self.assertLess(page.evaluate("probe.root.querySelectorAll('*').length"), 3000)

    def test_wheel_and_pages_reach_each_row(self) -> None:
        page = self.open(self.long_list(MILLION))
        seen: set[int] = set()
        page.mouse.move(400, 300)
        for top in range(0, 4200, 350):
            self.wait_for(lambda top=top: abs(page.evaluate("probe.scroller.scrollTop") - top) < 2, f"the list scrolls to {top}")
            self.wait_for(lambda: page.evaluate("probe.blank()") == 0, "no row is missing")
            seen |= {int(text[4:]) for text in self.texts(page)}
            page.mouse.wheel(0, 350)
        self.assertEqual(seen, set(range(max(seen) + 1)), "each row was seen")
        self.assertGreater(max(seen), 60)

    def test_the_cursor_follows_its_row_out_of_the_window_and_back(self) -> None:
        name = self.publish([{"id": f"r{n}", "text": f"Row {n}"} for n in range(5_000)])
        page = self.open(name)
        self.press(page, "ArrowDown", "ArrowDown", "Space")
        self.assertEqual(self.cursor(page), "r2")
        self.press(page, "g", "ArrowDown", "ArrowDown")
        self.client.transact(name, [{"op": "moveItem", "item": "r2", "after": "r4000"}])
        self.wait_for(lambda: {"Row 2", "Row 4000"} <= set(self.texts(page)), "the screen follows the cursor's row")
        self.assertEqual((self.cursor(page), self.marked(page)), ("r2", ["r2"]))
        self.client.transact(name, [{"op": "moveItem", "item": "r2", "after": "r1"}])
        self.wait_for(lambda: {"Row 1", "Row 2"} <= set(self.texts(page)), "and back")
        self.assertEqual((self.cursor(page), self.marked(page)), ("r2", ["r2"]))

    def test_a_collapsed_parent_in_a_long_list_shows_that_it_has_children(self) -> None:
        items = [{"id": f"p{n}", "content": {"text": f"Parent {n}"}, "children": [
            {"id": f"c{n}", "content": {"text": f"Child {n}"}}]} for n in range(5_000)]
        page = self.open(self.publish({"sections": [{"id": "main", "items": items}]}))
        self.press(page, "End")
        self.wait_for(lambda: self.texts(page)[-1:] == ["Parent 4999"], "the end")
        self.assertEqual({row["expanded"] for row in self.rows(page) if row["isVisible"]}, {"false"})
        self.press(page, "ArrowRight")
        self.wait_for(lambda: "Child 4999" in self.texts(page), "its child")

    def test_a_list_that_shrinks_is_never_empty(self) -> None:
        name = self.publish([{"id": f"r{n}", "text": f"Row {n}"} for n in range(5_000)])
        page = self.open(name)
        self.press(page, "End")
        self.wait_for(lambda: self.texts(page)[-1:] == ["Row 4999"], "the end")
        self.client.transact(name, [{"op": "deleteItems", "items": [f"r{n}" for n in range(20, 5_000)]}])
        self.wait_for(lambda: self.texts(page)[-1:] == ["Row 19"] and page.evaluate("probe.rowAt(100) != null"), "the last rows")
        self.assertEqual(self.cursor(page), "r19")
