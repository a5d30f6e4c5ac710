"""What the daemon answers, as values. Members that a newer daemon adds are passed over."""

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
    """What a change came to."""

    list: str
    #: The list's revision now; None for one who may change the list and not see it, and so is `changed`.
    revision: Optional[int] = None
    changed: Optional[bool] = None
    #: Counts of what became different, without the zeros: `{"insertedItems": 1}`.
    summary: Mapping[str, int] = dataclasses.field(default_factory=dict)
    #: For an undo: `{"from": 7, "to": 6}`, the newest change that was undone, and the revision whose state the list has now.
    undo: Optional[Mapping[str, int]] = None
    #: For a redo: `{"from": 6, "to": 7}`, the revision whose state the list had, and the newest change that was redone.
    redo: Optional[Mapping[str, int]] = None
    #: What a dry run would do.
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
    #: Of a deleted list: when, in milliseconds since 1970 began, and by whom.
    time: Optional[int] = None
    name: Optional[str] = None
    pid: Optional[int] = None
    uid: Optional[int] = None
    #: Which sorts of request a handler answers, and for which actions, if only for some.
    handles: Sequence[str] = ()
    actions: Sequence[str] = ()


@dataclass(frozen=True)
class Place:
    """Where a list is: revision 3 of one epoch is another state than revision 3 of another."""

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
    #: Milliseconds since 1970 began.
    time: int
    operations: int
    #: Who made it: the name that the client gave, its process and its user.
    name: Optional[str] = None
    pid: Optional[int] = None
    uid: Optional[int] = None
    #: For an undo or a redo, the same as in `Outcome`.
    undo: Optional[Mapping[str, int]] = None
    redo: Optional[Mapping[str, int]] = None


@dataclass(frozen=True)
class History(Place):
    """The newest revision first; `oldest` is the oldest one that can be read."""

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
    """What a handler answered."""

    list: str
    revision: Optional[int] = None
    result: JSON = None


@dataclass(frozen=True)
class Expanded:
    """An item that has its children, or whose handler has none for it."""

    list: str
    item: str
    #: Of the list then; None for one who may not read it.
    revision: Optional[int] = None


def read(kind: Type[A], result: Mapping[str, Any], **made: Any) -> A:
    """The members of the result by their names, and those that were made of others."""
    names = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    members: Dict[str, Any] = {name: value for name, value in result.items() if name in names}
    try:
        return kind(**{**members, **made})
    except TypeError as error:
        raise Unintelligible(f"an answer that lacks something: {error}") from None
