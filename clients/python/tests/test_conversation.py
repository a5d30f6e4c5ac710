from __future__ import annotations

import json
import re
import unittest

from diffable import NoSuchList, NotSendable, Refused, TooLarge, Unintelligible, errors
from diffable.conversation import Conversation, Notification, Reply
from diffable.lines import encoded

from .support import REPOSITORY

LINES = (
    b'{"jsonrpc":"2.0","method":"reset","params":{"text":"\xc3\xa4\xe2\x80\xa8"}}\n\n'
    b'{"jsonrpc":"2.0","id":7,"result":{"list":"tasks"}}\r\n'
    b'{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"there is no list (at byte 9)",'
    b'"data":{"name":"noSuchList","list":"x","offset":9}}}\n'
)


class ConversationTests(unittest.TestCase):
    def test_lines_are_found_wherever_they_are_cut(self) -> None:
        for cut in range(len(LINES)):
            conversation = Conversation()
            conversation.receive(LINES[:cut])
            conversation.receive(LINES[cut:])
            first, second, third = conversation.take(), conversation.take(), conversation.take()
            self.assertEqual(first, Notification("reset", {"text": "ä\u2028"}))
            self.assertEqual(second, Reply(7, {"list": "tasks"}))
            assert isinstance(third, Reply)
            with self.assertRaises(NoSuchList) as caught:
                third.get()
            error = caught.exception
            self.assertEqual((str(error), error.list, error.code), ("there is no list", "x", 1))
            self.assertIsNone(conversation.take())

    def test_a_reply_is_taken_before_all_else_and_the_rest_stays_in_order(self) -> None:
        conversation = Conversation()
        self.assertIsNone(conversation.take_reply("a"))
        conversation.receive(LINES)
        self.assertIsNotNone(conversation.take_reply("a"))
        self.assertIsNone(conversation.take_reply("a"))
        self.assertIsInstance(conversation.take(), Notification)
        self.assertIsInstance(conversation.take(), Reply)

    def test_what_concerns_the_connection_comes_after_what_came_before(self) -> None:
        conversation = Conversation()
        conversation.receive(LINES + b'{"id":null,"error":{"code":11,"message":"too many","data":{"name":"tooLarge"}}}\n')
        for _ in range(3):
            self.assertIsNotNone(conversation.take())
        with self.assertRaisesRegex(TooLarge, "too many"):
            conversation.take()
        for nonsense in (b"hello\n", b"[1]\n", b"{}\n", b'{"id":1}\n', b"\xff\n", b'{"id":' + b"[" * 100_000 + b"\n"):
            conversation = Conversation()
            conversation.receive(nonsense)
            with self.assertRaisesRegex(Unintelligible, "same version"):
                conversation.take()

    def test_numbers_of_any_length_are_read(self) -> None:
        conversation = Conversation()
        conversation.receive(b'{"id":1,"result":{"n":' + b"9" * 6_000 + b"}}\n")
        self.assertIsInstance(conversation.take(), Reply)

    def test_what_cannot_be_sent_is_said_by_its_place(self) -> None:
        circle: list[object] = []
        circle.append(circle)
        for value, words in (
            ({"a": [1, {2}]}, "a set at /a/1"), ({"a": float("nan")}, "nan at /a"), ("\ud800", "lone surrogate"),
            ({(1, 2): 3}, "member's name"), (circle, "contains itself"), (b"x", "a bytes cannot"),
        ):
            with self.assertRaisesRegex(NotSendable, re.escape(words)):
                encoded(value)
        self.assertEqual(json.loads(encoded({"ä": "\u2028\n"})), {"ä": "\u2028\n"})

    def test_every_error_of_the_protocol_has_an_exception_of_its_name(self) -> None:
        page = (REPOSITORY / "docs" / "protocol-errors.md").read_text()
        rows = re.findall(r"^\| (-?\d+) \| `(\w+)` \|", page, re.MULTILINE)
        self.assertGreater(len(rows), 20)
        for code, name in rows:
            kind = type(Refused.of(name, "", int(code)))
            self.assertNotEqual(kind, Refused, name)
            self.assertEqual(kind.error_name, name)
            self.assertIs(getattr(errors, kind.__name__), kind)
        self.assertEqual(Refused.of("ofANewerDaemon", "words").name, "ofANewerDaemon")
