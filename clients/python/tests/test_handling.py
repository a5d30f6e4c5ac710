from __future__ import annotations

import asyncio
import threading
import unittest
from typing import Any, Callable, List, Optional

from diffable import (
    AsyncClient,
    Client,
    Expanded,
    Handler,
    HandlerEnded,
    HandlerExists,
    HandlerLost,
    HandlerTimedOut,
    ItemDict,
    NoHandler,
    NotSendable,
    Operation,
    ProposalRefused,
    Request,
)
from diffable.typed import RequestKind

from .fake_daemon import HandlerDaemon
from .support import PATIENCE, DaemonTestCase, answers_for_lists, eventually


class HandlingTests(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = HandlerDaemon()
        self.addCleanup(self.daemon.close)
        self.client = Client(self.daemon.socket)
        self.addCleanup(self.client.close)

    def serve(self, handler: Handler, answer: Callable[[Request], Any]) -> None:
        def run() -> None:
            for request in handler:
                answer(request)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.addCleanup(thread.join, PATIENCE)
        self.addCleanup(handler.close)
        eventually(lambda: self.daemon.handler)

    def test_what_is_asked_is_answered_with_what_the_handler_says(self) -> None:
        seen: List[Any] = []

        def answer(request: Request) -> None:
            if request.kind == "perform":
                # It follows its list, so it knows the items of the ids.
                seen.append([handler.state[id]["text"] for id in request.items])
                self.client.transact("tasks", [{"op": "patchItems", "items": [{"id": "milk", "content": {"done": True}}]}])
                request.answer({"was": request.arguments, "by": request.asker["name"]})
            elif request.kind == "propose":
                request.answer(operations=[*request.operations, {"op": "expandItems", "items": ["milk"]}])
            else:
                request.answer()

        handler = self.client.handle("tasks", ["perform", "propose", "expand"], actions=["done"])
        self.serve(handler, answer)
        performed = self.client.perform("tasks", "done", ["milk"], arguments={"quick": True}, timeout=5)
        self.assertEqual((performed.revision, performed.result), (4, {"was": {"quick": True}, "by": "asker"}))
        self.assertEqual(seen, [["Milk"]])
        proposed = self.client.propose("tasks", [{"op": "deleteItems", "items": ["x"]}])
        self.assertEqual((proposed.revision, len(proposed.operations or ())), (5, 2))
        self.assertEqual(self.client.expand("tasks", "milk"), Expanded("tasks", "milk", 5))
        self.assertIn(("handle", {"list": "tasks", "requests": ["perform", "propose", "expand"], "actions": ["done"]}),
                      self.daemon.requests)
        self.assertEqual([params["timeout"] for method, params in self.daemon.requests if method == "perform"], [5_000])
        self.assertTrue(handler.state["milk"]["done"])

    def test_a_refusal_is_an_exception_with_the_handlers_words(self) -> None:
        self.serve(self.client.handle("tasks", ["propose"]), lambda request: request.refuse("the milk stays"))
        with self.assertRaisesRegex(ProposalRefused, "^the milk stays$"):
            self.client.propose("tasks", [{"op": "deleteItems", "items": ["milk"]}])
        with self.assertRaises(NoHandler):
            self.client.perform("tasks", "done")

    def test_a_failure_says_that_it_may_have_happened(self) -> None:
        self.serve(self.client.handle("tasks", ["perform"]), lambda request: request.fail("half of it is done"))
        with self.assertRaisesRegex(HandlerLost, "^half of it is done$"):
            self.client.perform("tasks", "done")

    def test_what_cannot_be_sent_leaves_the_request_to_another_answer(self) -> None:
        def answer(request: Request) -> None:
            with self.assertRaises(NotSendable):
                request.answer(object())
            request.answer("as text")
            with self.assertRaisesRegex(RuntimeError, "once"):
                request.answer("twice")

        self.serve(self.client.handle("tasks", ["perform"]), answer)
        self.assertEqual(self.client.perform("tasks", "done").result, "as text")

    def test_one_handler_takes_the_place_of_another_only_when_it_says_so(self) -> None:
        first = self.client.handle("tasks", ["perform"], follow=False)
        ended: List[HandlerEnded] = []

        def run() -> None:
            try:
                next(first)
            except HandlerEnded as error:
                ended.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        eventually(lambda: self.daemon.handler)
        with self.assertRaises(HandlerExists):
            next(self.client.handle("tasks", ["perform"]))
        second = self.client.handle("tasks", ["perform"], replace=True)
        self.serve(second, lambda request: request.answer(2))
        thread.join(PATIENCE)
        self.assertEqual([error.reason for error in ended], ["replaced"])
        self.assertEqual(self.client.perform("tasks", "done").result, 2)

    def test_a_handler_is_registered_again_and_what_was_open_is_asked_no_more(self) -> None:
        requests: List[Request] = []
        self.serve(self.client.handle("tasks", ["perform"]), requests.append)
        results: List[Any] = []

        def ask() -> None:
            try:
                self.client.perform("tasks", "done")
            except HandlerLost as error:
                results.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        eventually(lambda: requests)
        handler = self.daemon.handler
        assert handler is not None
        with self.assertLogs("diffable", "WARNING"):
            handler.cut()
            thread.join(PATIENCE)
            eventually(lambda: self.daemon.handler not in (None, handler))
        self.assertEqual(len(results), 1)
        self.assertTrue(requests[0].is_cancelled)
        requests[0].answer("too late")
        threading.Thread(target=lambda: results.append(self.client.perform("tasks", "again").result)).start()
        eventually(lambda: len(requests) == 2)
        requests[1].answer("in time")
        with self.assertRaisesRegex(RuntimeError, "once"):
            requests[1].answer("twice")
        eventually(lambda: results[1:] == ["in time"])

    def test_a_request_that_is_cancelled_says_so_and_its_answer_is_not_sent(self) -> None:
        requests: List[Request] = []
        self.serve(self.client.handle("tasks", ["perform"]), requests.append)
        threading.Thread(target=lambda: self.client.perform("tasks", "done").result).start()
        eventually(lambda: requests)
        assert self.daemon.handler is not None
        self.daemon.handler.notify("requestCancelled", handler=1, request=1)
        eventually(lambda: requests[0].is_cancelled)
        requests[0].answer()
        self.assertNotIn("answer", [method for method, _ in self.daemon.requests])
        peer, id, _, _ = self.daemon.waiting[1]
        peer.reply(id, {"list": "tasks"})

    def test_asyncio_answers_several_at_a_time_in_any_order(self) -> None:
        async def main() -> List[Any]:
            async with AsyncClient(self.daemon.socket) as client, client.handle("tasks", ["perform"]) as handler:
                async def serve() -> None:
                    first = await handler.__anext__()
                    second = await handler.__anext__()
                    await second.answer(second.action)
                    await first.answer(first.action)

                serving = asyncio.create_task(serve())
                while self.daemon.handler is None:
                    await asyncio.sleep(0.001)
                asked = await asyncio.gather(client.perform("tasks", "one"), client.perform("tasks", "two"))
                await serving
                return [performed.result for performed in asked]

        self.assertEqual(asyncio.run(main()), ["one", "two"])


class RealHandlingTests(DaemonTestCase):
    """With the real daemon."""

    def setUp(self) -> None:
        self.ended: Optional[HandlerEnded] = None
        self.client = Client(self.daemon.socket, name="asker")
        self.addCleanup(self.client.close)
        if not answers_for_lists(self.client):
            self.skipTest("this daemon knows no handlers yet")

    def serve(self, name: str, requests: List[RequestKind], answer: Callable[[Request], Any], replace: bool = False) -> Handler:
        self.client.publish(name, [{"id": "milk", "text": "Milk"}, {"id": "box"}])
        handler = self.client.handle(name, requests, replace=replace)

        def run() -> None:
            try:
                for request in handler:
                    answer(request)
            except HandlerEnded as error:
                self.ended = error

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.addCleanup(thread.join, PATIENCE)
        self.addCleanup(handler.close)
        eventually(lambda: [one for one in self.client.lists() if one.list == name][0].handles)
        return handler

    def test_a_handler_changes_the_list_and_answers(self) -> None:
        seen: List[Any] = []

        def answer(request: Request) -> None:
            if request.kind == "perform":
                seen.append([handler.state[id]["text"] for id in request.items])
                patch: Operation = {"op": "patchItems", "items": [{"id": "milk", "content": {"done": True}}]}
                request.answer([self.client.transact("work", [patch]).revision, request.arguments, request.asker["name"]])
            elif request.kind == "expand":
                assert request.item is not None
                children: List[ItemDict] = [{"id": f"{request.item}/1"}]
                self.client.transact("work", [{"op": "replaceChildren", "parent": request.item, "items": children}])
                request.answer()
            elif request.operations[0]["op"] == "moveItem":
                request.answer()
            elif request.operations[0]["op"] == "deleteItems":
                request.answer(operations=[{"op": "collapseItems", "items": ["box"]}])
            else:
                request.refuse("that is not done here")

        handler = self.serve("work", ["perform", "propose", "expand"], answer)
        performed = self.client.perform("work", "done", ["milk"], arguments={"quick": True})
        self.assertEqual((seen, performed.result), ([["Milk"]], [2, {"quick": True}, "asker"]))
        self.assertGreaterEqual(performed.revision or 0, 2)
        self.assertGreaterEqual(self.client.expand("work", "box").revision or 0, 3)
        self.assertIn("box/1", self.client.snapshot("work").state)
        self.assertTrue(self.client.propose("work", [{"op": "moveItem", "item": "box", "before": "milk"}]).changed)
        self.client.propose("work", [{"op": "deleteItems", "items": ["milk"]}])
        self.assertIn("milk", self.client.snapshot("work").state)
        with self.assertRaisesRegex(ProposalRefused, "not done here"):
            self.client.propose("work", [{"op": "expandItems", "items": ["box"]}])

    def test_a_loop_that_is_left_after_an_answer_has_answered(self) -> None:
        self.client.publish("left", [{"id": "milk"}])

        def answer_once() -> None:
            with self.client.handle("left", ["perform"]) as handler:
                for request in handler:
                    request.answer(request.action)
                    break

        for number in range(50):
            thread = threading.Thread(target=answer_once)
            thread.start()
            eventually(lambda: [one for one in self.client.lists() if one.list == "left"][0].handles)
            self.assertEqual(self.client.perform("left", str(number)).result, str(number))
            thread.join()
            eventually(lambda: not [one for one in self.client.lists() if one.list == "left"][0].handles)

    def test_a_handler_in_with_ends_with_an_exception_that_is_kept(self) -> None:
        self.client.publish("raised", [{"id": "milk"}])
        kept: List[Exception] = []

        def fail() -> None:
            try:
                with self.client.handle("raised", ["perform"]) as handler:
                    for request in handler:
                        raise ValueError(request.action)
            except ValueError as error:
                kept.append(error)

        thread = threading.Thread(target=fail)
        thread.start()
        eventually(lambda: [one for one in self.client.lists() if one.list == "raised"][0].handles)
        with self.assertRaises(HandlerLost):
            self.client.perform("raised", "now")
        thread.join()
        self.assertEqual(len(kept), 1)

    def test_an_answer_that_the_daemon_refuses_reaches_who_asked(self) -> None:
        def answer(request: Request) -> None:
            long = "x" * 300_000
            if request.kind == "propose":
                request.answer(operations=[{"op": "none"}])  # type: ignore[typeddict-item]
            else:
                request.answer(long)

        self.serve("long", ["perform", "propose"], answer)
        with self.assertLogs("diffable", "WARNING"):
            with self.assertRaisesRegex(HandlerLost, "resultLengthMax.*may have been carried out"):
                self.client.perform("long", "done")
            with self.assertRaisesRegex(ProposalRefused, "none"):
                self.client.propose("long", [{"op": "deleteItems", "items": ["milk"]}])
        self.assertIn("milk", self.client.snapshot("long").state)

    def test_nobody_a_second_one_and_one_that_goes(self) -> None:
        self.client.publish("alone", ["a"])
        with self.assertRaises(NoHandler):
            self.client.perform("alone", "done")
        taken: List[Request] = []
        first = self.serve("taken", ["perform"], taken.append)
        with self.assertRaises(HandlerExists):
            next(self.client.handle("taken", ["perform"]))

        def leave() -> None:
            eventually(lambda: taken)
            first.close()

        threading.Thread(target=leave).start()
        with self.assertRaises(HandlerLost):
            self.client.perform("taken", "done")
        self.serve("replaced", ["perform"], lambda request: request.answer(1))
        self.serve("replaced", ["perform"], lambda request: request.answer(2), replace=True)
        eventually(lambda: self.ended)
        self.assertEqual(self.ended and self.ended.reason, "replaced")
        self.assertEqual(self.client.perform("replaced", "done").result, 2)
        self.serve("slow", ["perform"], taken.append)
        with self.assertRaises(HandlerTimedOut):
            self.client.perform("slow", "done", timeout=0.05)
        eventually(lambda: taken[-1].is_cancelled)
