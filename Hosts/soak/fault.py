"""The base of all faults: an event that disturbs the hosts while clients continue."""


class Fault:
    """The fault in which nothing goes wrong. `summary` describes it in the report."""

    summary = "nothing goes wrong"
    # The list may end, and another of its name begin.
    list_may_go = False
    # It takes at least so many seconds, whatever the run was given.
    seconds_min = 4

    def prepare(self, trial):
        """Before anything is started."""

    def clients(self, trial):
        return trial.usual_clients()

    def run(self, trial):
        """As long as the trial has."""
        trial.wait(max(trial.seconds, self.seconds_min))

    def heal(self, trial):
        """Afterwards all must come to the same."""

    def rounds(self, trial, length):
        """So many times, each of about this length, at least once."""
        return max(1, round(max(trial.seconds, self.seconds_min) / length))
