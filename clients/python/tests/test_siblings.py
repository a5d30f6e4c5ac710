from __future__ import annotations

import unittest
from typing import List

from diffable.siblings import Member, Siblings

from .support import RandomLists


class Letter(Member):
    pass


class ShortSiblings(Siblings[Letter]):
    __slots__ = ()
    LENGTH_MAX = 4


class SiblingsTests(unittest.TestCase):
    def check(self, siblings: Siblings[Letter], expected: List[Letter]) -> None:
        self.assertEqual(list(siblings), expected)
        self.assertEqual(len(siblings), len(expected))
        for index, member in enumerate(expected):
            self.assertIs(siblings[index], member)
            self.assertEqual(siblings.index(member), index)
            self.assertIs(siblings.before(member), expected[index - 1] if index else None)
        self.assertEqual(siblings[1:-1], expected[1:-1])
        # A step in a chunk is one of some hundred, so that is the whole cost of a change.
        self.assertTrue(all(0 < len(chunk.members) <= siblings.LENGTH_MAX for chunk in siblings._chunks))

    def test_is_a_list_after_random_insertions_and_removals(self) -> None:
        random = RandomLists()
        for _ in range(60):
            expected = [Letter() for _ in range(random.random.randrange(12))]
            siblings = ShortSiblings(expected)
            for _ in range(40):
                if expected and random.random.random() < 0.45:
                    gone = random.random.choice(expected)
                    siblings.remove(gone)
                    expected.remove(gone)
                    self.assertNotIn(gone, siblings)
                else:
                    place = random.random.randrange(len(expected) + 1)
                    new = [Letter() for _ in range(random.random.choice([1, 1, 2, 9]))]
                    siblings.insert(list(new), expected[place - 1] if place else None)
                    expected[place:place] = new
                with self.subTest(seed=str(random)):
                    self.check(siblings, expected)

    def test_says_what_is_not_there(self) -> None:
        siblings = ShortSiblings([Letter()])
        with self.assertRaises(IndexError):
            siblings[1]
        with self.assertRaises(ValueError):
            siblings.remove(_detached())
        self.assertEqual(siblings[-1], siblings[0])


def _detached() -> Letter:
    letter = Letter()
    siblings = ShortSiblings([letter])
    siblings.remove(letter)
    return letter
