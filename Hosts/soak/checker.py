"""Holds what clients saw to the log, which is the order of all that happened.

    violations = Checker(Records(read("records.jsonl"))).violations

Each is a sort and a sentence. What is asked, and where: the log itself (`sharedlog`), what is leased in it (`leases`), who made
what and whether it is what was acknowledged (`attribution`), real time (`bounds`), refusals (`refusals`), what hosts
showed (`reads`), and what subscribers were sent (`subscribers`)."""

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
