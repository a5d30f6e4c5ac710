"""Whether each refusal, and each answer that nothing was changed, was right at some moment while it was asked for."""

from collections import defaultdict

from lives import NOT_DONE, UNKNOWN
from model import Refusal
from sharedlog import effect

# Of what is in the list; the model refuses the same.
OF_STATE = {
    "noSuchSection", "noSuchItem", "duplicateSection", "duplicateItem", "invalidAnchor", "ownDescendant"}


class Refusals:
    """`list_may_go`: one epoch ends and another begins, and a host may have neither for a moment."""

    def __init__(self, records, lives, report, *, list_may_go):
        self.lives, self.report = lives, report
        self.list_may_go = list_may_go
        self._check_refusals(records.changing)

    def _check_refusals(self, changing):
        waiting = defaultdict(list)
        for request in changing:
            lives = self.lives.of(request)
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
                if life.newest_checkpoint < request.params.get("to", highest + 1) <= highest:
                    self.report("wrong refusal", f"the revision was there: {request}")
            elif name in OF_STATE:
                for revision in life.bounds.newest_between(request.begin, request.end):
                    waiting[life.log.epoch, revision].append(request)
            elif name is not None and name not in NOT_DONE | UNKNOWN and not (name == "noSuchList" and self.list_may_go):
                self.report("unexpected refusal", f"{request}: {request.error['message']}")
        self._hold_to_states(waiting)

    def _hold_to_states(self, waiting):
        right, asked = set(), {}
        for life in self.lives:
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
