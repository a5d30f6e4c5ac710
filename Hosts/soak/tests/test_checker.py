"""Each check finds the fault that is planted for it, and nothing in a run in which every promise was kept."""

import json
import unittest

from history import EPOCH, History, digest, insertion, usual


class CheckerTests(unittest.TestCase):
    def expect(self, kind, history):
        self.assertIn(kind, history.kinds())

    def test_a_right_run_has_no_violation(self):
        self.assertEqual(usual().check(), [])

    # MARK: What was acknowledged

    def test_an_acknowledged_change_that_is_not_in_the_log(self):
        history = usual()
        history.request("w1", 1, "transact", result={"revision": 8, "changed": True}, operations=[insertion("e")])
        self.assertEqual(history.kinds(), ["lost"])

    def test_an_acknowledged_change_with_a_key_that_is_not_in_the_log(self):
        history = usual()
        history.request("w1", 1, "transact", result={"revision": 7, "changed": True}, operations=[insertion("e")], requestKey="k9")
        self.assertEqual(history.kinds(), ["lost"])

    def test_a_change_at_another_revision_than_was_acknowledged(self):
        history = usual()
        history.find("request", client="w1")[1]["result"]["revision"] = 4
        self.expect("lost", history)

    def test_a_key_that_was_carried_out_twice(self):
        history = usual()
        history.state.apply([{"op": "deleteItems", "items": ["b"]}])
        history.revision += 1
        history.batches += 1
        record, batch = history.row(3)
        batch["rows"][0]["operations"] = [{"op": "deleteItems", "items": ["b"]}]
        batch["rows"][0].pop("key")
        batch.update(batch=history.batches, revision=history.revision, after=history.chain)
        batch["rows"].append({"time": 1, "by": [7, 0, "w2@host2"], "key": "k2", "operations": [insertion("b")]})
        batch["revision"] += 1
        history.records.append({**record, "batch": history.batches, "text": json.dumps(batch)})
        self.expect("doubled", history)

    def test_a_change_without_a_key_that_was_carried_out_twice(self):
        history = usual()
        history.batch("w3", 2, ([{"op": "deleteItems", "items": ["c"]}, insertion("c")], None))
        self.expect("phantom", history)

    def test_one_revision_that_was_acknowledged_to_two(self):
        history = usual()
        history.request("w1", 2, "transact", result={"revision": 2, "changed": True}, operations=[insertion("a")])
        self.expect("lost", history)
        history = History()
        history.transact("w1", 1, [{"op": "appendSections", "sections": [{"id": "s"}]}])
        history.request("w1", 1, "transact", result={"revision": 1, "changed": True},
                        operations=[{"op": "appendSections", "sections": [{"id": "s"}]}])
        self.expect("shared revision", history)

    def test_a_change_that_nobody_asked_for(self):
        history = usual()
        history.batch("w9", 1, ([insertion("x")], None))
        self.expect("phantom", history)
        history = usual()
        history.batch("w9", 1, ([insertion("x")], "k77"))
        self.expect("phantom", history)

    def test_a_change_that_is_not_what_was_asked_for(self):
        history = usual()
        history.find("request", client="w1")[1]["params"]["operations"] = [insertion("a", expanded=True)]
        self.expect("effect", history)
        history = usual()
        history.find("request", client="w1")[0]["params"]["operations"] = [{"op": "appendSections", "sections": [{"id": "t"}]}]
        self.expect("effect", history)

    def test_a_retry_with_another_answer(self):
        history = usual()
        history.request("w1", 2, "transact", result={"revision": 2, "changed": False}, operations=[insertion("a")], requestKey="k1")
        self.expect("other answer", history)

    def test_something_refused_for_certain_that_was_done(self):
        for name in ("unreachable", "noSpace"):
            history = usual()
            history.request("w1", 1, "transact", error={"name": name}, operations=[insertion("e")])
            history.batch("w1", 1, ([insertion("e")], None))
            self.expect("refused and done", history)
        history = usual()
        history.request("w1", 1, "transact", error={"name": "unreachable"}, operations=[insertion("e")], requestKey="k8")
        history.batch("w1", 1, ([insertion("e")], "k8"))
        self.expect("refused and done", history)

    # MARK: The log

    def test_a_log_with_a_hole(self):
        history = usual()
        history.records.remove(history.row(4)[0])
        self.expect("gap", history)

    def test_a_batch_that_was_written_anew(self):
        history = usual()
        record, batch = history.row(2)
        history.records.append({**record, "text": json.dumps({**batch, "id": "another"})})
        self.assertEqual(history.kinds(), ["rewritten"])

    def test_two_batches_that_changed_places(self):
        history = usual()
        (first, one), (second, two) = history.row(2), history.row(3)
        first["text"], second["text"] = json.dumps(two), json.dumps(one)
        self.expect("misplaced", history)
        self.expect("chain", history)
        one["batch"], two["batch"], one["after"], two["after"] = 3, 2, two["after"], one["after"]
        one["revision"], two["revision"] = 3, 2
        first["text"], second["text"] = json.dumps(two), json.dumps(one)
        # Their order shows in what was acknowledged when.
        self.expect("lost", history)

    def test_a_batch_or_a_head_with_another_revision(self):
        history = usual()
        record, batch = history.row(5)
        record["text"] = json.dumps({**batch, "revision": 9})
        self.expect("revision", history)
        history = usual()
        history.find("head")[-1]["head"]["revision"] = 9
        self.expect("revision", history)

    def test_a_row_that_does_not_fit_the_state_before_it(self):
        history = usual()
        record, batch = history.row(3)
        batch["rows"][0]["operations"] = [{"op": "deleteItems", "items": ["nothing"]}]
        record["text"] = json.dumps(batch)
        self.expect("log", history)

    def test_a_checkpoint_that_is_not_what_the_log_leads_to(self):
        history = usual()
        text = json.dumps({"version": 1, "revision": 2, "operations": [
            {"op": "appendSections", "sections": [{"id": "s", "items": [{"id": "a", "content": {"by": "a"}}]}]}], "keys": []})
        history.records.append({"type": "checkpoint", "epoch": EPOCH, "batch": 2, "text": text})
        self.assertEqual(history.kinds(), [])
        history.records[-1]["text"] = text.replace('"by"', '"of"')
        self.assertEqual(history.kinds(), ["checkpoint"])
        # It is right at its revision, and does not stand for that batch.
        history.records[-1].update(text=text, batch=3)
        self.assertEqual(history.kinds(), ["checkpoint"])

    # MARK: Leases

    def leasing(self, *ended):
        """The daemon of host 1 held `x` and `y`, of which `x` was deleted and came back, held by nobody; `ended` went with that."""
        history, holder = usual(), ["host1", "one", 4]
        history.transact("w1", 1, [insertion("x"), insertion("y")], lease=holder)
        history.transact("w3", 2, [{"op": "deleteItems", "items": ["x"]}])
        history.transact("w3", 2, [insertion("x")])
        history.batch("", 2, ([{"op": "deleteItems", "items": list(ended)}] if ended else [], None),
                      by="lease ended: host1 is gone@host2", endedLease=holder)
        return history

    def test_what_was_leased_goes_and_nothing_else(self):
        self.assertEqual(self.leasing("y").kinds(), [])
        for ended in [(), ("x",), ("x", "y")]:
            self.assertEqual(self.leasing(*ended).kinds(), ["lease end"])

    def test_at_the_end_nothing_is_held(self):
        history = usual()
        history.transact("w1", 1, [insertion("x")], lease=["host1", "one", 4])
        self.assertEqual(history.kinds(), [], "the log has gone on since")
        history.find("end")[0].update(revision=history.revision, requests=[])
        self.assertEqual(history.kinds(), ["lease left"])

    def test_what_nobody_holds_does_not_go_once_more(self):
        history = self.leasing("y")
        history.batch("", 1, ([], None), by="lease ended: restart@host1", endedLease=["host1", "one", 4])
        self.assertEqual(history.kinds(), ["lease ended twice"])

    def test_a_section_that_was_leased_stays_with_what_others_put_in(self):
        for others, kinds in [([], []), ([{"op": "appendItems", "section": "t", "items": [{"id": "z"}]}], ["lease end"])]:
            history, holder = usual(), ["host1", "one", 4]
            history.transact("w1", 1, [{"op": "appendSections", "sections": [{"id": "t"}]}], lease=holder)
            if others:
                history.transact("w3", 2, others)
            history.batch("", 1, ([{"op": "deleteSections", "sections": ["t"]}], None), by="lease ended@host1", endedLease=holder)
            self.assertEqual(history.kinds(), kinds)

    # MARK: Real time

    def test_an_order_that_real_time_contradicts(self):
        history = usual()
        # It was answered before the one before it in the log was asked for.
        history.find("request", client="w1")[1].update(begin=0.1, end=0.2)
        self.assertEqual(history.kinds(), ["real time"])

    def test_a_revision_that_was_seen_before_it_was_asked_for(self):
        history = usual()
        history.find("request", client="w2")[0]["begin"] = 90.0
        history.find("request", client="w2")[1].update(begin=91.0, end=92.0)
        self.expect("real time", history)

    def test_a_newest_revision_that_was_not(self):
        for old in (2, 5):
            history = usual()
            history.request("w1", 1, "transact", error={"name": "revisionMismatch", "revision": old}, ifRevision=1, operations=[])
            self.assertEqual(history.kinds(), ["real time"])
        history = usual()
        history.find("request", client="r1")[0]["params"]["mostRecent"] = True
        self.assertEqual(history.kinds(), [])
        history.find("request", client="r1")[0].update(begin=80.0, end=81.0)
        self.expect("real time", history)

    def test_no_change_that_was_answered_from_an_old_state(self):
        history = usual()
        history.request("w1", 1, "transact", result={"revision": 3, "changed": False}, operations=[])
        self.assertEqual(history.kinds(), ["real time"])

    # MARK: Refusals

    def test_a_refusal_that_was_right_at_no_moment(self):
        history = usual()
        history.request(
            "w1", 1, "transact", error={"name": "noSuchItem", "item": "b"},
            operations=[{"op": "deleteItems", "items": ["b"]}])
        self.assertEqual(history.kinds(), ["wrong refusal"])

    def test_a_refusal_of_another_sort(self):
        history = usual()
        history.request("w1", 1, "transact", error={"name": "duplicateSection"}, operations=[insertion("b")])
        self.assertEqual(history.kinds(), ["wrong refusal"])

    def test_a_refusal_from_an_old_state(self):
        history = usual()
        history.request(
            "w1", 1, "transact", error={"name": "noSuchItem", "item": "c"},
            operations=[{"op": "deleteItems", "items": ["c"]}])
        self.assertEqual(history.kinds(), ["wrong refusal"])
        # It had been right before c was there.
        history.records[-1]["begin"] = 5.0
        self.assertEqual(history.kinds(), [])

    def test_no_change_where_there_is_something_to_change(self):
        history = usual()
        history.request("w1", 1, "transact", result={"revision": 7, "changed": False},
                        operations=[{"op": "deleteItems", "items": ["b"], "ifPresent": True}])
        self.assertEqual(history.kinds(), ["wrong refusal"])

    def test_a_mismatch_with_the_revision_that_was_expected(self):
        history = usual()
        history.request("w1", 1, "transact", error={"name": "revisionMismatch", "revision": 7}, ifRevision=7, operations=[])
        self.assertEqual(history.kinds(), ["wrong refusal"])

    def test_a_key_that_is_said_to_be_used_and_is_not(self):
        history = usual()
        history.request("w1", 1, "transact", error={"name": "requestKeyReused"}, operations=[], requestKey="k1")
        self.assertEqual(history.kinds(), [])
        history.request("w1", 1, "transact", error={"name": "requestKeyReused"}, operations=[], requestKey="k99")
        self.assertEqual(history.kinds(), ["wrong refusal"])

    def test_a_past_that_is_said_to_be_gone(self):
        history = usual()
        history.request("w1", 1, "undo", error={"name": "noSuchRevision", "revision": 7}, to=5)
        self.assertEqual(history.kinds(), ["wrong refusal"])
        # A host that was behind a checkpoint may not know what led there.
        history.checkpoint(6)
        self.assertEqual(history.kinds(), [])

    def test_a_refusal_that_nobody_expects(self):
        history = usual()
        history.request("w1", 1, "transact", error={"name": "noSuchList"}, operations=[])
        self.assertEqual(history.kinds(), ["unexpected refusal"])

    # MARK: What hosts show

    def test_a_snapshot_that_is_another(self):
        history = usual()
        history.find("request", client="r1")[0]["result"]["snapshot"]["sections"][0]["items"].reverse()
        self.assertEqual(history.kinds(), ["snapshot"])

    def test_a_long_snapshot_is_held_to_the_log_by_its_digest(self):
        history = usual()
        result = history.find("request", client="r1")[0]["result"]
        result["digest"] = digest(result.pop("snapshot")).hex()
        self.assertEqual(history.kinds(), [])
        result["digest"] = "00" + result["digest"][2:]
        self.assertEqual(history.kinds(), ["snapshot"])

    def test_a_read_that_is_older_than_was_asked_for(self):
        history = usual()
        history.find("request", client="r1")[0]["params"]["notOlderThan"] = 3
        self.assertEqual(history.kinds(), [])
        history.find("request", client="r1")[0]["params"]["notOlderThan"] = 4
        self.assertEqual(history.kinds(), ["snapshot"])

    def test_a_read_of_a_revision_that_is_said_never_to_have_been(self):
        history = usual()
        history.request("r1", 2, "snapshot", error={"name": "noSuchRevision"}, notOlderThan=8)
        self.assertEqual(history.kinds(), [])
        history.request("r1", 2, "snapshot", error={"name": "noSuchRevision"}, notOlderThan=5)
        self.assertEqual(history.kinds(), ["wrong refusal"])

    def test_a_host_that_goes_back(self):
        history = usual()
        history.records.append({**history.find("request", client="r1")[0], "id": 500, "host": 1, "begin": 90.0, "end": 91.0})
        self.assertEqual(history.kinds(), ["backwards"])

    def test_a_host_that_ends_elsewhere(self):
        history = usual()
        older, = history.find("request", client="r1")
        last = history.find("request", client="final")[1]
        last.update(result=older["result"], begin=older["begin"], end=older["end"])
        self.assertEqual(history.kinds(), ["final"])

    def test_a_restored_engine_goes_on_as_it_was(self):
        history = usual()
        second = {"epoch": "E2", "time": 60.0}
        history.records.append({"type": "life", "list": "l", "seen": 59.0, **second})
        history.records += [{**record, **second} for record in history.find("batch") if record["batch"] < 5]
        self.assertEqual(history.kinds(), [])
        # Of the batch before the last that was copied another is made up.
        record = history.find("batch", epoch="E2", batch=4)[0]
        record["text"] = record["text"].replace('"key": "k3"', '"key": "k33"')
        self.assertEqual(history.kinds(), ["phantom"])

    # MARK: Subscribers

    def follower(self, change):
        """What is found when the lines of the second subscription are changed."""
        history = usual()
        number = history.find("follow")[1]["id"]
        lines = history.find("heard", follow=number)
        change(history, lines)
        return history.kinds()

    def test_a_gap_at_a_subscriber(self):
        self.assertEqual(self.follower(lambda history, lines: history.records.remove(lines[1])), ["gap"])

    def test_a_group_that_comes_twice(self):
        self.assertEqual(self.follower(lambda history, lines: history.records.append({**lines[2]})), ["doubled"])

    def test_groups_that_go_back(self):
        def change(_, lines):
            lines[2]["line"]["params"].update(revision=5)

        self.assertIn("backwards", self.follower(change))

    def test_a_mirror_that_becomes_another(self):
        def change(_, lines):
            lines[2]["line"]["params"]["operations"] = [{"op": "expandItems", "items": ["b"]}]

        self.assertEqual(self.follower(change), ["convergence"])

    def test_changes_that_do_not_fit(self):
        def change(_, lines):
            lines[2]["line"]["params"]["operations"] = [{"op": "expandItems", "items": ["nothing"]}]

        self.assertIn("subscription", self.follower(change))

    def test_a_reset_without_a_reason(self):
        def reset(reason):
            def change(history, lines):
                operations = [{"op": "appendSections", "sections": history.state.json()["sections"]}]
                lines[2]["line"] = {"method": "reset", "params": {
                    "subscription": 1, "epoch": EPOCH, "revision": 7, "reason": reason, "operations": operations}}
            return change

        for reason in ("initial", "history", "epoch", "reload"):
            self.assertIn("reset", self.follower(reset(reason)))

    def test_a_host_that_shows_an_older_state_than_the_client_had(self):
        def change(seconds):
            def reset(history, lines):
                follow = history.find("follow")[1]
                follow["begin"] = lines[0]["time"] - seconds
                follow["params"]["since"]["revision"] = 6
                for line in lines[1:]:
                    history.records.remove(line)
                lines[0]["line"]["result"].update(resumed=False, revision=3)
                old, = history.find("request", client="r1")
                history.hear(follow["id"], {"method": "reset", "params": {
                    "subscription": 1, "epoch": EPOCH, "revision": 3, "reason": "epoch",
                    "operations": [{"op": "appendSections", "sections": old["result"]["snapshot"]["sections"]}]}})
            return reset

        for seconds in (1, 9.99):
            self.assertIn("reset", self.follower(change(seconds)))
        # It may when it has waited for the engine in vain, by a clock of whole milliseconds.
        for seconds in (9.9995, 11):
            self.assertEqual(self.follower(change(seconds)), [])

    def test_a_host_that_had_no_list_when_it_was_asked(self):
        def change(knew):
            def reset(history, lines):
                for line in lines[1:]:
                    history.records.remove(line)
                result = lines[0]["line"]["result"]
                result.update(resumed=False, revision=7)
                if not knew:
                    del result["epoch"], result["revision"]
                history.hear(lines[0]["follow"], {"method": "reset", "params": {
                    "subscription": 1, "list": "l", "epoch": EPOCH, "revision": 7, "reason": "epoch",
                    "operations": [{"op": "appendSections", "sections": history.state.json()["sections"]}]}})
            return reset

        self.assertEqual(self.follower(change(knew=True)), ["reset"])
        self.assertEqual(self.follower(change(knew=False)), [])

    def test_a_past_that_a_host_was_not_given(self):
        def change(batch):
            def reset(history, lines):
                history.checkpoint(batch)
                for line in lines[1:]:
                    history.records.remove(line)
                lines[0]["line"]["result"].update(resumed=False, revision=7)
                history.hear(lines[0]["follow"], {"method": "reset", "params": {
                    "subscription": 1, "list": "l", "epoch": EPOCH, "revision": 7, "reason": "history",
                    "operations": [{"op": "appendSections", "sections": history.state.json()["sections"]}]}})
            return reset

        # Of revision 3, where the client was, and of a later one.
        self.assertEqual(self.follower(change(4)), ["reset"])
        self.assertEqual(self.follower(change(6)), [])

    def test_a_subscription_that_goes_on_from_another_place(self):
        def change(history, _):
            history.find("follow")[1]["params"]["since"]["revision"] = 2

        self.assertEqual(self.follower(change), ["gap"])

    def test_a_bookmark_ahead_of_what_was_sent(self):
        def change(_, lines):
            lines[1]["line"] = {"method": "bookmark", "params": {"subscription": 1, "epoch": EPOCH, "revision": 5, "live": True}}

        self.assertEqual(self.follower(change), ["gap"])


if __name__ == "__main__":
    unittest.main()
