"""The holders of leases in a list, from its log, and whether released items are deleted as docs/shared-lists-internals.md says.

The end of a lease that does not fit one row has several, and only the last names the holder. No run here leases that much."""

import json


class Holders:
    """The holders in one incarnation of a list, updated row by row."""

    def __init__(self, log):
        self.items, self.sections = {}, {}
        checkpoint = log.checkpoints.get(log.first - 1)
        for lease in json.loads(checkpoint["text"]).get("leases", []) if checkpoint else []:
            self._hold(tuple(lease["holder"]), lease["items"], lease["sections"])

    @classmethod
    def at_end(cls, log):
        """Returns the holders at the end of a log in which each row can be applied."""
        holders = cls(log)
        for row, before, after in log.states(lambda *_: None):
            holders.take(row, before, after)
        return holders

    @property
    def hold(self):
        """Whether any lease is held."""
        return bool(self.items or self.sections)

    def _hold(self, holder, items, sections):
        self.items.update(dict.fromkeys(items, holder))
        self.sections.update(dict.fromkeys(sections, holder))

    def check(self, row, before, after, report):
        """Checks a row that ends a lease: it must delete all that the lease holds, but only sections that are then empty."""
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
        """Applies a row: its lease holds the inserted items. Deleted items, and items with an ended lease, have no holder."""
        if row.lease:
            self._hold(row.lease, after.places.keys() - before.places.keys(), set(after.sections) - set(before.sections))
        self.items = {item: holder for item, holder in self.items.items() if item in after.places and holder != row.ended}
        self.sections = {section: holder for section, holder in self.sections.items()
                         if section in after.sections and holder != row.ended}
