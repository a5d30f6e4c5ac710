"""When each revision can have happened: real time must agree with the log's order."""

import math


class Bounds:
    """Of each revision of one log, from the base on: the earliest and the latest time at which it can have become the head.

    A request that made a revision bounds it on both sides; who saw a revision bounds it from above; and who was told for certain that
    it was the newest bounds the next one from below. In the order of the log the bounds must leave room for a time for each."""

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

    def made(self, revision, begin, end, why):
        self.not_before(revision, begin, why)
        self.not_after(revision, end, why)

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
