"""Keys, marks, actions, reordering, outlines, lazy children and search, as docs/viewer.md describes them."""

from __future__ import annotations

import threading
from typing import Any

from fixture import WebTest

DONE = {"id": "done", "title": "Done", "style": "primary", "key": "d", "multiple": True, "patch": {"checked": True}}
DELETE = {"id": "delete", "title": "Delete", "style": "destructive", "operations": [{"op": "deleteItems", "items": ["$item"]}]}


def letters(*items: str, **content: Any) -> dict[str, Any]:
    """A list of items whose texts are their ids in upper case."""
    return {"content": content, "sections": [
        {"id": "main", "items": [{"id": item, "content": {"text": item.upper()}} for item in items]}]}


class KeyTests(WebTest):
    def test_arrows_and_jumps_move_the_cursor(self) -> None:
        page = self.open(self.publish(letters(*(f"i{n}" for n in range(100)))))
        for key, expected in (
                ("ArrowDown", "i1"), ("ArrowDown", "i2"), ("j", "i3"), ("k", "i2"), ("ArrowUp", "i1"), ("ArrowUp", "i0"),
                ("ArrowUp", "i0"),
                ("End", "i99"), ("Home", "i0"), ("Shift+G", "i99"), ("g", "i0")):
            self.press(page, key)
            self.wait_for(lambda expected=expected: self.cursor(page) == expected, f"{key} goes to {expected}")
        self.press(page, "End")
        self.wait_for(lambda: "I99" in self.texts(page), "the row of the cursor is on the screen")

    def test_the_cursor_is_the_active_descendant(self) -> None:
        page = self.open(self.publish(letters("a", "b")))
        self.press(page, "ArrowDown")
        self.wait_for(lambda: "B" in page.evaluate("""() => {
            const active = probe.root.activeElement ?? probe.list;
            const row = active.ariaActiveDescendantElement
                ?? probe.root.getElementById(active.getAttribute('aria-activedescendant') ?? '');
            return row?.textContent ?? '';
        }"""), "the active descendant is the second row")

    def test_space_marks_one_or_several(self) -> None:
        for selection, expected in (("single", ["b"]), ("multiple", ["a", "b"]), ("none", [])):
            with self.subTest(selection=selection):
                page = self.open(self.publish(letters("a", "b", "c", selection=selection)))
                self.press(page, "Space")
                # With several, Space goes to the next row.
                self.press(page, *(["Space"] if selection == "multiple" else ["ArrowDown", "Space"]))
                self.wait_for(lambda: sorted(self.marked(page)) == expected, f"{expected} are marked")
                selected = [row["text"].lower() for row in self.rows(page) if row["selected"] == "true"]
                self.assertEqual(selected, expected, "aria-selected")

    def test_a_range_is_marked(self) -> None:
        page = self.open(self.publish(letters("a", "b", "c", "d", selection="multiple")))
        self.press(page, "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown")
        self.wait_for(lambda: self.marked(page) == ["b", "c", "d"], "three rows are marked")

    def test_actions_by_enter_key_and_menu(self) -> None:
        name = self.publish(letters("a", "b", "c", kinds={"": {"actions": [DONE, DELETE]}}))
        page = self.open(name)

        def checked(item: str) -> Any:
            return self.client.snapshot(name).state[item].get("checked")

        self.press(page, "Enter")
        self.wait_for(lambda: checked("a") is True, "Enter performs the primary action")
        self.press(page, "ArrowDown", "d")
        self.wait_for(lambda: checked("b") is True, "d performs its action")
        self.press(page, "ArrowDown", ".")
        delete = page.get_by_role("dialog").get_by_role("button", name="Delete")
        delete.click()
        # It is destructive, so the page asks first.
        page.get_by_role("button", name="Cancel").wait_for()
        page.keyboard.press("Escape")
        self.assertEqual(self.order(name), ["a", "b", "c"])
        self.press(page, ".")
        delete.click()
        page.get_by_role("button", name="Cancel").wait_for()
        page.keyboard.press("y")
        self.wait_for(lambda: self.order(name) == ["a", "b"], "the row is deleted")
        self.at_rest(page)
        self.press(page, "u")
        self.wait_for(lambda: self.order(name) == ["a", "b", "c"], "u undoes the deletion")

    def test_a_viewer_that_may_only_see_changes_nothing(self) -> None:
        name = self.publish(letters("a", "b", canReorder=True, kinds={"": {"actions": [DONE]}}))
        page = self.open(name, token=self.web.link(name, may="see"))
        self.press(page, "Enter", "d", "Alt+ArrowDown")
        self.at_rest(page)
        self.assertEqual(self.client.snapshot(name).revision, 1)

    def test_a_link_for_actions_shows_which_it_may_use(self) -> None:
        ask = {"id": "ask", "title": "Ask", "style": "primary"}
        name = self.publish(letters("a", "b", selection="multiple", trailingActions=[ask, DONE]))
        page = self.open(name, token=self.web.link(name, may="ask"))
        self.press(page, "d")
        page.get_by_text("You may not change this list").wait_for()
        self.press(page, "<")
        buttons = page.locator("diffable-list .act")
        self.assertEqual([buttons.nth(index).is_enabled() for index in range(2)], [True, False])
        self.press(page, "Escape", "Space")
        self.wait_for(lambda: self.marked(page) == ["a"], "Space marks")

    def test_a_click_on_an_action_at_the_end_keeps_the_focus(self) -> None:
        name = self.publish(letters("a", "b", "c", trailingActions=[DONE]))
        page = self.open(name)
        self.press(page, "<")
        page.get_by_role("button", name="Done").click()
        self.wait_for(lambda: self.client.snapshot(name).state["a"].get("checked") is True, "it acts")
        page.keyboard.press("ArrowDown")
        self.wait_for(lambda: self.cursor(page) == "b", "the keys still work")

    def test_an_edit_keeps_what_others_change_and_overwrites_nothing(self) -> None:
        name = self.publish(letters("a", "b"))
        page = self.open(name)
        field, save = page.get_by_role("textbox", name="Content as JSON"), page.get_by_role("button", name="Save")

        def content() -> Any:
            return {key: self.client.snapshot(name).state["a"].get(key) for key in ("text", "badge", "due")}

        self.press(page, "e")
        field.fill('{"text":"mine"}')
        self.patch(name, "a", badge="theirs")
        self.wait_for(lambda: page.evaluate("probe.list.following.mirror.items.get('a').content.badge") == "theirs")
        save.click()
        self.wait_for(lambda: content() == {"text": "mine", "badge": "theirs", "due": None}, "both changes")
        self.wait_for(lambda: field.count() == 0, "the dialog closes")
        # The same member: nothing is overwritten, and the text stays.
        self.press(page, "e")
        field.fill('{"text":"mine again","badge":"theirs"}')
        self.patch(name, "a", text="theirs")
        self.wait_for(lambda: page.evaluate("probe.list.following.mirror.items.get('a').content.text") == "theirs")
        save.click()
        page.get_by_text("Someone else has changed the same").wait_for()
        self.assertEqual(content()["text"], "theirs")
        self.assertIn("mine again", field.input_value())
        # A deleted row.
        self.client.transact(name, [{"op": "deleteItems", "items": ["a"]}])
        self.wait_for(lambda: page.evaluate("!probe.list.following.mirror.items.has('a')"))
        field.fill('{"text":"mine","badge":"mine"}')
        save.click()
        page.get_by_text("Someone else has deleted the row").wait_for()
        self.assertIn("mine", field.input_value())

    def test_alt_arrow_moves_a_row(self) -> None:
        name = self.publish(letters("a", "b", "c", canReorder=True))
        page = self.open(name)
        self.press(page, "Alt+ArrowDown")
        self.wait_for(lambda: self.order(name) == ["b", "a", "c"], "the row moves down")
        self.wait_for(lambda: self.texts(page) == ["B", "A", "C"], "and is drawn there")
        self.assertEqual(self.cursor(page), "a")

    def test_a_handler_refuses_a_move(self) -> None:
        name = self.publish(letters("a", "b", "c", canReorder=True))
        handler = self.client.handle(name, ["propose"])
        self.addCleanup(handler.close)
        seen: list[Any] = []

        def refuse() -> None:
            for request in handler:
                seen.append(request)
                request.refuse("the order is fixed")

        threading.Thread(target=refuse, daemon=True).start()
        page = self.open(name)
        self.press(page, "Alt+ArrowDown")
        self.wait_for(lambda: page.get_by_text("the order is fixed").first.is_visible(), "the reason is shown")
        self.wait_for(lambda: self.texts(page) == ["A", "B", "C"], "the row is back")
        self.assertEqual(len(seen), 1)
        self.assertEqual(self.order(name), ["a", "b", "c"])

    def test_an_outline_expands_for_this_page_only(self) -> None:
        items = [{"id": "a", "content": {"text": "A"}, "children": [
            {"id": "b", "content": {"text": "B"}, "children": [{"id": "c", "content": {"text": "C"}}]}]},
            {"id": "d", "content": {"text": "D"}}]
        name = self.publish({"sections": [{"id": "main", "items": items}]})
        page, other = self.open(name), self.open(name)
        self.assertEqual(self.texts(page), ["A", "D"])
        self.assertEqual([row["expanded"] for row in self.rows(page)], ["false", None])
        self.press(page, "ArrowRight")
        self.wait_for(lambda: self.texts(page) == ["A", "B", "D"], "A is expanded")
        self.assertEqual([row["level"] for row in self.rows(page)], [1, 2, 1])
        self.press(page, "ArrowDown", "ArrowRight")
        self.wait_for(lambda: self.texts(page) == ["A", "B", "C", "D"], "B is expanded")
        self.press(page, "ArrowDown", "ArrowLeft", "ArrowLeft")
        self.wait_for(lambda: self.texts(page) == ["A", "B", "D"], "B is collapsed")
        self.assertEqual(self.texts(other), ["A", "D"])
        self.assertEqual(self.client.snapshot(name).revision, 1)

    def test_children_are_loaded_when_an_item_is_expanded(self) -> None:
        name = self.publish({"sections": [{"id": "main", "items": [
            {"id": "folder", "content": {"text": "Folder", "hasChildren": True}}]}]})
        handler = self.client.handle(name, ["expand"])
        self.addCleanup(handler.close)

        def load() -> None:
            for request in handler:
                file = {"id": "file", "content": {"text": "File"}}
                self.client.transact(name, [{"op": "appendItems", "parent": request.item, "items": [file]}])
                request.answer()

        threading.Thread(target=load, daemon=True).start()
        page = self.open(name)
        self.press(page, "ArrowRight")
        self.wait_for(lambda: self.texts(page) == ["Folder", "File"], "the child is loaded")

    def test_a_row_without_children_says_so_when_it_is_expanded(self) -> None:
        page = self.open(self.publish({"sections": [{"id": "main", "items": [{"id": "a", "content": {"text": "A", "hasChildren": True}}]}]}))
        self.press(page, "ArrowRight")
        page.get_by_text("Nobody has loaded rows below it").wait_for()

    def test_a_readonly_list_tells_why_a_key_does_nothing(self) -> None:
        page = self.open(self.publish(letters("a", kinds={"": {"actions": [DONE]}})), flags=("readonly",))
        page.evaluate("probe.list.addEventListener('refused', ({detail}) => { globalThis.reason = detail.message })")
        self.press(page, "d")
        self.wait_for(lambda: "only look at this list" in (page.evaluate("globalThis.reason") or ""), "the reason")

    def test_search_shows_matches_while_one_types(self) -> None:
        page = self.open(self.publish(letters("apple", "banana", "cherry", "pineapple")))
        self.press(page, "/")
        page.keyboard.type("appl")
        self.wait_for(lambda: self.texts(page) == ["APPLE", "PINEAPPLE"], "two rows match")
        page.keyboard.press("Escape")
        self.wait_for(lambda: len(self.texts(page)) == 4, "Esc ends the search")

    def test_esc_ends_the_search_and_the_cursor_stays_on_the_match(self) -> None:
        big = {"sections": [{"id": "s", "items": [{"id": f"i{n}", "content": {"text": f"Row {n}."}} for n in range(9000)]}]}
        for content, words, match in ((letters("apple", "banana", "cherry"), "err", "cherry"), (big, "row 7777.", "i7777")):
            for keys in (["Escape"], ["Enter", "Escape"]):
                with self.subTest(words=words, keys=keys):
                    page = self.open(self.publish(content))
                    total = page.evaluate("probe.list.following.total")
                    self.press(page, "/")
                    page.keyboard.type(words)
                    self.wait_for(lambda: self.texts(page) == [words.capitalize() if match[0] == "i" else match.upper()], "the match")
                    self.wait_for(lambda: self.cursor(page) == match, "the cursor is on it")
                    for key in keys:
                        page.keyboard.press(key)
                    self.wait_for(lambda: page.evaluate("probe.list.following.total") == total, "the search ends")
                    self.wait_for(lambda: self.cursor(page) == match, "the cursor stays on the match")
                    self.wait_for(lambda: any(match in (row["text"].lower(), "i" + row["text"][4:-1]) and row["isVisible"] for row in self.rows(page)))
                    page.context.close()

    def test_a_refused_condition_leaves_the_old_one(self) -> None:
        page = self.open(self.publish(letters("apple", "banana")))
        head = page.locator("diffable-list #query")
        for text in ("text~APP", '{"path":"x"}'):
            self.press(page, "w")
            page.keyboard.press("Control+a")
            page.keyboard.type(text)
            page.keyboard.press("Enter")
            self.at_rest(page)
        self.assertNotEqual(page.locator("diffable-list .refused").inner_text(), "")
        self.assertNotRegex(page.locator("diffable-list .refused").inner_text(), "at byte")
        self.assertEqual(head.inner_text(), "where text~APP")
        self.assertEqual(self.texts(page), ["APPLE"])
        self.press(page, "/")
        page.keyboard.type("pp")
        self.wait_for(lambda: head.inner_text() == "“pp” · where text~APP")
        self.wait_for(lambda: self.texts(page) == ["APPLE"], "the match")

    def test_tab_goes_to_sections_that_are_not_loaded(self) -> None:
        page = self.open(self.publish({"sections": [
            {"id": f"s{s}", "items": [{"id": f"i{s}-{n}", "content": {"text": f"Row {s}-{n}"}} for n in range(500)]} for s in range(20)]}))
        for key, cursor in (("Tab", "i1-0"), ("Tab", "i2-0"), ("Shift+Tab", "i1-0"), ("End", "i19-499"), ("Shift+Tab", "i18-0")):
            self.press(page, key)
            self.wait_for(lambda cursor=cursor: self.cursor(page) == cursor, f"{key} goes to {cursor}")
        self.assertEqual(page.evaluate("document.activeElement.localName"), "diffable-list")

    def test_an_inserted_row_is_typed(self) -> None:
        name = self.publish(letters("a", "b", canInsert=True))
        page = self.open(name)
        self.press(page, "+")
        self.wait_for(lambda: len(self.order(name)) == 3 or page.evaluate(
            "(probe.root.activeElement ?? document.activeElement).matches('input, [contenteditable]')"), "a field for the text")
        page.keyboard.type("between")
        page.keyboard.press("Enter")
        self.wait_for(lambda: self.texts(page) == ["A", "between", "B"], "the new row")

    def test_help_lists_the_keys(self) -> None:
        page = self.open(self.publish(letters("a")))
        self.press(page, "?")
        help = page.get_by_role("dialog")
        self.wait_for(lambda: help.count() == 1, "the help is open")
        page.keyboard.press("Escape")
        self.wait_for(lambda: help.count() == 0, "the help is closed")


