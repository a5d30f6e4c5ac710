"""The daemon's replies, as values. Members that a newer daemon adds are ignored."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Type, TypeVar

from .errors import Unintelligible
from .mirror import Window
from .state import ListState, Section
from .typed import JSON, Operation

A = TypeVar("A")


@dataclass(frozen=True)
class Outcome:
    """The result of a change."""

    list: str
    #: The list's revision now. It and `changed` are None for a caller that may change the list but not read it.
    revision: Optional[int] = None
    changed: Optional[bool] = None
    #: The counts of the changes, without the zeros: `{"insertedItems": 1}`.
    summary: Mapping[str, int] = dataclasses.field(default_factory=dict)
    #: For an undo: `{"from": 7, "to": 6}`, the newest change that was undone, and the revision of the new state.
    undo: Optional[Mapping[str, int]] = None
    #: For a redo: `{"from": 6, "to": 7}`, the revision of the old state, and the newest change that was redone.
    redo: Optional[Mapping[str, int]] = None
    #: The operations that a dry run would make.
    operations: Optional[Sequence[Operation]] = None


@dataclass(frozen=True)
class ListSummary:
    list: str
    epoch: str
    revision: int
    sections: int
    items: int
    owner: int
    group: int
    mode: str
    durability: str
    #: For a deleted list: the time of the deletion, in milliseconds since 1970, and the client that deleted it.
    time: Optional[int] = None
    name: Optional[str] = None
    pid: Optional[int] = None
    uid: Optional[int] = None
    #: The kinds of requests that have a handler, and its actions, if it handles only some.
    handles: Sequence[str] = ()
    actions: Sequence[str] = ()
    #: Your permissions for it: "see", "ask", "change".
    may: Sequence[str] = ()
    #: Its own content, for `follow_lists(content=True)`.
    content: Any = None


@dataclass(frozen=True)
class Place:
    """A list's position. A revision is valid only in its epoch."""

    list: str
    epoch: str
    revision: int


@dataclass(frozen=True)
class Snapshot(Place):
    state: ListState
    window: Optional[Window] = None

    @property
    def sections(self) -> Sequence[Section]:
        return self.state.sections

    @property
    def content(self) -> JSON:
        return self.state.content


@dataclass(frozen=True)
class Revision:
    revision: int
    #: Milliseconds since 1970.
    time: int
    operations: int
    #: The client that made it: its own name for itself, its process and its user.
    name: Optional[str] = None
    pid: Optional[int] = None
    uid: Optional[int] = None
    #: For an undo or a redo, the same as in `Outcome`.
    undo: Optional[Mapping[str, int]] = None
    redo: Optional[Mapping[str, int]] = None


@dataclass(frozen=True)
class History(Place):
    """A list's history, newest revision first; `oldest` is the oldest revision that can be read."""

    oldest: int
    revisions: Sequence[Revision]


@dataclass(frozen=True)
class Difference:
    list: str
    epoch: str
    from_revision: int
    to_revision: int
    operations: Sequence[Operation]


@dataclass(frozen=True)
class Access:
    list: str
    owner: int
    group: int
    mode: str


@dataclass(frozen=True)
class Performed:
    """A handler's response."""

    list: str
    revision: Optional[int] = None
    result: JSON = None


@dataclass(frozen=True)
class Expanded:
    """An item whose children are in the list, unless its handler has none."""

    list: str
    item: str
    #: The list's revision then; None for a caller that may not read it.
    revision: Optional[int] = None


def read(kind: Type[A], result: Mapping[str, Any], **made: Any) -> A:
    """Makes a value from the members of a result, and from `made`, which has priority."""
    names = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    members: Dict[str, Any] = {name: value for name, value in result.items() if name in names}
    try:
        return kind(**{**members, **made})
    except TypeError as error:
        raise Unintelligible(f"a reply without a member that it needs: {error}") from None
