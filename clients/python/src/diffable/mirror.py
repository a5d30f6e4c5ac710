"""A list as a subscription has shown it so far. No I/O.

A group can come in parts. They are kept aside until the last one is there, so that only whole transactions are ever seen, and
a group that was cut off never was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from . import operations
from .errors import Refused, Unintelligible
from .operations import DoesNotFit
from .state import ListState, Section
from .typed import JSON, Cause, Operation, View

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Window:
    """Where a view's window lies: after how many rows it begins, and how many rows there are in all."""

    offset: int
    total: int

    @staticmethod
    def of(params: Params) -> Optional[Window]:
        return Window(params["offset"], params["total"]) if "offset" in params else None


@dataclass(frozen=True)
class Update:
    """What is new of a list that is followed.

    `state` is the list as it is now, and `operations` led there from the update before. After a reset (`is_reset`) they make
    the list from nothing instead.
    """

    list: str
    epoch: str
    revision: int
    #: "initial" for the first state; "changes"; or why it is sent as a whole once more: "history" (what one had is too long
    #: ago), "epoch" (the list was deleted and made again), "reload" (its publisher wants everything drawn anew); and
    #: "deleted": there is no list at the moment (`if_absent="wait"`).
    cause: Cause
    operations: Sequence[Operation]
    state: ListState
    window: Optional[Window] = None

    @property
    def sections(self) -> Sequence[Section]:
        return self.state.sections

    @property
    def content(self) -> JSON:
        """The list's own content, such as a title."""
        return self.state.content

    @property
    def is_reset(self) -> bool:
        return self.cause not in ("changes", "deleted")


#: The reasons of a `reset`.
_CAUSES: Dict[str, Cause] = {"initial": "initial", "epoch": "epoch", "history": "history"}


class Mirror:
    def __init__(self, list: str, waits: bool = False, view: Optional[View] = None) -> None:
        self.list = list
        #: Whether the subscription goes on when the list is deleted.
        self.waits = waits
        self.state = ListState()
        self.epoch = ""
        self.revision = 0
        self.window: Optional[Window] = None
        #: Through which view `state` is seen; what comes next is through `_next_view`.
        self.view: View = {} if view is None else view
        self._next_view = self.view
        self._later_view: Optional[View] = None
        self._has_state = False
        self._had_state = False
        self._group: Optional[List[Operation]] = None

    @property
    def since(self) -> Optional[Dict[str, Any]]:
        """From where another connection goes on; None when there is no state yet."""
        return {"epoch": self.epoch, "revision": self.revision} if self._has_state else None

    def receive(self, method: str, params: Params) -> Optional[Update]:
        """Takes a notification; the update when it completes one."""
        try:
            if method == "reset":
                return self._receive_reset(params)
            if method == "changes":
                return self._receive_changes(params)
            if method == "listDeleted":
                return self._receive_deletion()
        except KeyError as error:
            raise Unintelligible(f"{method} without {error}") from None
        if method == "bookmark" and self._has_state and "revision" in params:
            # No change up to there is seen through the view, and the next group begins there.
            self.revision = params["revision"]
        if method == "subscriptionEnded":
            raise Refused.of(str(params.get("reason")), str(params.get("message")), about=params)
        return None

    def set_view(self, view: View) -> None:
        """What comes next is through this view; a group that is under way is finished first."""
        if self._group is None:
            self._next_view = view
        else:
            self._later_view = view

    def resume(self, view: View) -> None:
        """Another connection goes on from here. The rest of a group that was cut off will not come."""
        self._discard_group()
        self._next_view = view

    def forget(self) -> None:
        """The state may be half of something. The next one is made from nothing."""
        self._has_state = False

    def _receive_reset(self, params: Params) -> Optional[Update]:
        if not self._gather(params):
            return None
        state = ListState()
        group = self._apply_group(state)
        # A newer daemon may have other reasons, which mean at least that everything is to be drawn again.
        cause = _CAUSES.get(params["reason"], "reload")
        if cause == "initial" and self._had_state:
            cause = "reload" if params["epoch"] == self.epoch else "epoch"
        self.state = state
        self.epoch = params["epoch"]
        return self._complete(params, cause, group)

    def _receive_changes(self, params: Params) -> Optional[Update]:
        if not self._has_state:
            raise Unintelligible("changes to a list of which nothing is known yet")
        if params["from"] != self.revision:
            raise Unintelligible(f"changes from revision {params['from']} to a list that is at {self.revision}")
        if not self._gather(params):
            return None
        return self._complete(params, "changes", self._apply_group(self.state))

    def _receive_deletion(self) -> Optional[Update]:
        self._discard_group()
        if not self.waits or not self._has_state:
            return None
        self.state, self.window, self._has_state = ListState(), None, False
        return Update(self.list, self.epoch, self.revision, "deleted", (), self.state)

    def _gather(self, params: Params) -> bool:
        """Whether the group is whole."""
        group = self._group
        if group is None:
            group = self._group = []
        group.extend(params["operations"])
        return not params.get("more", False)

    def _apply_group(self, state: ListState) -> Sequence[Operation]:
        group = self._group or []
        for index, operation in enumerate(group):
            try:
                operations.take(state, operation)
            except DoesNotFit as error:
                raise Unintelligible(f'operation {index} on the list "{self.list}": {error}') from None
        return group

    def _complete(self, params: Params, cause: Cause, group: Sequence[Operation]) -> Update:
        self.revision = params["revision"]
        self.window = Window.of(params)
        self.view = self._next_view
        self._discard_group()
        self._has_state = self._had_state = True
        return Update(self.list, self.epoch, self.revision, cause, group, self.state, self.window)

    def _discard_group(self) -> None:
        self._group = None
        if self._later_view is not None:
            self._next_view, self._later_view = self._later_view, None