class StayingTests(WebTest):
    """Cursor, marks and the first visible row while others change the list (docs/viewer.md)."""

    def test_the_cursor_follows_its_item(self) -> None:
        name = self.publish(letters("a", "b", "c"))
        page = self.open(name)
        self.press(page, "ArrowDown")
        self.client.transact(name, [{"op": "moveItem", "item": "b", "after": "c"}])
        self.wait_for(lambda: self.texts(page) == ["A", "C", "B"], "the row moves")
        self.assertEqual(self.cursor(page), "b")

    def test_the_cursor_goes_to_the_next_row_when_its_item_is_deleted(self) -> None:
        name = self.publish(letters("a", "b", "c", selection="multiple"))
        page = self.open(name)
        self.press(page, "ArrowDown", "Space", "ArrowUp")
        self.assertEqual((self.cursor(page), self.marked(page)), ("b", ["b"]))
        self.client.transact(name, [{"op": "deleteItems", "items": ["b"]}])
        self.wait_for(lambda: (self.cursor(page), self.marked(page)) == ("c", []), "the cursor is on c, and no row is marked")

    def test_5000_rows_inserted_above_move_no_pixel(self) -> None:
        for rows in (200, 5_000):
            with self.subTest(rows=rows):
                name = self.publish(letters(*(f"i{n}" for n in range(rows))))
                page = self.open(name)
                self.press(page, *["PageDown"] * 3)
                self.at_rest(page)
                before = [(row["text"], row["y"]) for row in self.rows(page) if row["isVisible"]]
                self.assertGreater(len(before), 5)
                new = [{"id": f"n{n}", "content": {"text": f"N{n}"}} for n in range(5_000)]
                self.client.transact(name, [{"op": "insertItems", "before": "i0", "items": new}])
                # A change after it arrives later.
                self.patch(name, before[3][0].lower(), badge="late")
                self.wait_for(lambda: any("late" in row["all"] for row in self.rows(page)), "the later change")
                self.at_rest(page)
                self.assertEqual([(row["text"], row["y"]) for row in self.rows(page) if row["isVisible"]], before)

    def test_an_action_right_after_a_row_has_changed_only_flashes(self) -> None:
        name = self.publish(letters("a", "b", kinds={"": {"actions": [DONE]}}))
        page = self.open(name)
        # The page decides by its own clock: the key follows in the task after the update.
        page.evaluate("""() => probe.list.addEventListener('update', () => setTimeout(() => {
            const active = probe.root.activeElement ?? probe.list;
            active.dispatchEvent(new KeyboardEvent('keydown', {key: 'd', code: 'KeyD', bubbles: true, composed: true}));
            globalThis.pressed = true;
        }))""")
        self.client.transact(name, [{"op": "deleteItems", "items": ["a"]}])
        self.wait_for(lambda: page.evaluate("globalThis.pressed"), "the key is pressed")
        self.at_rest(page)
        self.assertIsNone(self.client.snapshot(name).state["b"].get("checked"))
        self.press(page, "d")
        self.wait_for(lambda: self.client.snapshot(name).state["b"].get("checked") is True, "later it acts")
