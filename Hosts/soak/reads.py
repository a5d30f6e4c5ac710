"""Checks that the states that hosts showed follow from the log, and that no host ever showed an older one later."""

import bisect

from lives import seen_by_subscribers
from model import digest


class Reads:
    def __init__(self, records, lives, report):
        self.records, self.lives, self.report = records, lives, report
        self._check_reads()

    def _check_reads(self):
        for request in self.records.requests:
            self._check_refused(request)
        reads = [request for request in self.records.requests
                 if request.method == "snapshot" and request.is_acknowledged and "at" not in request.params]
        for request in reads:
            life = self.lives.get(request.result["epoch"])
            if life is None:
                self.report("snapshot", f"nobody knows the epoch {request.result['epoch']}: {request}")
            elif life.digests.get(request.result["revision"]) != shown(request.result):
                self.report("snapshot", f"host {request.host} showed at revision {request.result['revision']} what the log does "
                                        f"not lead to (request {request.id})")
            if request.result["revision"] < request.params.get("notOlderThan", 0):
                self.report("snapshot", f"it is older than was asked for: {request.id}")
        self._check_backwards(reads)
        self._check_final(reads)

    def _check_refused(self, request):
        """A revision that was there before it was asked for is there."""
        wanted, lives = request.params.get("notOlderThan", 0), self.lives.of(request)
        if request.method == "snapshot" and request.refusal == "noSuchRevision" and len(lives) == 1 and (
                lives[0].bounds.is_before(wanted, request.begin)):
            self.report("wrong refusal", f"the list was at {wanted} before: {request}")

    def _check_backwards(self, reads):
        """Checks on each host that a read shows everything that was seen or acknowledged before it began."""
        for host in {request.host for request in reads}:
            for life in self.lives:
                seen = []
                for request in self.records.requests:
                    if request.host == host and request.is_acknowledged and "revision" in request.result and (
                            request.result.get("epoch") == life.log.epoch or "epoch" not in request.result
                            and self.lives.of(request) == [life]):
                        seen.append((request.end, request.result["revision"], f"request {request.id}"))
                seen += seen_by_subscribers(self.records, self.lives, life, host)
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
                    self.report("backwards", f"host {host} showed revision {request.result['revision']} (request {request.id}) "
                                             f"after {revision} ({who})")

    def _check_final(self, reads):
        """Checks that all hosts had etcd's state at the end, after the last request."""
        by_id = {request.id: request for request in reads}
        for end in self.records.ends:
            for request in (by_id[number] for number in end["requests"]):
                shown = request.result["epoch"], request.result["revision"]
                if shown != (end["epoch"], end["revision"]):
                    self.report("final", f"host {request.host} ended at revision {shown[1]} of {shown[0]}, and the log at "
                                         f"{end['revision']} of {end['epoch']}")


def shown(result):
    """Returns the digest of a read's state. For a long state, only the digest was kept."""
    return digest(result["snapshot"]) if "snapshot" in result else bytes.fromhex(result["digest"])
