"""The local copy of a subscription's list. No I/O.

An update can arrive in parts. They are kept separately until the last one, so that only whole transactions are visible, and an
incomplete update has no effect.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence

from . import operations
from .errors import Refused, Unintelligible
from .operations import DoesNotFit
from .state import ListState, Section
from .typed import JSON, Cause, Operation, View

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Window:
    """The position of a view's window: the number of rows before it, and of all rows."""

    offset: int
    total: int
    #: The item that the window begins with instead of its anchor, because the view does not show that any more.
    anchor: Optional[str] = None
    #: The rows of the pinned items; None for an item that the view does not show.
    pins: Mapping[str, Optional[int]] = field(default_factory=dict)
    #: The number of rows of each section, with `allSections`.
    rows: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def of(params: Params) -> Optional[Window]:
        if "offset" not in params:
            return None
        return Window(
            params["offset"], params["total"], params.get("anchor"), params.get("pins") or {}, params.get("rows") or {})

    def _after(self, previous: Optional[Window], view: View, state: ListState) -> Window:
        """The position after an update, which names only the pins and the sections that differ."""
        window = view.get("window") or {}
        pins = {**(previous.pins if previous else {}), **self.pins}
        rows = {**(previous.rows if previous else {}), **self.rows}
        pinned = window.get("pins") or ()
        return replace(
            self, pins={id: pins[id] for id in pinned if id in pins},
            rows={id: count for id, count in rows.items() if window.get("allSections") and id in state._sections_by_id})


@dataclass(frozen=True)
class Update:
    """An update of a followed list.

    `state` is the list's current state, and `operations` lead there from the previous update. After a reset (`is_reset`) they
    make the list from nothing instead.
    """

    list: str
    epoch: str
    revision: int
    #: "initial" for the first state; "changes"; or the reason why the whole state is sent again: "history" (the old state is no
    #: longer kept), "epoch" (the list was deleted and created again), "reload" (its publisher asked to redraw everything); and
    #: "deleted": the list does not exist at the moment (`if_absent="wait"`).
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


_CAUSES: Dict[str, Cause] = {"initial": "initial", "epoch": "epoch", "history": "history"}


class Mirror:
    def __init__(self, list: str, waits: bool = False, view: Optional[View] = None) -> None:
        self.list = list
        #: Whether the subscription continues when the list is deleted.
        self.waits = waits
        self.state = ListState()
        self.epoch = ""
        self.revision = 0
        self.window: Optional[Window] = None
        #: The view of `state`; the next update has `_next_view`.
        self.view: View = {} if view is None else view
        self._next_view = self.view
        self._later_view: Optional[View] = None
        self._has_state = False
        self._had_state = False
        self._group: Optional[List[Operation]] = None
        # The rows of pins and sections in the parts of a group.
        self._pins: Dict[str, Optional[int]] = {}
        self._rows: Dict[str, int] = {}

    @property
    def since(self) -> Optional[Dict[str, Any]]:
        """The position from which another connection continues; None if there is no state yet."""
        return {"epoch": self.epoch, "revision": self.revision} if self._has_state else None

    @property
    def shown_view(self) -> View:
        """The view that the last update shows: its window begins where the update says. Another connection continues from it."""
        view, shown = self.view, self.window
        window = view.get("window")
        if window is None or shown is None:
            return view
        if window.get("keep"):
            return {**view, "window": {**window, "offset": shown.offset}}
        return {**view, "window": {**window, "anchor": shown.anchor}} if shown.anchor is not None else view

    def receive(self, method: str, params: Params) -> Optional[Update]:
        """Takes a notification; returns the update that it completes, if any."""
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
            # The view shows no change up to this revision, and the next update begins there.
            self.revision = params["revision"]
        if method == "subscriptionEnded":
            raise Refused.of(str(params.get("reason")), str(params.get("message")), about=params)
        return None

    def set_view(self, view: View) -> None:
        """Sets the view of the next update; an update that is in progress is finished first."""
        if self._group is None:
            self._next_view = view
        else:
            self._later_view = view

    def resume(self, view: View) -> None:
        """Continues over another connection. The rest of an incomplete update will not arrive."""
        self._discard_group()
        self._next_view = view

    def forget(self) -> None:
        """Discards a state that may be incomplete. The next one is made from nothing."""
        self._has_state = False

    def _receive_reset(self, params: Params) -> Optional[Update]:
        if not self._gather(params):
            return None
        state = ListState()
        group = self._apply_group(state)
        # A newer daemon may have other reasons, which require at least a redraw of everything.
        cause = _CAUSES.get(params["reason"], "reload")
        if cause == "initial" and self._had_state:
            cause = "reload" if params["epoch"] == self.epoch else "epoch"
        self.state = state
        self.epoch = params["epoch"]
        return self._complete(params, cause, group)

    def _receive_changes(self, params: Params) -> Optional[Update]:
        if not self._has_state:
            raise Unintelligible("changes to a list whose state it has not sent yet")
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
        """Whether the update is complete."""
        group = self._group
        if group is None:
            group = self._group = []
        group.extend(params["operations"])
        self._pins.update(params.get("pins") or {})
        self._rows.update(params.get("rows") or {})
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
        self.view = self._next_view
        window = Window.of({**params, "pins": self._pins, "rows": self._rows})
        previous = self.window if cause == "changes" else None
        self.window = window and window._after(previous, self.view, self.state)
        self._discard_group()
        self._has_state = self._had_state = True
        return Update(self.list, self.epoch, self.revision, cause, group, self.state, self.window)

    def _discard_group(self) -> None:
        self._group = None
        self._pins, self._rows = {}, {}
        if self._later_view is not None:
            self._next_view, self._later_view = self._later_view, None
