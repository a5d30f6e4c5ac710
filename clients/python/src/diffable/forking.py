"""Keeps a child of `os.fork` from using resources of its parent.

Both would otherwise read and write the same connections. A child drops its copies silently, and opens its own connections when
it sends a request.
"""

from __future__ import annotations

import os
import weakref

_inheritable: weakref.WeakSet[Inheritable] = weakref.WeakSet()


class Inheritable:
    """An object that a child process must not continue to use."""

    def __init__(self) -> None:
        _inheritable.add(self)

    def _leave_to_parent(self) -> None:
        """Drops the parent's resources. Called in the child, right after the fork."""
        raise NotImplementedError


def _leave_all_to_parent() -> None:
    for one in list(_inheritable):
        one._leave_to_parent()


os.register_at_fork(after_in_child=_leave_all_to_parent)
