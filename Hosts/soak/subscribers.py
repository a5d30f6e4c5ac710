"""Compares the updates of each subscriber with the promises in docs/protocol-following.md."""

from model import Refusal, Snapshot

# A daemon's clock has whole milliseconds: what it waits may be one shorter, in seconds.
TICK = 0.001
# The client knew nothing before.
BEGINNING = {"initial"}


def check(records, lives, report):
    for follow in records.follows:
        heard = records.heard[follow["id"]]
        has_waited = bool(heard) and heard[0]["time"] - follow["begin"] >= records.engine_wait - TICK
        Follower(follow, lives, report, has_waited).hear([one["line"] for one in heard])


class Follower:
    """One subscription: its updates, applied as they arrive."""

    def __init__(self, follow, lives, report, has_waited):
        self.who = f"subscriber {follow['client']} on host {follow['host']} (follow {follow['id']})"
        self.since = follow["params"].get("since")
        self.lives = lives
        # For what the client had from another host, in vain.
        self.has_waited = has_waited
        self._report = report
        self.state = None
        self.epoch = self.since and self.since["epoch"]
        # Of the last whole group, and what a bookmark said after it.
        self.revision = self.since and self.since["revision"]
        self.is_resumed = False
        # The host had no list of that name, and the client was to be told when there is one.
        self.awaits_list = False
        self.parts = []
        # After a mistake what follows is not understood.
        self.is_lost = False

    def report(self, kind, sentence):
        self._report(kind, f"{self.who}: {sentence}")
        self.is_lost = True

    def hear(self, lines):
        for line in lines:
            if self.is_lost:
                return
            if "method" not in line:
                self._take_reply(line)
            else:
                taken = getattr(self, "_take_" + line["method"], None)
                if taken is not None:
                    taken(line["params"])

    def _take_reply(self, line):
        if "error" in line:
            return
        result = line["result"]
        self.is_resumed = result.get("resumed", False)
        self.awaits_list = "epoch" not in result
        if self.is_resumed:
            if result["epoch"] != self.epoch:
                return self.report("subscription", f"it went on in the epoch {result['epoch']} from one in {self.epoch}")
            # What the client has is what the log has there: it was checked when it came.
            kept = life.kept.get(self.revision) if (life := self.lives.get(self.epoch)) else None
            if kept is None:
                return self.report("subscription", f"it went on from revision {self.revision}, which the log does not have")
            self.state = kept.copy()
        return None

    def _take_reset(self, params):
        self.parts += params["operations"]
        if params.get("more"):
            return
        self._check_reason(params)
        state = Snapshot()
        self._apply(state, params)
        self.epoch = params["epoch"]
        self._end(state, params)

    def _check_reason(self, params):
        reason = params["reason"]
        was_awaited, self.awaits_list = self.awaits_list, False
        is_new_epoch = self.epoch is not None and params["epoch"] != self.epoch
        if self.is_resumed and self.epoch == params["epoch"] and reason != "reload":
            return self.report("reset", f"a reset because of {reason} at {params['revision']}, though the epoch is the same")
        if reason in BEGINNING and self.revision is not None:
            return self.report("reset", "a reset as if nothing had been known")
        if reason == "epoch" and not is_new_epoch and self.has_waited and params["revision"] < self.revision:
            return None
        # The client had it from another host, and this one heard of it later.
        if reason == "epoch" and was_awaited:
            return None
        if reason == "epoch" and not is_new_epoch and self.revision is not None:
            return self.report("reset", f"a reset to revision {params['revision']} as of another epoch, though it is the same that "
                                        f"had {self.revision}")
        if reason == "history" and not self._may_have_been_passed_over(params):
            return self.report("reset", f"the past from {self.revision} on should have been known")
        if reason == "reload" and not self._has_reload(params):
            return self.report("reset", f"nobody asked for a reload between {self.revision} and {params['revision']}")
        if not is_new_epoch and self.revision is not None and params["revision"] < self.revision:
            return self.report("backwards", f"a reset to {params['revision']} after {self.revision}")
        return None

    def _may_have_been_passed_over(self, params):
        """Whether the host may have loaded a whole state instead of the changes since the client's revision."""
        life = self.lives.get(params["epoch"])
        return life is not None and (self.revision or 0) < life.newest_checkpoint

    def _has_reload(self, params):
        life = self.lives.get(params["epoch"])
        return life is not None and any(
            row.is_reload for row in life.log.rows if (self.revision or 0) < row.revision <= params["revision"])

    def _take_changes(self, params):
        self.parts += params["operations"]
        if params.get("more"):
            return
        if self.state is None:
            return self.report("subscription", "changes came before a first state")
        if params["from"] < self.revision:
            return self.report("doubled", f"changes from {params['from']} came after revision {self.revision}")
        if params["from"] > self.revision:
            return self.report("gap", f"changes from {params['from']} came after revision {self.revision}")
        if params["revision"] <= params["from"]:
            return self.report("backwards", f"changes led from {params['from']} to {params['revision']}")
        self._apply(self.state, params)
        return self._end(self.state, params)

    def _apply(self, state, params):
        operations, self.parts = self.parts, []
        try:
            state.apply(operations)
        except Refusal as refusal:
            self.report("subscription", f"what came for revision {params['revision']} does not fit: {refusal.name} {refusal.about}")

    def _end(self, state, params):
        self.state, self.revision = state, params["revision"]
        life = self.lives.get(self.epoch)
        if life is None:
            return self.report("subscription", f"nobody knows the epoch {self.epoch}")
        if life.digests.get(self.revision) != state.digest():
            return self.report("convergence", f"it has at revision {self.revision} what the log does not lead to")
        return None

    def _take_bookmark(self, params):
        if "revision" not in params:
            return None
        if self.state is not None and params["epoch"] == self.epoch:
            if params["revision"] < self.revision:
                return self.report("backwards", f"a bookmark at {params['revision']} came after revision {self.revision}")
            life = self.lives.get(self.epoch)
            if life is not None and life.digests.get(params["revision"]) != life.digests.get(self.revision):
                return self.report("gap", f"a bookmark says {params['revision']}, and what was between did not come")
            self.revision = params["revision"]
        return None

    def _take_listDeleted(self, params):
        # The next list of that name is another one.
        self.state = None
