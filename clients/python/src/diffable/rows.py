"""A program's rows as sections of items, as `diffablectl apply` reads them."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

Row = Any
#: The name of a member, or a function of the row.
Field = Union[str, Callable[[Row], Any]]

_USUAL_KEYS = ("id", "key", "name")


def sections(
    rows: Iterable[Row], key: Optional[Field] = None, section: Optional[Field] = None, parent: Optional[Field] = None,
    kind: Optional[Field] = None, text: Optional[Field] = None,
) -> List[Dict[str, Any]]:
    """Sections in the order in which rows name them; rows without one are in `main`. A row with a parent is below it, in
    whichever order they are given."""
    made: Dict[str, Dict[str, Any]] = {}
    found: Dict[str, List[Dict[str, Any]]] = {}
    under: Dict[str, List[Dict[str, Any]]] = {}
    for row in rows:
        if key is None:
            key = _usual_key(row)
        id = _name(_value(row, key), "id", key, row)
        if id in made:
            raise ValueError(f'two rows have the id "{id}": name a field that differs in every row with key=…')
        item: Dict[str, Any] = {"id": id}
        if kind is not None and (kind_name := _value(row, kind)) is not None:
            item["kind"] = str(kind_name)
        item["content"] = _content(row, text)
        made[id] = item
        above = _value(row, parent) if parent is not None else None
        if above is not None and above != "":
            under.setdefault(_name(above, "parent", parent, row), []).append(item)
        else:
            within = _value(row, section) if section is not None else None
            name = "main" if within is None or within == "" else _name(within, "section", section, row)
            found.setdefault(name, []).append(item)
    for above, children in under.items():
        if above not in made:
            child = children[0]["id"]
            raise ValueError(f'the parent "{above}" of the row "{child}" is not a row: add it, or leave the parent empty')
        made[above]["children"] = children
    _check_reached(found, len(made))
    return [{"id": name, "items": items} for name, items in found.items()]


def _check_reached(found: Mapping[str, List[Dict[str, Any]]], count: int) -> None:
    """Raises for rows whose parents form a cycle, because these are in no section."""
    reached = [item for items in found.values() for item in items]
    for item in reached:
        reached.extend(item.get("children", ()))
    if len(reached) < count:
        raise ValueError(f"{count - len(reached)} rows are their own ancestors, or below such rows: correct their parents")


def _usual_key(row: Row) -> Field:
    if isinstance(row, Mapping):
        for name in _USUAL_KEYS:
            if name in row:
                return name
        names = ", ".join(row)
        raise ValueError(f"a row has no id, key or name: name the field that identifies rows with key=…; it has {names}")
    return str


def _value(row: Row, field: Optional[Field]) -> Any:
    if callable(field):
        return field(row)
    if field is None:
        return None
    return row.get(field) if isinstance(row, Mapping) else getattr(row, field, None)


def _name(value: Any, what: str, field: Optional[Field], row: Row) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        where = f" ({field})" if isinstance(field, str) else ""
        raise ValueError(f"a row's {what}{where} must be a string or an integer, not {value!r}: {row!r:.80}")
    return str(value)


def _content(row: Row, text: Optional[Field]) -> Any:
    if text is not None:
        return {"text": _value(row, text)}
    return dict(row) if isinstance(row, Mapping) else {"text": row} if isinstance(row, str) else row
