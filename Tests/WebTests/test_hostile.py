"""Hostile content in every member that is drawn."""

from __future__ import annotations

import itertools
from typing import Any

from fixture import WebTest

HOSTILE = [
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "</style><svg onload=alert(1)>", "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>", "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
    "url(http://127.0.0.1:9/x)", "http://127.0.0.1:9/x.png", "#ff0000;background:url(//127.0.0.1:9)",
    "\u202eecilA\u202c\u2066b\u2069", "a\x00b\x1b[31mc\x7f", "😀" * 3, "e" + "\u0301" * 2000, "W" * 32_000, "\u200b", "",
    " ", "__proto__", "constructor",
]
TEXTS = ["text", "secondaryText", "icon", "image", "badge", "tint", "tooltip", "accessibilityLabel", "keywords", "title", "label"]
WRONG: list[Any] = [None, True, 0, -1, 1e308, [], {}, [[]], [None], {"text": {"text": []}}, {"type": "grid", "columns": -1},
                    [{"id": "", "title": 0}], {"path": "/a/b"}, {"path": 7}]

# Elements and attributes that content must not make, and characters that hide or reverse a text.
FOUND = """() => {
    const found = [];
    const walk = root => {
        for (const element of root.querySelectorAll('*')) {
            if (root != document && /^(SCRIPT|IFRAME|OBJECT|EMBED|LINK)$/.test(element.tagName)) found.push(element.outerHTML);
            for (const {name, value} of element.attributes) if (/^on/.test(name)) found.push(name + value);
            for (const {nodeType, data} of element.childNodes)
                if (nodeType == 3 && /[\\u202a-\\u202e\\u2066-\\u2069\\u0000-\\u0008\\u001b\\u007f]/.test(data)) found.push(data);
            if (element.shadowRoot) walk(element.shadowRoot);
        }
    };
    walk(document);
    return found;
}"""


class HostileTests(WebTest):
    def setUp(self) -> None:
        super().setUp()
        self.context_here = self.context()
        self.requests: list[str] = []
        self.context_here.on("request", lambda request: self.requests.append(request.url))
        self.context_here.add_init_script("globalThis.alert = () => { globalThis.attacked = true }")

    def check(self, content: Any, count: int) -> None:
        name = self.publish(content)
        page = self.open(name, context=self.context_here)
        page.on("dialog", lambda dialog: self.fail(f"a dialog: {dialog.message}"))
        self.at_rest(page)
        for keys in (["ArrowDown", "."], ["Escape", ">"], ["Escape", "<"], ["Escape", ":"], ["Escape", "End"]):
            self.press(page, *keys)
        self.at_rest(page)
        self.assertFalse(page.evaluate("!!globalThis.attacked"), "a script has run")
        self.assertEqual(page.evaluate("probe.list.following.mirror.items.size"), count)
        ours = (self.web.url, self.web.url.replace("http", "ws"), "data:image/")
        outside = [url for url in self.requests if not url.startswith(ours)]
        self.assertEqual(outside, [], "requests to elsewhere")
        self.assertEqual(page.evaluate(FOUND), [])
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True, "a long word widens the page")
        page.close()

    def test_hostile_texts_in_each_member(self) -> None:
        for layout in ("list", "grid", "carousel", "table"):
            with self.subTest(layout=layout):
                items = [{"id": f"{member} {number}", "content": {member: value}}
                         for member, (number, value) in itertools.product(TEXTS, enumerate(HOSTILE))]
                content = {"layout": layout, **dict(zip(("title", "header", "footer", "subtitle"), HOSTILE[:3] + HOSTILE[9:]))}
                self.check({"content": content, "sections": [{"id": HOSTILE[0], "items": items}]}, len(items))

    def test_hostile_ids_kinds_and_actions(self) -> None:
        # All of them are in the content of each item, which has at most 32 KiB.
        texts = [value[:100] for value in HOSTILE]
        actions = [{"id": value or "x", **dict.fromkeys(("title", "icon", "key", "confirm", "style"), value)} for value in texts]
        accessories = [{"type": "label", "text": value, "tint": value, "action": value} for value in texts]
        members = {"accessories": accessories, "actions": actions, "leadingActions": actions, "trailingActions": actions}
        # The daemon refuses control characters in ids.
        names = [value.translate(dict.fromkeys((0, 27, 127))) for value in texts if value.strip()]
        unique = {value: {"id": value, "kind": value, "content": members} for value in names}
        self.check({"content": {"actions": actions, "kinds": {"__proto__": {"text": {"path": "/constructor"}}}},
                    "sections": [{"id": "s", "items": list(unique.values())}]}, len(unique))

    def test_wrong_types_in_each_member(self) -> None:
        members = [*TEXTS, "progress", "checked", "urgent", "enabled", "lines", "accessories", "hasChildren", "actions",
                   "leadingActions", "trailingActions", "canReorder", "subtitle", "description"]
        items = [{"id": f"{member} {number}", "content": {member: value}}
                 for member, (number, value) in itertools.product(members, enumerate(WRONG))]
        items += [{"id": f"whole {number}", "content": value} for number, value in enumerate(WRONG) if value is not None]
        members = ["layout", "appearance", "header", "footer", "columns", "selection", "more", "pinHeader", "separators", "kinds"]
        sections = [{"id": f"{member} {number}", "content": {member: value}, "items": [{"id": f"in {member} {number}"}]}
                    for member, (number, value) in itertools.product(members, enumerate(WRONG))]
        self.check({"content": {"kinds": [], "title": 3, "actions": {}},
                    "sections": [{"id": "items", "items": items}, *sections]}, len(items) + len(sections))
