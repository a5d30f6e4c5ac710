"""The lives of a list's name, each an epoch with its log, and what was found of it."""

import functools

from sharedlog import Log, state

# Refusals after which nothing has happened, and nothing will.
NOT_DONE = {"unreachable", "noSpace", "shuttingDown", "tooLarge", "notForShared"}
# Whether anything has happened is not known.
UNKNOWN = {"outcomeUnknown", "storageFailed"}


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

    @functools.cached_property
    def newest_checkpoint(self):
        """The newest checkpoint's revision; 0 without one. A host that was behind it may have loaded it, and lack the history."""
        return max((state(record["text"])[1] for record in self.log.checkpoints.values()), default=0)

    def is_copied(self, row):
        """Whether a row was copied from the log's earlier epoch, because etcd was restored and the log continues in a new epoch."""
        return row.batch < self._first_of_its_own

    @functools.cached_property
    def _first_of_its_own(self):
        before = self.before and self.before.log
        if before is None or before.first != self.log.first:
            return self.log.first
        return next((number for number in sorted(self.log.batches) if before.batches.get(number) != self.log.batches[number]),
                    max(self.log.batches, default=0) + 1)


class Lives:
    """In their order."""

    def __init__(self, records, report):
        self.by_epoch = {}
        last = None
        for record in records.lives:
            if record["epoch"] not in self.by_epoch:
                life = self.by_epoch[record["epoch"]] = Life(Log(record["epoch"], records, report))
                if last is not None:
                    last.end, life.begin, life.before = record["time"], record.get("seen", record["time"]), last
                last = life

    def __iter__(self):
        return iter(self.by_epoch.values())

    def get(self, epoch):
        return self.by_epoch.get(epoch)

    def between(self, begin, end):
        return [life for life in self if life.begin <= end and begin <= life.end]

    def of(self, request):
        """In which it can have been answered."""
        return self.between(request.begin, request.end)

    def is_of(self, life, heard):
        """Whether a line that a subscriber received belongs to that incarnation."""
        params = heard["line"]["params"]
        return params["epoch"] == life.log.epoch if "epoch" in params else self.between(heard["time"], heard["time"]) == [life]


def seen_by_subscribers(records, lives, life, host=None):
    """Yields when subscribers had which revision: the time, the revision, and the subscriber."""
    for follow in records.follows:
        if host in (None, follow["host"]):
            for heard in records.heard[follow["id"]]:
                params = heard["line"].get("params") or {}
                if "revision" in params and not params.get("more") and lives.is_of(life, heard):
                    yield heard["time"], params["revision"], f"subscriber {follow['client']} on host {follow['host']}"
