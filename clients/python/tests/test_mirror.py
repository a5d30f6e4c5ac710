from __future__ import annotations

import unittest
from typing import Any, Dict, List, Optional

from diffable import PermissionDenied, Unintelligible, View
from diffable.mirror import Mirror, Update

Operations = List[Dict[str, Any]]


def reset(revision: int, operations: Operations, **more: Any) -> Dict[str, Any]:
    return {"epoch": "e1", "revision": revision, "reason": "initial", "operations": operations, **more}


def changes(start: int, revision: int, operations: Operations, **more: Any) -> Dict[str, Any]:
    return {"from": start, "revision": revision, "operations": operations, **more}


def append(*ids: str) -> Dict[str, Any]:
    return {"op": "appendItems", "items": [{"id": id} for id in ids]}


def ids(mirror: Mirror) -> List[str]:
    return [item.id for _, item in mirror.state.rows()]


class MirrorTests(unittest.TestCase):
    def started(self, **more: Any) -> Mirror:
        mirror = Mirror("tasks", **more)
        self.assertIsNotNone(mirror.receive("reset", reset(1, [append("a", "b")])))
        return mirror

    def test_a_group_in_parts_is_one_update(self) -> None:
        mirror = Mirror("tasks")
        self.assertIsNone(mirror.receive("reset", reset(1, [append("a")], more=True)))
        self.assertIsNone(mirror.since)
        update = mirror.receive("reset", reset(1, [append("b")]))
        assert update is not None
        self.assertEqual((update.cause, update.is_reset, update.revision, len(update.operations)), ("initial", True, 1, 2))
        self.assertIsNone(mirror.receive("changes", changes(1, 3, [append("c")], more=True)))
        self.assertEqual((ids(mirror), mirror.revision), (["a", "b"], 1))
        update = mirror.receive("changes", changes(1, 3, [{"op": "deleteItems", "items": ["a"]}]))
        assert update is not None
        self.assertEqual((ids(mirror), update.revision, update.is_reset), (["b", "c"], 3, False))

    def test_a_group_that_was_cut_off_never_was(self) -> None:
        for method, part in (("changes", changes(1, 2, [append("c")], more=True)), ("reset", reset(2, [], more=True))):
            mirror = self.started()
            mirror.receive(method, part)
            mirror.resume({})
            self.assertEqual(mirror.since, {"epoch": "e1", "revision": 1})
            mirror.receive("changes", changes(1, 2, [append("d")]))
            self.assertEqual(ids(mirror), ["a", "b", "d"])

    def test_a_reset_says_why(self) -> None:
        for reason, cause in (("initial", "epoch"), ("epoch", "epoch"), ("history", "history"), ("reload", "reload"),
                              ("of a newer daemon", "reload")):
            mirror = self.started()
            before = mirror.state
            update = mirror.receive("reset", {**reset(7, [append("z")], reason=reason), "epoch": "e2"})
            assert update is not None
            self.assertEqual((update.cause, update.epoch, update.is_reset, ids(mirror)), (cause, "e2", True, ["z"]))
            self.assertEqual(len(before), 2, "what was given out stays as it was")

    def test_a_list_that_is_awaited_can_go_and_come_again(self) -> None:
        mirror = Mirror("tasks", waits=True)
        self.assertIsNone(mirror.receive("listDeleted", {}))
        mirror.receive("reset", reset(1, [append("a")]))
        update = mirror.receive("listDeleted", {})
        assert update is not None
        self.assertEqual((update.cause, update.is_reset, ids(mirror), mirror.since), ("deleted", False, [], None))
        again = mirror.receive("reset", reset(0, [], reason="epoch"))
        self.assertEqual(again and again.cause, "epoch")

    def test_a_view_counts_from_the_next_group_on(self) -> None:
        first: View = {"search": "a"}
        second: View = {"search": "b"}
        mirror = self.started(view=first)
        mirror.receive("changes", changes(1, 2, [], more=True))
        mirror.set_view(second)
        self.assertIs(mirror.view, first)
        mirror.receive("changes", changes(1, 2, []))
        self.assertIs(mirror.view, first)
        mirror.receive("changes", changes(2, 2, [], offset=4, total=9))
        self.assertIs(mirror.view, second)
        self.assertEqual(mirror.window and (mirror.window.offset, mirror.window.total), (4, 9))

    def test_a_window_knows_the_pins_and_sections_that_an_update_does_not_name(self) -> None:
        view: View = {"window": {"limit": 5, "offset": 0, "keep": ["a"], "pins": ["a", "b", "c"], "allSections": True}}
        mirror = Mirror("tasks", view=view)
        sections = {"op": "appendSections", "sections": [{"id": "s"}, {"id": "t"}]}
        mirror.receive("reset", reset(1, [sections], more=True, offset=0, total=4, pins={"a": 1, "b": None}))
        mirror.receive("reset", reset(1, [], offset=0, total=4, pins={"c": 3}, rows={"s": 4, "t": 0}))
        assert mirror.window is not None
        self.assertEqual((mirror.window.pins, mirror.window.rows), ({"a": 1, "b": None, "c": 3}, {"s": 4, "t": 0}))
        deletion = {"op": "deleteSections", "sections": ["t"]}
        update = mirror.receive("changes", changes(1, 2, [deletion], offset=7, total=5, pins={"a": None, "b": 0}))
        assert update is not None and update.window is not None
        self.assertEqual((update.window.pins, update.window.rows), ({"a": None, "b": 0, "c": 3}, {"s": 4}))
        # Another connection continues with the window where it is.
        self.assertEqual(mirror.shown_view.get("window"), {**view["window"], "offset": 7})
        mirror.set_view({"window": {"limit": 5, "pins": ["b"]}})
        mirror.receive("changes", changes(2, 3, [], offset=0, total=5))
        self.assertEqual((mirror.window.pins, mirror.window.rows), ({"b": 0}, {}))

    def test_a_view_names_the_anchor_that_its_window_has(self) -> None:
        view: View = {"window": {"anchor": "a", "limit": 2}}
        mirror = self.started(view=view)
        self.assertIs(mirror.shown_view, view)
        mirror.receive("changes", changes(1, 2, [], offset=0, total=2, anchor="b"))
        self.assertEqual(mirror.shown_view, {"window": {"anchor": "b", "limit": 2}})
        self.assertEqual(mirror.window and mirror.window.anchor, "b")

    def test_an_item_knows_whether_its_children_are_left_out(self) -> None:
        mirror = self.started()
        mirror.receive("changes", changes(1, 2, [{"op": "foldItems", "items": ["a"]}]))
        mirror.receive("changes", changes(2, 3, [{"op": "appendItems", "items": [{"id": "c", "folded": True}]}]))
        self.assertEqual([item.folded for _, item in mirror.state.rows()], [True, False, True])
        mirror.receive("changes", changes(3, 4, [{"op": "unfoldItems", "items": ["a", "c"]}]))
        self.assertEqual([item.folded for _, item in mirror.state.rows()], [False, False, False])

    def test_what_does_not_fit_is_said(self) -> None:
        wrong: List[Any] = [
            changes(0, 2, []), changes(1, 2, [append("a")]), changes(1, 2, [{"op": "deleteItems", "items": ["x"]}]),
            changes(1, 2, [{"op": "grow"}]), {"from": 1}, changes(1, 2, [{"op": "moveItem", "item": "a", "parent": "a"}]),
        ]
        for params in wrong:
            with self.assertRaises(Unintelligible, msg=params):
                self.started().receive("changes", params)
        with self.assertRaises(Unintelligible):
            Mirror("tasks").receive("changes", changes(0, 1, []))

    def test_an_end_by_the_daemon_is_an_exception_of_its_name(self) -> None:
        with self.assertRaisesRegex(PermissionDenied, "not any more"):
            self.started().receive("subscriptionEnded", {"reason": "permissionDenied", "message": "not any more"})

    def test_a_bookmark_is_no_update(self) -> None:
        update: Optional[Update] = self.started().receive("bookmark", {"revision": 1})
        self.assertIsNone(update)
