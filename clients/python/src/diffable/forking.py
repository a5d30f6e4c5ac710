"""Keeps a child of `os.fork` away from what belongs to its parent.

Both would otherwise read and write the same connections. A child drops its copies without a word to the daemon, and opens
connections of its own when it asks for something.
"""

from __future__ import annotations

import os
import weakref

_inheritable: weakref.WeakSet[Inheritable] = weakref.WeakSet()


class Inheritable:
    """Something that a child process must not go on using."""

    def __init__(self) -> None:
        _inheritable.add(self)

    def _leave_to_parent(self) -> None:
        """Drops what belongs to the parent. Called in the child, right after the fork."""
        raise NotImplementedError


def _leave_all_to_parent() -> None:
    for one in list(_inheritable):
        one._leave_to_parent()


os.register_at_fork(after_in_child=_leave_all_to_parent)
