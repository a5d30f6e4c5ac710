"""The page: all lists, the address, tokens, kiosk, and a new version of the server."""

from __future__ import annotations

import json
from typing import Any

from fixture import Web, WebTest
from playwright.sync_api import BrowserContext, Error, Page, Route
from test_layouts import violations

PHONE = {"width": 390, "height": 844}


def tasks(*texts: str, **content: Any) -> dict[str, Any]:
    items = [{"id": text.lower(), "content": {"text": text, "due": number}} for number, text in enumerate(texts)]
    return {"content": content, "sections": [{"id": "s", "items": items}]}


class PageTests(WebTest):
    # Without a token, and with a wrong one, the browser logs each attempt. Some tests end the server.
    expected_messages = ("401", "WebSocket connection to", "ERR_CONNECTION_REFUSED", "503")

    def new_page(self, address: str, **options: Any) -> Page:
        page = self.context(**options).new_page()
        page.goto(address)
        return page

    def links(self, page: Page) -> list[str]:
        return [text.split("\n")[0] for text in page.locator(".lists a").all_inner_texts()]

    def wait_for_texts(self, page: Page, texts: list[str]) -> None:
        self.wait_for(lambda: self.texts(page) == texts, f"{texts}")

    # All lists

    def test_all_lists_of_a_token(self) -> None:
        name, other = self.new_name(), self.new_name()
        self.publish(tasks("Milk", title="Shopping"), name=f"{name}-b")
        self.publish(tasks("Tea", "Soap"), name=f"{name}-a & <b>/ä?#")
        self.publish(tasks("Secret"), name=other)
        token = self.web.link(f"{name}*")
        page = self.new_page(f"{self.web.url}/?theme=dark#token={token}", viewport=PHONE)
        self.wait_for(lambda: self.links(page) == [f"{name}-a & <b>/ä?#", "Shopping"], "both lists")
        self.assertEqual(violations(page), [])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        # It follows the set of lists.
        self.publish(tasks("More"), name=f"{name}-c")
        self.wait_for(lambda: len(self.links(page)) == 3, "the new list")
        self.client.delete(f"{name}-c")
        self.wait_for(lambda: len(self.links(page)) == 2, "the end of the list")
        page.locator(".lists a").first.click()
        self.wait_until_live(page)
        self.wait_for(lambda: self.texts(page) == ["Tea", "Soap"], "the list opens")
        self.assertIn("theme=dark", page.url)
        page.locator("#home").click()
        self.wait_for(lambda: len(self.links(page)) == 2, "back to all lists")

    def test_without_any_list(self) -> None:
        page = self.new_page(f"{self.web.url}/#token={self.web.link('nothing*')}")
        self.wait_for(lambda: "no list" in page.locator("main").inner_text(), "it says so")

    # Tokens

    def test_a_field_for_a_token(self) -> None:
        name = self.publish(tasks("Milk", title="Shopping"))
        page = self.new_page(f"{self.web.url}/?list={name}")
        field = page.locator("#token")
        self.wait_for(field.is_visible, "the field")
        self.assertIn("needs a token", page.locator("#reason").inner_text())
        self.assertEqual(violations(page), [])
        self.assertEqual(page.evaluate("localStorage.length"), 0)
        field.fill("wrong")
        field.press("Enter")
        self.wait_for(lambda: "wrong" in page.locator("#reason").inner_text(), "the token is wrong")
        token = self.web.link(name)
        field.fill(f"{self.web.url}/?list={name}#token={token}")
        page.locator("#locked button").click()
        self.wait_until_live(page)
        self.assertFalse(field.is_visible())
        self.assertNotIn("#token", page.url)
        self.assertEqual(page.title(), "Shopping")
        # The token is kept.
        page.reload()
        self.wait_until_live(page)
        self.wait_for_texts(page, ["Milk"])

    def test_a_link_that_is_removed_and_returns(self) -> None:
        name = self.publish(tasks("Milk"))
        page = self.open(name, token=self.web.link(name="friend"))
        self.web.command("unlink", "friend")
        self.wait_for(page.locator("#token").is_visible, "the field")
        self.assertEqual(self.texts(page), ["Milk"])
        # Another link in the same tab.
        page.goto(self.address(name))
        self.wait_until_live(page)
        self.assertFalse(page.locator("#token").is_visible())

    # The address

    def test_the_address_of_a_list(self) -> None:
        name = self.publish(tasks("Milk", "Tea", "Soap"))
        page = self.new_page(f"{self.web.url}/lists/{name}#token={self.web.link()}")
        self.wait_until_live(page)
        self.wait_for_texts(page, ["Milk", "Tea", "Soap"])

    def test_the_address_of_a_list_for_scripts(self) -> None:
        name = self.publish(tasks("Milk"), name=f"{self.new_name()}/events")
        escaped = name.replace("/", "%2F")
        bearer = {"Authorization": f"Bearer {self.web.link()}"}
        status, _, body = self.web.get(f"/lists/{escaped}", **bearer)
        self.assertEqual((status, b"Milk" in body), (200, True))
        for path, expected, reason in ((f"/lists/{escaped}?search=milk", 400, b'no "search"'), ("/lists/nothing", 404, b"no list with this name"),
                                       ("/lists/team/alpha", 404, b"%2F")):
            status, _, body = self.web.get(path, **bearer)
            self.assertEqual(status, expected)
            self.assertIn(reason, body)
        page = self.new_page(f"{self.web.url}/lists/{escaped}#token={self.web.link()}")
        self.wait_for_texts(page, ["Milk"])

    def test_a_removed_link_is_named_on_the_page_of_all_lists(self) -> None:
        self.publish(tasks("Milk"))
        page = self.new_page(self.address(token=self.web.link(name="gone")))
        self.wait_for(lambda: page.locator(".lists a").count() > 0, "the lists")
        self.web.command("unlink", "gone")
        page.get_by_text("the link was removed or has ended").wait_for()
        self.wait_for(page.locator("#token").is_visible, "the field")

    def test_views_of_the_address(self) -> None:
        name = self.publish(tasks("Milk", "Tea", "Soap", "Salt"))
        for query, texts in [
            ({"search": "tea"}, ["Tea"]),
            ({"sort": "-.due"}, ["Salt", "Soap", "Tea", "Milk"]),
            ({"where": "due>1"}, ["Soap", "Salt"]),
            ({"view": json.dumps({"where": {"path": "/text", "prefix": "S"}}), "sort": ".text"}, ["Salt", "Soap"]),
        ]:
            with self.subTest(query=query):
                page = self.open(name, **query)
                self.wait_for_texts(page, texts)
                page.context.close()
        page = self.new_page(f"{self.web.url}/?list={name}&where=due%3E0&where=due%3C3#token={self.web.link()}")
        self.wait_until_live(page)
        self.wait_for(lambda: self.texts(page) == ["Tea", "Soap"], "both conditions")

    def test_a_board_and_a_phone(self) -> None:
        names = [self.publish(tasks(*(f"{letter}{n}" for n in range(30)), title=letter)) for letter in "ABC"]
        page = self.open(*names)
        boxes = page.evaluate("[...document.querySelectorAll('diffable-list')].map(e => e.getBoundingClientRect().toJSON())")
        self.assertEqual(boxes[0]["y"], boxes[1]["y"], "two columns")
        self.assertEqual(page.title(), "A · B · C")
        page.set_viewport_size(PHONE)
        self.at_rest(page)
        boxes = page.evaluate("[...document.querySelectorAll('diffable-list')].map(e => e.getBoundingClientRect().toJSON())")
        self.assertEqual({box["x"] for box in boxes}, {0}, "one column")
        self.assertTrue(all(box["width"] == PHONE["width"] and box["height"] > 200 for box in boxes), boxes)

    def test_theme_and_scale(self) -> None:
        name = self.publish(tasks("Milk", appearance="grouped"))
        page = self.open(name, context=self.context(color_scheme="light"), theme="dark", scale="1.5")
        self.assertEqual(page.evaluate("getComputedStyle(document.body).colorScheme"), "dark")
        plain = self.open(name)
        for target in (page, plain):
            self.at_rest(target)
        height = "document.querySelector('diffable-list').getBoundingClientRect().height"
        row = "probe.rows()[0].height"
        self.assertAlmostEqual(page.evaluate(row), plain.evaluate(row) * 1.5, delta=1)
        self.assertLessEqual(page.evaluate(height), 600, "it fits on the screen")

    def test_mistakes_in_the_address_are_shown_and_ignored(self) -> None:
        self.expected_messages = (*self.expected_messages, "have no effect", "is not JSON")
        name = self.publish(tasks("Milk"))
        page = self.open(name, theme="<b>", scale="-3", rotate="x", view="{", serch="a")
        self.wait_for(lambda: self.texts(page) == ["Milk"], "the list")
        said = page.locator("#wrong").inner_text()
        for part in ("theme=<b>", "scale=-3", "rotate=x", "view={", "serch=a"):
            self.assertIn(part, said)
        self.assertEqual(violations(page), [])
        page = self.open(name, kiosk="false", theme="dark", look='{"layout":"table"}')
        self.assertTrue(page.locator("header").is_visible(), "kiosk=false is no kiosk")
        self.assertFalse(page.locator("#wrong").is_visible())
        page = self.new_page(f"{self.web.url}/?list=#token={self.web.link(name)}")
        self.wait_for(lambda: self.links(page) == [name], "all lists")

    def test_a_refused_condition_of_the_address_is_dropped(self) -> None:
        self.expected_messages = (*self.expected_messages, "have no effect")
        name = self.publish(tasks("Milk", "Tea"))
        for where in ('{"path":"x"}', "{bad"):
            with self.subTest(where=where):
                page = self.open(name, where=where)
                self.wait_for(lambda: self.texts(page) == ["Milk", "Tea"], "all rows")
                self.assertNotEqual(page.locator("diffable-list .refused").inner_text(), "")
                self.assertFalse(page.locator("diffable-list #query").is_visible())
                page.context.close()

    def test_a_wrong_link_does_not_replace_the_stored_one(self) -> None:
        name = self.publish(tasks("Milk"))
        context = self.context()
        self.open(name, context=context).close()
        page = context.new_page()
        page.goto(f"{self.web.url}/?list={name}#token={'x' * 43}")
        self.wait_for(page.locator("#token").is_visible, "the link is wrong")
        page.goto(f"{self.web.url}/?list={name}&theme=light")
        self.wait_until_live(page)
        # Each tab keeps its own link.
        other = self.publish(tasks("Tea"))
        second = context.new_page()
        second.goto(self.address(other, token=self.web.link(other)))
        self.wait_until_live(second)
        page.reload()
        self.wait_until_live(page)
        second.reload()
        self.wait_until_live(second)

    def test_no_text_is_cut_off_where_there_is_space(self) -> None:
        trains = [{"id": f"t{n}", "content": {"time": f"1{n}:05", "line": f"RE {n}", "to": "Old Town", "platform": n, "note": "+6 min", "urgent": n == 1}}
                  for n in range(3)]
        table = self.publish({"content": {"layout": "table", "columns": ["time", "line", "to", "platform", "note"]},
                              "sections": [{"id": "s", "items": trains}]})
        row = {"text": "Repair the old bicycle", "secondaryText": "front brake", "badge": "12 new", "progress": 0.4, "checked": True,
               "accessories": [{"type": "label", "text": "label"}, "detail", "disclosureIndicator"]}
        rows = self.publish({"sections": [{"id": "s", "items": [{"id": "a", "content": row}]}]})
        cut = '''[...probe.root.querySelectorAll("[part~=row] .text, [part~=row] .sub, [part~=row] .badge")]
            .filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)'''
        page = self.open(table, context=self.context(viewport=PHONE))
        self.assertEqual(page.evaluate(cut), [], "the first column")
        step = page.get_by_role("button", name="More columns").bounding_box()
        assert step is not None
        self.assertLessEqual(step["x"] + step["width"], PHONE["width"], "the sign for further columns is on the screen")
        for width in (390, 480, 540, 580, 640, 700, 800):
            for query in ({}, {"look": '{"layout":"table","columns":["text","checked"]}'}):
                with self.subTest(width=width, query=query):
                    page = self.open(rows, context=self.context(viewport={"width": width, "height": 500}), **query)
                    if query:
                        cells = "[...probe.root.querySelectorAll('[part~=row] .cell:not(.ends)')].map(e => e.clientWidth > 20)"
                        self.assertEqual(page.evaluate(cells), [True, True])
                    else:
                        self.assertEqual(page.evaluate(cut), [])
                    page.context.close()
        page = self.open(rows, context=self.context(viewport={"width": 640, "height": 420}), scale="3")
        self.assertGreaterEqual(page.locator("diffable-list").bounding_box()["y"], page.locator("header").bounding_box()["height"] - 1)

    # A wall

    def test_kiosk(self) -> None:
        name = self.publish(tasks("Milk"))
        context = self.context()
        context.clock.install()
        page = self.open(name, context=context, flags=("kiosk",))
        self.assertFalse(page.locator("header").is_visible())
        page.mouse.move(100, 100)
        page.mouse.move(110, 100)
        at = "getComputedStyle(document.body, '::after').cursor"
        self.assertNotEqual(page.evaluate(at), "none")
        page.clock.run_for(3100)
        self.assertEqual(page.evaluate(at), "none")
        page.mouse.move(120, 100)
        self.wait_for(lambda: page.evaluate(at) != "none", "the pointer is back")
        # There is no cursor, and keys do not act.
        page.keyboard.press("/")
        page.keyboard.press("?")
        self.assertEqual(page.evaluate("[probe.root.querySelector('#prompt').hidden, probe.root.querySelector('dialog').open]"), [True, False])
        # It never rests.
        page.evaluate("""Object.defineProperty(document, 'hidden', {value: true, configurable: true});
            document.dispatchEvent(new Event('visibilitychange'))""")
        page.clock.run_for(31_000)
        self.assertTrue(page.evaluate("probe.list.following.live"))

    def test_lists_in_turn(self) -> None:
        names = [self.publish(tasks(letter, title=letter)) for letter in "ABC"]
        context = self.context()
        context.clock.install()
        page = self.open(*names, context=context, rotate="30")

        def wait_until_shown(name: str) -> None:
            visible = """[...document.querySelectorAll('diffable-list')]
                .filter(e => getComputedStyle(e).visibility === 'visible').map(e => e.getAttribute('list'))"""
            self.wait_for(lambda: page.evaluate(visible) == [name], f"{name} is shown")

        for name in [*names, names[0]]:
            wait_until_shown(name)
            self.assertEqual(page.evaluate("document.activeElement.getAttribute('list')"), name, "it has the focus")
            page.clock.run_for(30_000)


