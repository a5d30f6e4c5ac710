"""Holds what clients saw to the log, which is the order of all that happened.

    violations = Checker(Records(read("records.jsonl"))).violations

Each is a sort and a sentence. What is checked, and in which file: the log itself (`sharedlog`), that real time is kept (`bounds`),
answers and refusals (here), what hosts showed (here) and what subscribers were sent (`subscribers`)."""

import bisect
from collections import defaultdict

import subscribers
from bounds import Bounds
from model import Refusal, digest
from sharedlog import Log, effect, state

# Nothing has happened, and nothing will.
NOT_DONE = {"unreachable", "noSpace", "shuttingDown", "tooLarge", "notForShared"}
# Whether anything has happened is not known.
UNKNOWN = {"outcomeUnknown", "storageFailed"}
# Of what is in the list; the model refuses the same.
OF_STATE = {
    "noSuchSection", "noSuchItem", "duplicateSection", "duplicateItem", "invalidAnchor", "ownDescendant"}


class Life:
    """One epoch: its log, and what is found of it."""

    def __init__(self, log):
        self.log = log
        self.digests = {log.base_revision: log.base.digest()}
        self.rows_by_key, self.rows_by_revision = {}, {}
        # The states from which subscribers went on.
        self.kept = {}
        # When the name can have had it: from the last time that the one before was seen to the first time that the next one was.
        self.begin, self.end = float("-inf"), float("inf")
        self.before = None
        self.bounds = None

    def past(self, revision, head):
        return self.digests.get(head - 1 if revision is None else revision)


