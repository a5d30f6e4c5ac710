from __future__ import annotations

from diffable import Client, InvalidParams, ListState, Refused, TooLarge, operations

from .support import DaemonTestCase, RandomLists


class OperationsTests(DaemonTestCase):
    def test_the_model_makes_of_random_operations_what_the_daemon_makes(self) -> None:
        random = RandomLists()
        refused = 0
        with Client(self.daemon.socket) as client:
            client.create("model", durability="volatile")
            mine = ListState()
            for round in range(250):
                trial = ListState.from_dict(mine.to_dict())
                changes = []
                fits = True
                for _ in range(random.random.randrange(1, 9)):
                    operation = random.operation(trial)
                    changes.append(operation)
                    try:
                        operations.apply(trial, operation)
                    except operations.DoesNotFit:
                        fits = False
                        break
                with self.subTest(seed=str(random), round=round, operation=changes[-1]):
                    try:
                        client.transact("model", changes)
                    except (InvalidParams, TooLarge):
                        # Errors in the request itself, or in its depth, do not concern the model.
                        continue
                    except Refused as error:
                        refused += 1
                        self.assertFalse(fits, error)
                        continue
                    self.assertTrue(fits)
                    mine = trial
                    self.assertEqual(client.snapshot("model").state.to_dict(), mine.to_dict())
            self.assertLess(refused, 200, "operations that fit were to be tried")

    def test_reads_answer_as_the_page_says(self) -> None:
        with Client(self.daemon.socket) as client:
            client.publish("reads", [{"id": "a"}, {"id": "b", "kind": "k"}], kind="kind")
            snapshot = client.snapshot("reads")
            item = snapshot.state["b"]
            self.assertEqual((item.index, item.kind, item["kind"], item.get("no", 1)), (1, "k", "k", 1))
            self.assertEqual(item.section and item.section.index, 0)
            self.assertIsNone(item.parent)
            self.assertEqual(snapshot.state.section("main").items[1], item)
            self.assertEqual([level for level, _ in snapshot.state.rows()], [0, 0])
            with self.assertRaises(KeyError):
                item["no"]
            self.assertIn("a", snapshot.state)
            self.assertIsNone(snapshot.state.get("no"))