class VersionTests(WebTest):
    expected_messages = ("ERR_CONNECTION_REFUSED", "WebSocket connection to", "503")

    def setUp(self) -> None:
        super().setUp()
        self.web = Web(self.daemon)
        self.addCleanup(self.web.close)
        self.version, self.status = "1", 200

    def context(self, **options: Any) -> BrowserContext:
        context = super().context(**options)

        def answer(route: Route) -> None:
            # As long as there is no server, the request fails like any other.
            if self.web.has_ended():
                return route.abort("connectionrefused")
            route.fulfill(status=self.status, content_type="application/json", body=json.dumps({"version": self.version}))

        context.route("**/health", answer)
        return context

    def is_new(self, page: Page) -> bool:
        try:
            return page.evaluate("!globalThis.isOld")
        except Error:
            # The page is being loaded.
            return False

    def restart(self) -> None:
        self.web.kill()
        self.web.start()

    def test_a_kiosk_loads_a_new_version_at_once(self) -> None:
        page = self.open(self.publish(tasks("Milk")), flags=("kiosk",))
        page.evaluate("globalThis.isOld = true")
        self.restart()
        self.wait_until_live(page)
        self.assertTrue(page.evaluate("globalThis.isOld"), "the version is the same")
        # Never while the server does not answer.
        self.version, self.status = "2", 503
        self.restart()
        self.wait_until_live(page)
        page.wait_for_timeout(500)
        self.assertTrue(page.evaluate("globalThis.isOld"))
        self.status = 200
        self.restart()
        self.wait_for(lambda: self.is_new(page), "the page is loaded again")
        self.wait_until_live(page)

    def test_a_page_that_is_used_waits_for_ten_seconds_of_rest(self) -> None:
        context = self.context()
        page = self.open(self.publish(tasks("Milk")), context=context)
        page.evaluate("globalThis.isOld = true")
        page.clock.install()
        self.version = "2"
        self.restart()
        for _ in range(30):
            page.clock.run_for(1000)
            page.keyboard.press("ArrowDown")
        self.wait_until_live(page)
        for _ in range(9):
            page.clock.run_for(1000)
        self.assertTrue(page.evaluate("globalThis.isOld"), "somebody uses it")
        page.clock.run_for(2000)
        self.wait_for(lambda: self.is_new(page), "the page is loaded again")
