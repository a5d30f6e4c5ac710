"""Finds the request that made each row of a log, and whether the row is what it asked for."""

from collections import defaultdict

from leases import Holders
from lives import UNKNOWN
from model import Refusal
from sharedlog import effect, state


class Attribution:
    """Of all lives; `made` has the requests of each row, by epoch and by the row's number: with a key all that sent it."""

    def __init__(self, records, lives, report):
        self.records, self.lives, self.report = records, lives, report
        self.by_key, self.by_client = defaultdict(list), defaultdict(list)
        for request in records.changing:
            if request.key:
                self.by_key[request.key].append(request)
            else:
                self.by_client[request.client].append(request)
        self.made = defaultdict(dict)
        for life in lives:
            self._attribute(life)
        self._check_acknowledged()

    def _attribute(self, life):
        """Finds the request that made each row, and whether it made what the page says."""
        acknowledged = {}
        for requests in self.by_client.values():
            for request in requests:
                if request.is_acknowledged and request.result["changed"] and life in self.lives.of(request):
                    acknowledged.setdefault((request.client, request.result["revision"]), []).append(request)
        used = set()
        sinces = [follow["params"]["since"] for follow in self.records.follows if follow["params"].get("since")]
        kept = {since["revision"] for since in sinces if since["epoch"] == life.log.epoch}
        if life.log.base_revision in kept:
            life.kept[life.log.base_revision] = life.log.base
        holders = Holders(life.log)
        for row, before, after in life.log.states(self.report):
            made = life.digests[row.revision] = after.digest() if row.is_change else life.digests[row.revision]
            if row.is_change:
                life.rows_by_revision[row.revision] = row
                if row.revision in kept:
                    life.kept[row.revision] = after.copy()

            def fits(request, before=before, row=row, made=made):
                head = row.revision - row.is_change
                try:
                    found, _ = effect(request, before, lambda to: life.past(to, head))
                except Refusal:
                    return False
                return found == made

            if life.is_copied(row):
                self.made[life.log.epoch][row.number] = self.made[life.before.log.epoch].get(row.number, [])
                if row.key:
                    life.rows_by_key[row.key] = row
            elif row.ended:
                holders.check(row, before, after, self.report)
            elif row.key:
                self._attribute_keyed(life, row, fits)
            else:
                self._attribute_plain(life, row, fits, acknowledged.get((row.client, row.revision), []), used)
            holders.take(row, before, after)
        ends = [end for end in self.records.ends if (end["epoch"], end["revision"]) == (life.log.epoch, life.log.revision)]
        if holders.hold and ends:
            self.report("lease left", f"nobody holds anything any more, and {holders.items | holders.sections} is there")
        self._compare_checkpoints(life)

    def _attribute_keyed(self, life, row, fits):
        if row.key in life.rows_by_key:
            other = life.rows_by_key[row.key]
            return self.report("doubled", f"the key {row.key} is in the log at revision {other.revision} and at {row.revision}")
        life.rows_by_key[row.key] = row
        attempts = [request for request in self.by_key[row.key] if request.refusal != "requestKeyReused"]
        if not attempts:
            return self.report("phantom", f"nobody asked for revision {row.revision}, which has the key {row.key}")
        if not fits(attempts[0]):
            self.report("effect", f"revision {row.revision} is not what was asked for: {attempts[0]}")
        if all(request.refusal and request.refusal not in UNKNOWN for request in attempts):
            self.report("refused and done", f"revision {row.revision} was refused: {attempts[-1]}")
        self.made[life.log.epoch][row.number] = attempts

    def _attribute_plain(self, life, row, fits, acknowledged, used):
        if len(acknowledged) > 1:
            self.report("shared revision", f"revision {row.revision} was acknowledged twice: {acknowledged[0]}; {acknowledged[1]}")
        if acknowledged:
            if not fits(acknowledged[0]):
                self.report("effect", f"revision {row.revision} is not what was asked for: {acknowledged[0]}")
            self.made[life.log.epoch][row.number] = acknowledged[:1]
            return
        asked = [request for request in self.by_client[row.client] if request.id not in used and not request.is_acknowledged]
        asked = [request for request in asked if fits(request)]
        open_ones = [request for request in asked if not request.refusal or request.refusal in UNKNOWN]
        if open_ones:
            used.add(open_ones[0].id)
            self.made[life.log.epoch][row.number] = open_ones[:1]
        elif asked:
            self.report("refused and done", f"revision {row.revision} was refused: {asked[0]}")
        else:
            self.report(
                    "phantom", f"nobody asked for revision {row.revision}, which {row.name} is said to have made, or it is "
                    "there twice")

    def _compare_checkpoints(self, life):
        for record in life.log.checkpoints.values():
            found, revision = state(record["text"])
            expected = life.log.revisions.get(record["batch"], revision)
            if revision != expected:
                self.report(
                    "checkpoint", f"the checkpoint at batch {record['batch']} is of revision {revision}, and not of {expected}")
            if life.digests.get(revision, found.digest()) != found.digest():
                self.report("checkpoint", f"the checkpoint at batch {record['batch']} is not what the log leads to at {revision}")

    def _check_acknowledged(self):
        answers = {}
        for request in self.records.changing:
            if not request.is_acknowledged:
                continue
            if not any(self._is_in(life, request) for life in self.lives.of(request)):
                self.report("lost", f"what was acknowledged is not in the log: {request}")
            if request.key:
                first = answers.setdefault((request.key, len(self.lives.of(request)) == 1 and self.lives.of(request)[0].log.epoch),
                                           request)
                if _answer(first) != _answer(request):
                    self.report("other answer", f"one key had two answers: {first}; {request}")

    def _is_in(self, life, request):
        revision = request.result["revision"]
        if request.key:
            row = life.rows_by_key.get(request.key)
            return row is not None and row.revision == revision and row.is_change == request.result["changed"]
        if not request.result["changed"]:
            # Of that there is nothing in the log. It is held to the state later.
            return revision in life.digests
        row = life.rows_by_revision.get(revision)
        return row is not None and request in self.made[life.log.epoch].get(row.number, [])


def _answer(request):
    return {name: value for name, value in request.result.items() if name != "list"}
