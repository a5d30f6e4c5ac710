"""The state of a list: sections in order, items in order, child items in order.

Programs read these values. `operations.apply` changes them, in a time that depends on the change and not on the list.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .lines import copied
from .siblings import Member, Siblings
from .typed import JSON, ItemDict, SectionDict, SnapshotDict


class Item(Member):
    """An item of a list. Its content is JSON as Python values; do not change it in place."""

    __slots__ = ("id", "kind", "content", "expanded", "folded", "_children", "_container")

    def __init__(
        self, id: str, kind: Optional[str] = None, content: JSON = None, expanded: bool = False,
        children: Iterable[Item] = (), folded: bool = False,
    ) -> None:
        #: Whether a view with `folded` leaves out its children.
        self.folded = folded
        self.id = id
        self.kind = kind
        self.content = content
        self.expanded = expanded
        self._children: Optional[Siblings[Item]] = None
        self._container: Union[Item, Section, None] = None
        if children:
            self._siblings().append(_adopted(children, self))

    @classmethod
    def from_dict(cls, item: ItemDict) -> Item:
        """From `{"id": …, "kind": …, "content": …, "expanded": …, "children": […]}`, which is copied."""
        return cls._of(copied(item))

    @classmethod
    def _of(cls, item: Mapping[str, Any]) -> Item:
        """From an item with content that is not shared."""
        return cls(
            item["id"], item.get("kind"), item.get("content"), bool(item.get("expanded")),
            [cls._of(child) for child in item.get("children") or ()], bool(item.get("folded")),
        )

    def to_dict(self) -> ItemDict:
        """A copy that may be changed."""
        item: ItemDict = {"id": self.id}
        if self.kind is not None:
            item["kind"] = self.kind
        if self.content is not None:
            item["content"] = _copy(self.content)
        if self.expanded:
            item["expanded"] = True
        if self._children:
            item["children"] = [child.to_dict() for child in self._children]
        return item

    @property
    def children(self) -> Sequence[Item]:
        return () if self._children is None else self._children

    @property
    def parent(self) -> Optional[Item]:
        return self._container if isinstance(self._container, Item) else None

    @property
    def section(self) -> Optional[Section]:
        container = self._container
        while isinstance(container, Item):
            container = container._container
        return container

    @property
    def index(self) -> int:
        """Its index among its siblings."""
        assert self._container is not None, f'the item "{self.id}" is no longer in a list'
        return self._container._siblings().index(self)

    def __getitem__(self, name: str) -> JSON:
        """A member of its content: `item["text"]`."""
        if not isinstance(self.content, dict):
            raise KeyError(name)
        return self.content[name]

    def get(self, name: str, default: JSON = None) -> JSON:
        """A member of its content, or the default if there is none."""
        return self.content.get(name, default) if isinstance(self.content, dict) else default

    def __repr__(self) -> str:
        return f"Item({self.id!r}, content={self.content!r})"

    def _siblings(self) -> Siblings[Item]:
        if self._children is None:
            self._children = Siblings()
        return self._children

    def _subtree(self) -> Iterator[Item]:
        yield self
        for child in self._children or ():
            yield from child._subtree()


class Section(Member):
    __slots__ = ("id", "content", "_items", "_sections")

    def __init__(self, id: str, content: JSON = None, items: Iterable[Item] = ()) -> None:
        self.id = id
        self.content = content
        self._sections: Optional[Siblings[Section]] = None
        self._items: Siblings[Item] = Siblings(_adopted(items, self))

    @classmethod
    def from_dict(cls, section: SectionDict) -> Section:
        """From `{"id": …, "content": …, "items": […]}`, which is copied."""
        return cls._of(copied(section))

    @classmethod
    def _of(cls, section: Mapping[str, Any]) -> Section:
        """From a section with content that is not shared."""
        return cls(section["id"], section.get("content"), [Item._of(item) for item in section.get("items") or ()])

    def to_dict(self) -> SectionDict:
        """A copy that may be changed."""
        section: SectionDict = {"id": self.id}
        if self.content is not None:
            section["content"] = _copy(self.content)
        if self._items:
            section["items"] = [item.to_dict() for item in self._items]
        return section

    @property
    def items(self) -> Sequence[Item]:
        return self._items

    @property
    def index(self) -> int:
        assert self._sections is not None, f'the section "{self.id}" is no longer in a list'
        return self._sections.index(self)

    def __repr__(self) -> str:
        return f"Section({self.id!r}, {len(self._items)} items)"

    def _siblings(self) -> Siblings[Item]:
        return self._items


class ListState:
    """`state["milk"]` is an item, `state.sections` has all sections, `len(state)` counts the items at all depths."""

    __slots__ = ("content", "_sections", "_sections_by_id", "_items_by_id")

    def __init__(self, content: JSON = None, sections: Iterable[Section] = ()) -> None:
        #: The list's own content, such as a title.
        self.content = content
        self._sections: Siblings[Section] = Siblings()
        self._sections_by_id: Dict[str, Section] = {}
        self._items_by_id: Dict[str, Item] = {}
        self._insert_sections(list(sections), None)

    @classmethod
    def from_dict(cls, snapshot: SnapshotDict) -> ListState:
        """From `{"content": …, "sections": […]}`, the snapshot of docs/protocol-operations.md, which is copied."""
        return cls._of(copied(snapshot))

    @classmethod
    def _of(cls, snapshot: Mapping[str, Any]) -> ListState:
        """From a snapshot with content that is not shared."""
        sections = [Section._of(section) for section in snapshot.get("sections") or ()]
        return cls(snapshot.get("content"), sections)

    def to_dict(self) -> SnapshotDict:
        """The snapshot in the daemon's form: a copy that may be changed."""
        sections = [section.to_dict() for section in self._sections]
        return {"sections": sections} if self.content is None else {"content": _copy(self.content), "sections": sections}

    @property
    def sections(self) -> Sequence[Section]:
        return self._sections

    def section(self, id: str) -> Section:
        return self._sections_by_id[id]

    def __getitem__(self, id: str) -> Item:
        return self._items_by_id[id]

    def get(self, id: str) -> Optional[Item]:
        return self._items_by_id.get(id)

    def __contains__(self, id: object) -> bool:
        return id in self._items_by_id

    def __len__(self) -> int:
        return len(self._items_by_id)

    def __bool__(self) -> bool:
        """True for any list, even an empty one."""
        return True

    def rows(self) -> Iterator[Tuple[int, Item]]:
        """All items from the top, each before its children, with their levels: 0, 1 and so on."""
        for section in self._sections:
            yield from _rows(section._items, 0)

    def __repr__(self) -> str:
        return f"ListState({len(self._sections)} sections, {len(self)} items)"

    # MARK: Parts of operations

    def _insert_sections(self, sections: List[Section], after: Optional[Section]) -> None:
        for section in sections:
            section._sections = self._sections
            self._sections_by_id[section.id] = section
            for item in section._items:
                self._note(item)
        self._sections.insert(sections, after)

    def _remove_section(self, section: Section) -> None:
        self._sections.remove(section)
        section._sections = None
        del self._sections_by_id[section.id]
        for item in section._items:
            self._forget(item)

    def _insert_items(self, items: List[Item], container: Union[Item, Section], after: Optional[Item]) -> None:
        for item in items:
            item._container = container
            self._note(item)
        container._siblings().insert(items, after)

    def _remove_item(self, item: Item) -> None:
        self._detach(item)
        item._container = None
        self._forget(item)

    def _move_item(self, item: Item, container: Union[Item, Section], after: Optional[Item]) -> None:
        self._detach(item)
        item._container = container
        container._siblings().insert([item], after)

    def _detach(self, item: Item) -> None:
        assert item._container is not None
        item._container._siblings().remove(item)

    def _note(self, item: Item) -> None:
        self._items_by_id[item.id] = item
        if item._children:
            for child in item._children:
                self._note(child)

    def _forget(self, item: Item) -> None:
        for gone in item._subtree():
            del self._items_by_id[gone.id]


def _copy(value: JSON) -> JSON:
    if isinstance(value, dict):
        return {name: _copy(member) for name, member in value.items()}
    return [_copy(element) for element in value] if isinstance(value, list) else value


def _adopted(items: Iterable[Item], container: Union[Item, Section]) -> List[Item]:
    adopted = list(items)
    for item in adopted:
        item._container = container
    return adopted


def _rows(items: Iterable[Item], level: int) -> Iterator[Tuple[int, Item]]:
    for item in items:
        yield level, item
        if item._children:
            yield from _rows(item._children, level + 1)
