"""The JSON of docs/protocol.md as types: views, operations, items. At runtime all of them are plain dicts and lists."""

from __future__ import annotations

from typing import Any, Literal, Sequence, TypedDict, Union

JSON = Any

# MARK: Views


class WindowView(TypedDict, total=False):
    """Neighbouring rows: `{"offset": 100, "limit": 50}` or `{"anchor": "milk", "limit": 50}`."""

    offset: int
    anchor: str
    limit: int


class _SortPath(TypedDict):
    path: str


class SortKey(_SortPath, total=False):
    """`{"path": "/due", "descending": True}`."""

    descending: bool
    numeric: bool


#: `{"path": "/due", "atMost": 5}`, or several conditions in `and`, `or` and `not`.
Condition = TypedDict(
    "Condition",
    {
        "and": "Sequence[Condition]",
        "or": "Sequence[Condition]",
        "not": "Condition",
        "path": str,
        "equals": JSON,
        "lessThan": Union[int, float, str],
        "atMost": Union[int, float, str],
        "greaterThan": Union[int, float, str],
        "atLeast": Union[int, float, str],
        "contains": JSON,
        "prefix": str,
        "exists": bool,
    },
    total=False,
)


class View(TypedDict, total=False):
    """The part of a list that is seen. `{}` is all of it."""

    sections: Sequence[str]
    where: Condition
    search: str
    sort: Sequence[Union[str, SortKey]]
    expansion: Literal["all", "shared", "own"]
    expanded: Sequence[str]
    toggled: Sequence[str]
    window: WindowView


# MARK: Lists


class _ID(TypedDict):
    id: str


class ItemDict(_ID, total=False):
    """`{"id": "milk", "content": {"text": "Buy milk"}}`."""

    kind: Union[str, None]
    content: JSON
    expanded: bool
    children: Sequence[ItemDict]


class SectionDict(_ID, total=False):
    """`{"id": "today", "content": …, "items": […]}`."""

    content: JSON
    items: Sequence[ItemDict]


class _Sections(TypedDict):
    sections: Sequence[SectionDict]


class SnapshotDict(_Sections, total=False):
    """A whole list: `{"content": …, "sections": […]}`."""

    content: JSON


class ItemContent(_ID, total=False):
    """An item, or a section, and its new content."""

    content: JSON


class ItemReload(ItemContent, total=False):
    """An item, its new kind and its new content."""

    kind: Union[str, None]


# MARK: Operations


class ReconfigureList(TypedDict):
    op: Literal["reconfigureList"]
    content: JSON


class PatchList(TypedDict):
    op: Literal["patchList"]
    content: JSON


class AppendSections(TypedDict):
    op: Literal["appendSections"]
    sections: Sequence[SectionDict]


class _InsertSections(TypedDict):
    op: Literal["insertSections"]
    sections: Sequence[SectionDict]


class InsertSections(_InsertSections, total=False):
    before: str
    after: Union[str, None]


class _DeleteSections(TypedDict):
    op: Literal["deleteSections"]
    sections: Sequence[str]


class DeleteSections(_DeleteSections, total=False):
    ifPresent: bool


class _MoveSection(TypedDict):
    op: Literal["moveSection"]
    section: str


class MoveSection(_MoveSection, total=False):
    before: str
    after: Union[str, None]


class ReloadSections(TypedDict):
    op: Literal["reloadSections"]
    sections: Sequence[Union[str, ItemContent]]


class _AppendItems(TypedDict):
    op: Literal["appendItems"]
    items: Sequence[ItemDict]


class AppendItems(_AppendItems, total=False):
    section: Union[str, None]
    parent: Union[str, None]


class _InsertItems(TypedDict):
    op: Literal["insertItems"]
    items: Sequence[ItemDict]


class InsertItems(_InsertItems, total=False):
    before: str
    after: Union[str, None]
    section: Union[str, None]
    parent: Union[str, None]


class _DeleteItems(TypedDict):
    op: Literal["deleteItems"]
    items: Sequence[str]


class DeleteItems(_DeleteItems, total=False):
    ifPresent: bool


class DeleteAllItems(TypedDict):
    op: Literal["deleteAllItems"]


class _MoveItem(TypedDict):
    op: Literal["moveItem"]
    item: str


class MoveItem(_MoveItem, total=False):
    before: str
    after: Union[str, None]
    section: Union[str, None]
    parent: Union[str, None]


class ReconfigureItems(TypedDict):
    op: Literal["reconfigureItems"]
    items: Sequence[Union[str, ItemContent]]


class PatchItems(TypedDict):
    op: Literal["patchItems"]
    items: Sequence[ItemContent]


class ReloadItems(TypedDict):
    op: Literal["reloadItems"]
    items: Sequence[Union[str, ItemReload]]


class ExpandItems(TypedDict):
    op: Literal["expandItems"]
    items: Sequence[str]


class CollapseItems(TypedDict):
    op: Literal["collapseItems"]
    items: Sequence[str]


class ReplaceChildren(TypedDict):
    op: Literal["replaceChildren"]
    parent: str
    items: Sequence[ItemDict]


#: One step of a change. `op` is its name.
Operation = Union[
    ReconfigureList, PatchList,
    AppendSections, InsertSections, DeleteSections, MoveSection, ReloadSections,
    AppendItems, InsertItems, DeleteItems, DeleteAllItems, MoveItem, ReconfigureItems, PatchItems, ReloadItems,
    ExpandItems, CollapseItems, ReplaceChildren,
]

# MARK: Words

RequestKind = Literal["perform", "propose", "expand"]
Durability = Literal["durable", "volatile"]
Cause = Literal["initial", "changes", "history", "epoch", "reload", "deleted"]
