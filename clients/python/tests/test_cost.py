from __future__ import annotations

import sys
import unittest
from types import FrameType
from typing import Any, Dict, List

from diffable import ListState
from diffable.mirror import Mirror


def long_list(count: int) -> Dict[str, Any]:
    items = [{"id": str(number), "content": {"n": number}, "children": [{"id": f"c{number}"}]} for number in range(count // 2)]
    return {"op": "appendSections", "sections": [{"id": "s", "items": items}, {"id": "t"}]}


def small_changes(count: int) -> List[Dict[str, Any]]:
    half = str(count // 4)
    return [
        {"op": "insertItems", "after": half, "section": "s", "items": [{"id": "new"}]},
        {"op": "moveItem", "item": half, "section": "s", "after": None},
        {"op": "deleteItems", "items": [half]},
        {"op": "reconfigureItems", "items": [{"id": "new", "content": 1}]},
        {"op": "appendItems", "section": "s", "items": [{"id": "last"}]},
        {"op": "moveItem", "item": "last", "section": "t", "after": None},
    ]


def lines_executed(count: int) -> int:
    """The number of lines of Python that a small change executes in a list of this many items: a count, not a time."""
    mirror = Mirror("list")
    mirror.receive("reset", {"epoch": "e", "revision": 1, "reason": "initial", "operations": [long_list(count)]})
    lines = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    changes = {"from": 1, "revision": 2, "operations": small_changes(count)}
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        update = mirror.receive("changes", changes)
    finally:
        sys.settrace(before)
    assert update is not None and len(update.state) == len(ListState.from_dict(update.state.to_dict()))
    return lines


class CostTests(unittest.TestCase):
    def test_a_small_change_costs_the_same_however_long_the_list_is(self) -> None:
        # Some steps for each chunk of items, none for an item.
        self.assertLess(lines_executed(20_000), 1.5 * lines_executed(1_000))
