"""When each revision can have happened: real time must agree with the log's order."""

import math

from lives import UNKNOWN, seen_by_subscribers


class Bounds:
    """The earliest and the latest time at which each revision of one log, from the base on, can have become the head.

    A request that made a revision bounds it on both sides. A client that saw it bounds it from above. A client that got it as the
    newest for certain bounds the next revision from below. In the order of the log, the bounds must leave a possible time
    for each."""

    def __init__(self, first, last):
        self.first, self.last = first, last
        self._lower = {revision: (-math.inf, "the beginning") for revision in range(first, last + 2)}
        self._upper = {revision: (math.inf, "the end") for revision in range(first, last + 2)}

    def not_before(self, revision, time, why):
        if self.first <= revision <= self.last + 1 and time > self._lower[revision][0]:
            self._lower[revision] = (time, why)

    def not_after(self, revision, time, why):
        if self.first <= revision <= self.last + 1 and time < self._upper[revision][0]:
            self._upper[revision] = (time, why)

    def was_newest(self, revision, begin, end, why):
        """At some moment between the two."""
        self.not_after(revision, end, why)
        self.not_before(revision + 1, begin, why)

    def close(self, report):
        """Spreads the bounds along the log; says where they leave no room."""
        for revision in range(self.first + 1, self.last + 2):
            self._lower[revision] = max(self._lower[revision], self._lower[revision - 1], key=lambda bound: bound[0])
        for revision in range(self.last, self.first - 1, -1):
            self._upper[revision] = min(self._upper[revision], self._upper[revision + 1], key=lambda bound: bound[0])
        said = set()
        for revision in range(self.first, self.last + 2):
            (lower, because), (upper, before) = self._lower[revision], self._upper[revision]
            if lower > upper and (because, before) not in said:
                said.add((because, before))
                report("real time", f"revision {revision} came after {lower:.3f} ({because}) and before {upper:.3f} ({before})")

    def is_before(self, revision, time):
        """Whether a revision had come for certain by then."""
        return self.first <= revision <= self.last and self._upper[revision][0] <= time

    def newest_between(self, begin, end):
        """The revisions that can have been the newest at some moment between the two."""
        low, high = self.first, self.last
        return range(self._search(low, high, lambda revision: self._upper[revision + 1][0] >= begin),
                     self._search(low, high + 1, lambda revision: self._lower[revision][0] > end))

    @staticmethod
    def _search(low, high, is_so):
        """The first for which it is so, which it is from some one on; `high` if there is none before."""
        while low < high:
            middle = (low + high) // 2
            if is_so(middle):
                high = middle
            else:
                low = middle + 1
        return low


def bound(records, lives, made, report):
    """Gives each life the bounds that all requests and subscribers set. `made` has the requests of each row."""
    for life in lives:
        life.bounds = Bounds(life.log.base_revision, max(life.digests))
        _bound_by_makers(life, lives, made[life.log.epoch])
        for request in records.requests:
            if lives.of(request) == [life]:
                _bound_by_answer(life, request)
        for time, revision, who in seen_by_subscribers(records, lives, life):
            life.bounds.not_after(revision, time, who)
        life.bounds.close(report)


def _bound_by_makers(life, lives, made):
    for row in life.log.rows:
        attempts = [request for request in made.get(row.number, []) if not request.refusal or request.refusal in UNKNOWN]
        if life.is_copied(row) or not attempts:
            continue
        begin = min(request.begin for request in attempts)
        # After a restored engine a key may be answered anew.
        answered = [request for request in attempts if request.is_acknowledged and lives.of(request) == [life]]
        first = min(answered, key=lambda request: request.end, default=None)
        if row.is_change:
            life.bounds.not_before(row.revision, begin, str(attempts[0]))
            if first is not None:
                life.bounds.not_after(row.revision, first.end, str(first))
        elif first is not None:
            life.bounds.was_newest(row.revision, begin, first.end, str(first))


def _bound_by_answer(life, request):
    newest = None
    if request.refusal == "revisionMismatch":
        newest = request.error["data"].get("revision")
    elif request.changes and request.is_acknowledged and not request.key and not request.result["changed"]:
        newest = request.result["revision"]
    elif request.method == "snapshot" and request.is_acknowledged and request.result["epoch"] == life.log.epoch:
        if request.params.get("mostRecent"):
            newest = request.result["revision"]
        life.bounds.not_after(request.result["revision"], request.end, str(request))
    if newest is not None:
        life.bounds.was_newest(newest, request.begin, request.end, str(request))
