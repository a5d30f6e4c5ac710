"""Applies the operations of docs/protocol-operations.md to a `ListState`: all that a client can send or receive."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .lines import copied
from .state import Item, ListState, Section
from .typed import JSON, Operation

Container = Union[Item, Section]


class DoesNotFit(ValueError):
    """An operation that is invalid, or does not match the list."""


#: An operation's members.
_Members = Mapping[str, Any]


def apply(state: ListState, operation: Operation) -> None:
    """Changes the state. The cost depends on the inserted, deleted and changed elements. An operation that does not fit changes
    nothing. `operation` is copied."""
    take(state, copied(operation))


def take(state: ListState, operation: _Members) -> None:
    """The same without a copy: the state takes the operation's content."""
    name = operation.get("op")
    step = _steps.get(str(name))
    if step is None:
        raise DoesNotFit(f"there is no operation {name!r}")
    try:
        step(state, operation)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DoesNotFit(f"{name} does not fit: {error}") from None


def merged(value: JSON, patch: JSON) -> JSON:
    """The value with a JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    result: Dict[str, JSON] = dict(value) if isinstance(value, dict) else {}
    for name, member in patch.items():
        if member is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), member)
    return result


# MARK: The list's own content


def _reconfigure_list(state: ListState, operation: _Members) -> None:
    state.content = operation["content"]


def _patch_list(state: ListState, operation: _Members) -> None:
    state.content = merged(state.content, operation["content"])


# MARK: Sections


def _append_sections(state: ListState, operation: _Members) -> None:
    state._insert_sections(_new_sections(state, operation), _last(state.sections))


def _insert_sections(state: ListState, operation: _Members) -> None:
    state._insert_sections(_new_sections(state, operation), _section_anchor(state, operation))


def _delete_sections(state: ListState, operation: _Members) -> None:
    for section in _found(state._sections_by_id, operation["sections"], operation):
        state._remove_section(section)


def _move_section(state: ListState, operation: _Members) -> None:
    section = state._sections_by_id[operation["section"]]
    anchor = _section_anchor(state, operation, moved=section)
    if anchor is section:
        raise DoesNotFit("a section cannot be placed beside itself")
    state._sections.remove(section)
    state._sections.insert([section], anchor)


def _reload_sections(state: ListState, operation: _Members) -> None:
    for section, given in _named(state._sections_by_id, operation["sections"]):
        if "content" in given:
            section.content = given["content"]


# MARK: Items


def _append_items(state: ListState, operation: _Members) -> None:
    items = _new_items(state, operation)
    container = _container(state, operation) or _last(state.sections)
    if container is None:
        container = Section("main")
        state._insert_sections([container], None)
    state._insert_items(items, container, _last(container._siblings()))


def _insert_items(state: ListState, operation: _Members) -> None:
    items = _new_items(state, operation)
    container, after = _place(state, operation)
    state._insert_items(items, container, after)


def _delete_items(state: ListState, operation: _Members) -> None:
    for item in _found(state._items_by_id, operation["items"], operation):
        # It may have been deleted with its ancestor.
        if item.id in state:
            state._remove_item(item)


def _delete_all_items(state: ListState, operation: _Members) -> None:
    for section in list(state.sections):
        state._remove_section(section)


def _move_item(state: ListState, operation: _Members) -> None:
    item = state._items_by_id[operation["item"]]
    container, after = _place(state, operation, moved=item)
    if after is item:
        raise DoesNotFit("an item cannot be placed beside itself")
    above: Union[Item, Section, None] = container
    while isinstance(above, Item):
        if above is item:
            raise DoesNotFit("an item cannot be moved under itself")
        above = above._container
    state._move_item(item, container, after)


def _reconfigure_items(state: ListState, operation: _Members) -> None:
    for item, given in _named(state._items_by_id, operation["items"]):
        if "content" in given:
            item.content = given["content"]


def _patch_items(state: ListState, operation: _Members) -> None:
    for item, given in _named(state._items_by_id, operation["items"]):
        item.content = merged(item.content, given.get("content"))


def _reload_items(state: ListState, operation: _Members) -> None:
    for item, given in _named(state._items_by_id, operation["items"]):
        if "kind" in given:
            item.kind = given["kind"]
        if "content" in given:
            item.content = given["content"]


def _expand_items(state: ListState, operation: _Members) -> None:
    for item in [state._items_by_id[id] for id in operation["items"]]:
        item.expanded = True


def _collapse_items(state: ListState, operation: _Members) -> None:
    for item in [state._items_by_id[id] for id in operation["items"]]:
        item.expanded = False


def _fold_items(state: ListState, operation: _Members) -> None:
    for item in [state._items_by_id[id] for id in operation["items"]]:
        item.folded = True


def _unfold_items(state: ListState, operation: _Members) -> None:
    for item in [state._items_by_id[id] for id in operation["items"]]:
        item.folded = False


def _replace_children(state: ListState, operation: _Members) -> None:
    """Given items that are elsewhere are moved; their old descendants are deleted, unless they are given too."""
    parent = state._items_by_id[operation["parent"]]
    items = [Item._of(item) for item in operation["items"]]
    given = [item.id for top in items for item in top._subtree()]
    kept = {id: state._items_by_id[id] for id in given if id in state}
    if len(set(given)) < len(given):
        raise DoesNotFit("an item is named twice")
    above: Optional[Container] = parent
    while isinstance(above, Item):
        if above.id in kept:
            raise DoesNotFit("an item cannot be moved under itself")
        above = above._container
    _keep_expansion(items, operation["items"], kept)
    for item in kept.values():
        state._detach(item)
    for container in [*kept.values(), parent]:
        for child in list(container.children):
            state._remove_item(child)
    for id in kept:
        del state._items_by_id[id]
    state._insert_items(items, parent, None)


def _keep_expansion(items: Sequence[Item], given: Sequence[Mapping[str, Any]], before: Mapping[str, Item]) -> None:
    """Keeps the expansion of items that do not set it."""
    for item, said in zip(items, given):
        if said.get("expanded") is None and item.id in before:
            item.expanded = before[item.id].expanded
        _keep_expansion(item.children, said.get("children") or (), before)


_steps: Dict[str, Callable[[ListState, _Members], None]] = {
    "reconfigureList": _reconfigure_list,
    "patchList": _patch_list,
    "appendSections": _append_sections,
    "insertSections": _insert_sections,
    "deleteSections": _delete_sections,
    "moveSection": _move_section,
    "reloadSections": _reload_sections,
    "appendItems": _append_items,
    "insertItems": _insert_items,
    "deleteItems": _delete_items,
    "deleteAllItems": _delete_all_items,
    "moveItem": _move_item,
    "reconfigureItems": _reconfigure_items,
    "patchItems": _patch_items,
    "reloadItems": _reload_items,
    "expandItems": _expand_items,
    "collapseItems": _collapse_items,
    "foldItems": _fold_items,
    "unfoldItems": _unfold_items,
    "replaceChildren": _replace_children,
}

# MARK: Parameters of operations


def _new_sections(state: ListState, operation: _Members) -> List[Section]:
    sections = [Section._of(section) for section in operation["sections"]]
    ids = [section.id for section in sections]
    if len(set(ids)) < len(ids) or any(id in state._sections_by_id for id in ids):
        raise DoesNotFit("a section with this id exists already")
    _check_new(state, [item for section in sections for item in section.items])
    return sections


def _new_items(state: ListState, operation: _Members) -> List[Item]:
    items = [Item._of(item) for item in operation["items"]]
    _check_new(state, items)
    return items


def _check_new(state: ListState, items: Sequence[Item]) -> None:
    ids = [item.id for top in items for item in top._subtree()]
    if len(set(ids)) < len(ids) or not state._items_by_id.keys().isdisjoint(ids):
        raise DoesNotFit("an item with this id exists already")


def _found(things: Dict[str, Any], ids: Sequence[str], operation: _Members) -> List[Any]:
    if operation.get("ifPresent"):
        return [things[id] for id in dict.fromkeys(ids) if id in things]
    return [things[id] for id in dict.fromkeys(ids)]


def _named(found: Dict[str, Any], things: Sequence[Any]) -> List[Tuple[Any, Mapping[str, Any]]]:
    """Each is named by its id, or by an object with an id."""
    return [(found[thing], {}) if isinstance(thing, str) else (found[thing["id"]], thing) for thing in things]


def _section_anchor(state: ListState, operation: _Members, moved: Optional[Section] = None) -> Optional[Section]:
    """The section before the position; None for the front."""
    if operation.get("before") is not None:
        anchor = state._sections_by_id[operation["before"]]
        if anchor is moved:
            return anchor
        before = state._sections.before(anchor)
        return state._sections.before(before) if before is not None and before is moved else before
    after = operation["after"]
    return None if after is None else state._sections_by_id[after]


def _place(state: ListState, operation: _Members, moved: Optional[Item] = None) -> Tuple[Container, Optional[Item]]:
    """The container, and the item before the position; None for the front."""
    if operation.get("before") is not None:
        anchor = state._items_by_id[operation["before"]]
        container = _of(anchor)
        if anchor is moved:
            return container, anchor
        before = container._siblings().before(anchor)
        # The moved one will not be there any more.
        return container, container._siblings().before(before) if before is not None and before is moved else before
    if operation.get("after") is not None:
        anchor = state._items_by_id[operation["after"]]
        return _of(anchor), anchor
    container = _container(state, operation) or _last(state.sections)
    if container is None:
        raise DoesNotFit("the list has no section")
    if "after" in operation:
        return container, None
    last: Optional[Item] = _last(container._siblings())
    return container, container._siblings().before(last) if last is not None and last is moved else last


def _container(state: ListState, operation: _Members) -> Optional[Container]:
    if operation.get("parent") is not None:
        return state._items_by_id[operation["parent"]]
    if operation.get("section") is not None:
        return state._sections_by_id[operation["section"]]
    return None


def _of(item: Item) -> Container:
    assert item._container is not None
    return item._container


def _last(things: Any) -> Any:
    return things[-1] if len(things) else None
