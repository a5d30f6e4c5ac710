from __future__ import annotations

import unittest
from dataclasses import dataclass

from diffable.rows import sections


@dataclass
class Process:
    pid: int
    command: str


class RowTests(unittest.TestCase):
    def test_a_row_is_found_by_id_key_or_name_and_is_the_content(self) -> None:
        for name in ("id", "key", "name"):
            row = {name: "milk", "n": 1}
            self.assertEqual(sections([row]), [{"id": "main", "items": [{"id": "milk", "content": row}]}])
        self.assertEqual(
            sections(["milk"]), [{"id": "main", "items": [{"id": "milk", "content": {"text": "milk"}}]}])
        self.assertEqual(sections([]), [])

    def test_fields_say_what_identifies_a_row_and_where_it_stands(self) -> None:
        rows = [{"pid": 2, "ppid": 1, "of": "a"}, {"pid": 1, "of": "b", "k": "p"}, {"pid": 3, "of": ""}]
        made = sections(rows, key="pid", section="of", parent="ppid", kind="k", text="pid")
        self.assertEqual(made, [
            {"id": "b", "items": [{"id": "1", "kind": "p", "content": {"text": 1}, "children": [
                {"id": "2", "content": {"text": 2}}]}]},
            {"id": "main", "items": [{"id": "3", "content": {"text": 3}}]},
        ])
        made = sections([Process(7, "sh")], key="pid", text=lambda process: process.command.upper())
        self.assertEqual(made, [{"id": "main", "items": [{"id": "7", "content": {"text": "SH"}}]}])

    def test_rows_that_make_no_list_are_refused_with_what_to_do(self) -> None:
        for rows, terms, words in (
            ([{"id": "a"}, {"id": "a"}], {}, "two rows have the id \"a\""),
            ([{"x": 1}], {}, "name the field that identifies rows"),
            ([{"id": 1.5}], {}, "a string or an integer, not 1.5"),
            ([{"id": "a"}, {}], {}, "not None"),
            ([{"id": "a", "p": "b"}], {"parent": "p"}, "the parent \"b\" of the row \"a\" is not a row"),
            ([{"id": "a", "p": "b"}, {"id": "b", "p": "a"}], {"parent": "p"}, "2 rows are their own ancestors"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                sections(rows, **terms)
