from __future__ import annotations

import json
import unittest
from typing import Any, List

from diffable import ListState, SnapshotDict, TooLarge, operations
from diffable.lines import encoded
from diffable.parts import change_lines

from .support import RandomLists


class PartsTests(unittest.TestCase):
    def parts(self, changes: List[Any], length: int, operations_max: int = 1000) -> List[Any]:
        limits = {"lineLengthMax": length, "operationsMax": operations_max}
        lines = change_lines("transact", {"list": "tasks"}, {"requestKey": "k"}, map(encoded, changes), 7, limits)
        for line in lines:
            self.assertLessEqual(len(line), length)
            self.assertEqual(line.count(b"\n"), 1)
        parts = [json.loads(line) for line in lines]
        self.assertEqual([part.get("id") for part in parts], [None] * (len(parts) - 1) + [7])
        self.assertEqual([part["params"]["list"] for part in parts], ["tasks"] * len(parts))
        more = [True] * (len(parts) - 1) + [False] if len(parts) > 1 else [None]
        self.assertEqual([part["params"].get("more") for part in parts], more)
        self.assertEqual([part["params"].get("requestKey") for part in parts], [None] * (len(parts) - 1) + ["k"])
        return [operation for part in parts for operation in part["params"]["operations"]]

    def test_parts_make_what_the_whole_makes(self) -> None:
        random = RandomLists()
        for _ in range(60):
            start = ListState.from_dict({"sections": [{"id": "s", "items": random.items()}, {"id": "t"}]})
            for length in (400, 700, 3_000, 1 << 20):
                whole, parted = (ListState.from_dict(start.to_dict()) for _ in range(2))
                changes = []
                for _ in range(12):
                    operation = random.operation(whole)
                    if operation["op"] == "replaceChildren" or len(json.dumps(operation)) > 20_000:
                        continue
                    try:
                        operations.apply(whole, operation)
                    except operations.DoesNotFit:
                        continue
                    changes.append(operation)
                with self.subTest(seed=str(random), length=length):
                    try:
                        sent = self.parts(changes, length)
                    except TooLarge:
                        # One item's content, or the list of moved items, is too long for a line.
                        self.assertLess(length, 700)
                        continue
                    for operation in sent:
                        operations.apply(parted, operation)
                    self.assertEqual(parted.to_dict(), whole.to_dict())

    def test_what_is_inserted_in_parts_keeps_its_order(self) -> None:
        for place in ({"before": "b"}, {"after": "a"}, {"section": "s", "after": None}, {"section": "s"}, {"parent": "a"}):
            start: SnapshotDict = {"sections": [{"id": "s", "items": [{"id": "a"}, {"id": "b"}]}]}
            whole, parted = ListState.from_dict(start), ListState.from_dict(start)
            name = "insertItems" if "before" in place or "after" in place else "appendItems"
            below = [{"id": f"c{number}", "content": "y" * 30} for number in range(30)]
            items = [{"id": str(number), "content": "x" * 50} for number in range(40)]
            items[20]["children"] = below  # type: ignore[assignment]
            operation: Any = {"op": name, **place, "items": items}
            operations.apply(whole, operation)
            sent = self.parts([operation], 600)
            self.assertGreater(len(sent), 5)
            for part in sent:
                operations.apply(parted, part)
            self.assertEqual(parted.to_dict(), whole.to_dict())

    def test_a_line_has_as_many_operations_as_the_daemon_takes(self) -> None:
        changes = [{"op": "expandItems", "items": [str(number)]} for number in range(10)]
        self.assertEqual(self.parts(changes, 10_000, operations_max=3), changes)

    def test_what_cannot_be_parted_is_too_large(self) -> None:
        with self.assertRaisesRegex(TooLarge, "lineLengthMax") as caught:
            self.parts([{"op": "appendItems", "items": [{"id": "a", "content": "x" * 2_000}]}], 1_024)
        self.assertEqual(caught.exception.limit, "lineLengthMax")
