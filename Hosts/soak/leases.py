"""Who holds what in a list, as its log says, and whether what nobody holds any more went as docs/shared-lists-internals.md says.

What is longer than one row has room for goes in several, of which only the last says whose it was: no run here leases so much."""

import json


class Holders:
    """Of one life, row by row."""

    def __init__(self, log):
        self.items, self.sections = {}, {}
        checkpoint = log.checkpoints.get(log.first - 1)
        for lease in json.loads(checkpoint["text"]).get("leases", []) if checkpoint else []:
            self._hold(tuple(lease["holder"]), lease["items"], lease["sections"])

    @classmethod
    def at_end(cls, log):
        """Of a log so far, in which each row fits."""
        holders = cls(log)
        for row, before, after in log.states(lambda *_: None):
            holders.take(row, before, after)
        return holders

    @property
    def hold(self):
        """Whether anybody holds anything."""
        return bool(self.items or self.sections)

    def _hold(self, holder, items, sections):
        self.items.update(dict.fromkeys(items, holder))
        self.sections.update(dict.fromkeys(sections, holder))

    def check(self, row, before, after, report):
        """Of a row by which a lease ends: all that is held by it goes, and sections only when nothing else is in them."""
        items = [item for item, holder in self.items.items() if holder == row.ended]
        sections = [section for section, holder in self.sections.items() if holder == row.ended]
        if not items and not sections:
            report("lease ended twice", f"revision {row.revision} ends what {row.ended} does not hold")
        expected = before.copy()
        expected.apply([{"op": "deleteItems", "items": items, "ifPresent": True}])
        empty = [section for section in sections if not expected.members[("s", section)]]
        expected.apply([{"op": "deleteSections", "sections": empty, "ifPresent": True}])
        if expected.digest() != after.digest():
            report("lease end", f"revision {row.revision} is not that all goes which {row.ended} held: {items + sections}")

    def take(self, row, before, after):
        """Who puts something in with a lease holds it. What is gone, or whose lease has ended, nobody holds."""
        if row.lease:
            self._hold(row.lease, after.places.keys() - before.places.keys(), set(after.sections) - set(before.sections))
        self.items = {item: holder for item, holder in self.items.items() if item in after.places and holder != row.ended}
        self.sections = {section: holder for section, holder in self.sections.items()
                         if section in after.sections and holder != row.ended}
