"""Compares the clients' observations with the log, which is the order of all changes.

    violations = Checker(Records(read("records.jsonl"))).violations

Each violation is a kind and a sentence. The checks and their modules: the log itself (`sharedlog`), its leases (`leases`), the
request of each row and whether the row matches the acknowledgement (`attribution`), real time (`bounds`), refusals
(`refusals`), reads of hosts (`reads`), and updates to subscribers (`subscribers`)."""

import subscribers
from attribution import Attribution
from bounds import bound
from lives import Lives
from reads import Reads
from refusals import Refusals


class Checker:
    def __init__(self, records, *, list_may_go=False):
        self.violations = []
        self.lives = Lives(records, self.report)
        attribution = Attribution(records, self.lives, self.report)
        self.by_key = attribution.by_key
        bound(records, self.lives, attribution.made, self.report)
        Refusals(records, self.lives, self.report, list_may_go=list_may_go)
        Reads(records, self.lives, self.report)
        subscribers.check(records, self.lives, self.report)

    def report(self, kind, sentence):
        self.violations.append((kind, sentence))
