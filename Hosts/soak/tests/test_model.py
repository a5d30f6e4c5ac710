"""Compares the model with the pages that it was written from: it makes of each change what docs/protocol*.md show."""

import json
import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from model import Refusal, Snapshot, digest, merged  # noqa: E402

PAGES = sorted((HERE.parents[2] / "docs").glob("protocol*.md"))


class Page:
    """The lists of a page's transcripts as the model has them, and the answers that the model would not give."""

    def __init__(self, path):
        self.lists, self.compared, self.differences, self.path = {}, 0, [], path

    def run(self):
        for block in re.findall(r"```transcript\n(.*?)```", self.path.read_text(), re.DOTALL):
            asked, parts = {}, []
            for line in block.splitlines():
                who, _, text = line.partition(": ")
                if not text.startswith("{"):
                    continue
                try:
                    message = json.loads(text)
                except json.JSONDecodeError:
                    # The page shows how that is answered.
                    continue
                if who[0] == "C":
                    if isinstance(message.get("params"), dict) and message["params"].get("more") and "id" not in message:
                        parts.append(message["params"])
                    else:
                        asked[who[1:], message.get("id")] = message, parts
                        parts = []
                elif "id" in message:
                    request, before = asked.pop((who[1:], message["id"]), (None, []))
                    if request is not None:
                        self._take(request, before, message)

    def _take(self, request, parts, answer):
        params = request.get("params") or {}
        if not isinstance(params, dict):
            return
        name, method = params.get("list"), request.get("method")
        if method == "createList" and "result" in answer:
            self.lists.setdefault(name, Snapshot())
        elif method == "deleteList" and "result" in answer:
            self.lists.pop(name, None)
        elif method in ("transact", "apply") and name in self.lists and not parts and not params.get("more"):
            self._change(params, method, answer)
        elif method in ("transact", "apply", "undo", "undeleteList", "renameList", "restore", "answer", "perform", "propose"):
            # What these make is not followed here.
            for list_name in (name, params.get("to")):
                self.lists.pop(list_name, None)
        elif method == "snapshot" and "result" in answer and not {"view", "at"} & params.keys() and name in self.lists:
            self._compare(answer, digest(answer["result"]["snapshot"]) == self.lists[name].digest())

    def _change(self, params, method, answer):
        state = self.lists[params["list"]].copy()
        before = state.digest()
        name = (answer.get("error") or {}).get("data", {}).get("name")
        if name not in (None, "noSuchItem", "noSuchSection", "duplicateItem", "duplicateSection", "invalidAnchor", "ownDescendant"):
            return
        try:
            if method == "apply":
                state.apply_state(params["snapshot"], params.get("section"))
            else:
                state.apply(params["operations"])
        except Refusal as refusal:
            return self._compare(answer, (name, answer["error"]["data"].get("operation")) == (
                refusal.name, refusal.about.get("operation")))
        self._compare(answer, name is None and answer["result"].get("changed") in (None, state.digest() != before))
        if not params.get("dryRun") and name is None:
            self.lists[params["list"]] = state

    def _compare(self, answer, is_same):
        self.compared += 1
        if not is_same:
            self.differences.append(answer)


class ModelTests(unittest.TestCase):
    def test_the_pages_show_what_the_model_makes(self):
        compared = 0
        for path in PAGES:
            page = Page(path)
            page.run()
            self.assertEqual(page.differences, [], path.name)
            compared += page.compared
        self.assertGreater(compared, 25)

    def test_a_refused_operation_changes_nothing(self):
        state = Snapshot.of({"sections": [{"id": "a", "items": [{"id": "x", "children": [{"id": "y"}]}]}]})
        before = state.digest()
        for operation, name in (
                ({"op": "moveItem", "item": "x", "parent": "y"}, "ownDescendant"),
                ({"op": "moveItem", "item": "x", "after": "x"}, "invalidAnchor"),
                ({"op": "insertItems", "after": "y", "section": "a", "items": [{"id": "z"}]}, "invalidAnchor"),
                ({"op": "appendItems", "items": [{"id": "y"}]}, "duplicateItem"),
                ({"op": "appendItems", "section": "b", "items": []}, "noSuchSection"),
                ({"op": "deleteItems", "items": ["z"]}, "noSuchItem"),
                ({"op": "appendSections", "sections": [{"id": "a"}]}, "duplicateSection")):
            with self.assertRaises(Refusal) as caught:
                state.apply([operation])
            self.assertEqual((caught.exception.name, state.digest()), (name, before))

    def test_an_item_moves_with_what_is_under_it(self):
        items = [{"id": "x", "children": [{"id": "y"}]}, {"id": "z"}]
        state = Snapshot.of({"sections": [{"id": "a", "items": items}, {"id": "b"}]})
        state.apply([{"op": "moveItem", "item": "x", "after": "z"}, {"op": "moveItem", "item": "z", "section": "b"}])
        self.assertEqual(state.json(), {"sections": [
            {"id": "a", "items": [{"id": "x", "children": [{"id": "y"}]}]}, {"id": "b", "items": [{"id": "z"}]}]})

    def test_a_patch_is_merged_as_the_rfc_says(self):
        self.assertEqual(merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": None}, "e": [1]}), {"a": {"c": 2}, "d": 3, "e": [1]})
        self.assertEqual(merged([1], {"a": 1}), {"a": 1})


if __name__ == "__main__":
    unittest.main()