class Checker:
    def __init__(self, records, *, past_may_be_unknown=False, list_may_go=False):
        self.records = records
        self.violations = []
        # A host that took a state as a difference does not know what was between.
        self.past_may_be_unknown = past_may_be_unknown
        # One epoch ends and another begins, and a host may have neither for a moment.
        self.list_may_go = list_may_go
        self.lives = self._lives()
        changing = [request for request in records.requests if request.changes]
        self.by_key, self.by_client = defaultdict(list), defaultdict(list)
        for request in changing:
            if request.key:
                self.by_key[request.key].append(request)
            else:
                self.by_client[request.client].append(request)
        self.made = defaultdict(dict)
        for life in self.lives.values():
            self._attribute(life)
        self._check_acknowledged(changing)
        for life in self.lives.values():
            self._bound(life)
        self._check_refusals(changing)
        self._check_reads()
        subscribers.check(records, self.lives, self.report, past_may_be_unknown)

    def report(self, kind, sentence):
        self.violations.append((kind, sentence))

    def _lives(self):
        lives, last = {}, None
        for record in self.records.lives:
            if record["epoch"] not in lives:
                life = lives[record["epoch"]] = Life(Log(record["epoch"], self.records, self.report))
                if last is not None:
                    last.end, life.begin, life.before = record["time"], record.get("seen", record["time"]), last
                last = life
        return lives

    def lives_of(self, request):
        """In which it can have been answered."""
        return [life for life in self.lives.values() if life.begin <= request.end and request.begin <= life.end]

    # MARK: Who made what

    def _attribute(self, life):
        """Finds the request that made each row, and whether it made what the page says."""
        acknowledged = {}
        for requests in self.by_client.values():
            for request in requests:
                if request.is_acknowledged and request.result["changed"] and life in self.lives_of(request):
                    acknowledged.setdefault((request.client, request.result["revision"]), []).append(request)
        used = set()
        sinces = [follow["params"]["since"] for follow in self.records.follows if follow["params"].get("since")]
        kept = {since["revision"] for since in sinces if since["epoch"] == life.log.epoch}
        if life.log.base_revision in kept:
            life.kept[life.log.base_revision] = life.log.base
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

            if self._is_copied(life, row):
                self.made[life.log.epoch][row.number] = self.made[life.before.log.epoch].get(row.number, [])
                if row.key:
                    life.rows_by_key[row.key] = row
            elif row.key:
                self._attribute_keyed(life, row, fits)
            else:
                self._attribute_plain(life, row, fits, acknowledged.get((row.client, row.revision), []), used)
        self._compare_checkpoints(life)

    def _is_copied(self, life, row):
        """Of a restored engine: its log goes on under a new epoch, and begins as it was."""
        before = life.before and life.before.log
        return before is not None and before.first == life.log.first and all(
            before.batches.get(number) == life.log.batches[number] for number in range(life.log.first, row.batch + 1))

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
            self.report("phantom", f"nobody asked for revision {row.revision}, which {row.name} is said to have made, or it is there twice")

    def _compare_checkpoints(self, life):
        for record in life.log.checkpoints.values():
            found, revision = state(record["text"])
            if life.digests.get(revision, found.digest()) != found.digest():
                self.report("checkpoint", f"the checkpoint at batch {record['batch']} is not what the log leads to at {revision}")

    # MARK: What was acknowledged

    def _check_acknowledged(self, changing):
        answers = {}
        for request in changing:
            if not request.is_acknowledged:
                continue
            if not any(self._is_in(life, request) for life in self.lives_of(request)):
                self.report("lost", f"what was acknowledged is not in the log: {request}")
            if request.key:
                first = answers.setdefault((request.key, len(self.lives_of(request)) == 1 and self.lives_of(request)[0].log.epoch),
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

    # MARK: Real time

    def _bound(self, life):
        bounds = life.bounds = Bounds(life.log.base_revision, max(life.digests))
        for row in life.log.rows:
            if self._is_copied(life, row):
                continue
            attempts = [request for request in self.made[life.log.epoch].get(row.number, [])
                        if not request.refusal or request.refusal in UNKNOWN]
            if not attempts:
                continue
            begin = min(request.begin for request in attempts)
            # After a restored engine a key may be answered anew.
            answered = [request for request in attempts if request.is_acknowledged and self.lives_of(request) == [life]]
            first = min(answered, key=lambda request: request.end, default=None)
            if row.is_change:
                bounds.not_before(row.revision, begin, str(attempts[0]))
                if first is not None:
                    bounds.not_after(row.revision, first.end, str(first))
            elif first is not None:
                bounds.was_newest(row.revision, begin, first.end, str(first))
        for request in self.records.requests:
            if self.lives_of(request) == [life]:
                self._bound_by(life, request)
        for follow in self.records.follows:
            for heard in self.records.heard[follow["id"]]:
                params = heard["line"].get("params") or {}
                if "revision" in params and not params.get("more") and self._epoch_heard(params, heard, life):
                    bounds.not_after(params["revision"], heard["time"], f"subscriber {follow['client']} on host {follow['host']}")
        bounds.close(self.report)

    def _epoch_heard(self, params, heard, life):
        if "epoch" in params:
            return params["epoch"] == life.log.epoch
        return [other for other in self.lives.values() if other.begin <= heard["time"] <= other.end] == [life]

    def _bound_by(self, life, request):
        newest = None
        if request.refusal == "revisionMismatch":
            newest = request.error["data"].get("revision")
        elif request.changes and request.is_acknowledged and not request.key and not request.result["changed"]:
            newest = request.result["revision"]
        elif request.method == "snapshot" and request.is_acknowledged:
            if request.result["epoch"] != life.log.epoch:
                return
            if request.params.get("mostRecent"):
                newest = request.result["revision"]
            life.bounds.not_after(request.result["revision"], request.end, str(request))
        if newest is not None:
            life.bounds.was_newest(newest, request.begin, request.end, str(request))

    # MARK: Refusals

    def _check_refusals(self, changing):
        waiting = defaultdict(list)
        for request in changing:
            lives = self.lives_of(request)
            name = request.refusal
            if len(lives) != 1 or request.is_acknowledged and (request.key or request.result["changed"]):
                continue
            life = lives[0]
            if name is None and request.is_acknowledged:
                waiting[life.log.epoch, request.result["revision"]].append(request)
            elif name == "revisionMismatch":
                if request.error["data"].get("revision") == request.params.get("ifRevision"):
                    self.report("wrong refusal", f"the revision was the one that was expected: {request}")
                elif request.error["data"].get("revision") not in life.digests:
                    self.report("wrong refusal", f"there was no such revision: {request}")
            elif name == "requestKeyReused":
                row = life.rows_by_key.get(request.key)
                if row is None or row.revision > life.bounds.newest_between(request.begin, request.end)[-1]:
                    self.report("wrong refusal", f"the key was not used before: {request}")
            elif name == "noSuchRevision":
                highest = max(life.bounds.newest_between(request.begin, request.end), default=0)
                if not self.past_may_be_unknown and request.params.get("to", highest + 1) <= highest:
                    self.report("wrong refusal", f"the revision was there: {request}")
            elif name in OF_STATE:
                for revision in life.bounds.newest_between(request.begin, request.end):
                    waiting[life.log.epoch, revision].append(request)
            elif name is not None and name not in NOT_DONE | UNKNOWN and not (name == "noSuchList" and self.list_may_go):
                self.report("unexpected refusal", f"{request}: {request.error['message']}")
        self._hold_to_states(waiting)

    def _hold_to_states(self, waiting):
        right, asked = set(), {}
        for life in self.lives.values():
            self._hold_to_state(life, life.log.base_revision, life.log.base, waiting, right, asked)
            for row, _, after in life.log.states(lambda *_: None):
                if row.is_change:
                    self._hold_to_state(life, row.revision, after, waiting, right, asked)
        for number, request in asked.items():
            if number not in right:
                what = "it was no change" if request.is_acknowledged else "it was refused"
                self.report("wrong refusal", f"at no moment while it was asked was that right ({what}): {request}")

    def _hold_to_state(self, life, revision, state, waiting, right, asked):
        for request in waiting.get((life.log.epoch, revision), []):
            asked[request.id] = request
            if request.id in right:
                continue
            try:
                found, is_change = effect(request, state, lambda to: life.past(to, revision))
                name = None if found == life.digests[revision] and not is_change else "a change"
            except Refusal as refusal:
                name = refusal.name
            if name == request.refusal:
                right.add(request.id)

    # MARK: What hosts showed

    def _check_reads(self):
        reads = [request for request in self.records.requests
                 if request.method == "snapshot" and request.is_acknowledged and "at" not in request.params]
        for request in reads:
            life = self.lives.get(request.result["epoch"])
            if life is None:
                self.report("snapshot", f"nobody knows the epoch {request.result['epoch']}: {request}")
            elif life.digests.get(request.result["revision"]) != shown(request.result):
                self.report("snapshot", f"host {request.host} showed at revision {request.result['revision']} what the log does not "
                                        f"lead to (request {request.id})")
            if request.result["revision"] < request.params.get("notOlderThan", 0):
                self.report("snapshot", f"it is older than was asked for: {request.id}")
        self._check_backwards(reads)
        self._check_final(reads)

    def _check_backwards(self, reads):
        """On each host: what was seen or acknowledged before a read began is in what it shows."""
        for host in {request.host for request in reads}:
            for life in self.lives.values():
                seen = []
                for request in self.records.requests:
                    if request.host == host and request.is_acknowledged and "revision" in request.result and (
                            request.result.get("epoch") == life.log.epoch or "epoch" not in request.result
                            and self.lives_of(request) == [life]):
                        seen.append((request.end, request.result["revision"], f"request {request.id}"))
                for follow in self.records.follows:
                    if follow["host"] == host:
                        for heard in self.records.heard[follow["id"]]:
                            params = heard["line"].get("params") or {}
                            if "revision" in params and not params.get("more") and self._epoch_heard(params, heard, life):
                                seen.append((heard["time"], params["revision"], f"subscriber {follow['client']}"))
                self._compare_with_seen(host, life, sorted(seen), reads)

    def _compare_with_seen(self, host, life, seen, reads):
        times, highest, best = [one[0] for one in seen], [], (0, "")
        for _, revision, who in seen:
            best = max(best, (revision, who))
            highest.append(best)
        for request in reads:
            if request.host == host and request.result["epoch"] == life.log.epoch:
                index = bisect.bisect_left(times, request.begin)
                if index and highest[index - 1][0] > request.result["revision"]:
                    revision, who = highest[index - 1]
                    self.report("backwards", f"host {host} showed revision {request.result['revision']} (request {request.id}) after "
                                             f"{revision} ({who})")

    def _check_final(self, reads):
        """At the end, when nothing was asked any more, all hosts had what the engine had."""
        by_id = {request.id: request for request in reads}
        for end in self.records.ends:
            for request in (by_id[number] for number in end["requests"]):
                shown = request.result["epoch"], request.result["revision"]
                if shown != (end["epoch"], end["revision"]):
                    self.report("final", f"host {request.host} ended at revision {shown[1]} of {shown[0]}, and the log at "
                                         f"{end['revision']} of {end['epoch']}")


def shown(result):
    """The digest of what a read had; of a long one only that was kept."""
    return digest(result["snapshot"]) if "snapshot" in result else bytes.fromhex(result["digest"])


def _answer(request):
    return {name: value for name, value in request.result.items() if name != "list"}
