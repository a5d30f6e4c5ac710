"""Changes as lines. A change that is too long for one line is sent in parts, which the daemon combines into one transaction."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, Iterator, List, Mapping

from .connection import new_id, request_line
from .conversation import RequestID
from .errors import TooLarge
from .lines import encoded
from .typed import Operation

#: Bytes of a part: shorter than a daemon's limit, so that it begins to read while the next line is sent.
AIM = 1 << 18

_USUAL_LENGTH_MAX = 1 << 20


class Change:
    """A change to send. Its operations are encoded at once, so later changes to them have no effect."""

    def __init__(
        self, method: str, place: Mapping[str, Any], terms: Mapping[str, Any], operations: Iterable[Operation]
    ) -> None:
        self.id = new_id()
        self._request = method, place, terms, [encoded(operation) for operation in operations]
        self._lines: List[bytes] = []

    def lines(self, limits: Mapping[str, int]) -> List[bytes]:
        """The same parts each time, as the request key requires."""
        if not self._lines:
            self._lines = change_lines(*self._request, self.id, limits)
        return self._lines


def change_lines(
    method: str, place: Mapping[str, Any], terms: Mapping[str, Any], operations: Iterable[bytes], id: RequestID,
    limits: Mapping[str, int],
) -> List[bytes]:
    """Splits a change into lines.

    - place: members of each part: the list, the section of an `apply`.
    - terms: members that count on the last part.
    - operations: each encoded.
    """
    length_max = limits.get("lineLengthMax", _USUAL_LENGTH_MAX)
    operations_max = limits.get("operationsMax", 100_000)
    last = request_line(method, {**place, **terms, "operations": [], "more": False}, id)
    # The length of an empty part, whether it is the last one or not.
    frame = len(last) + 8
    aim = min(AIM, length_max) - frame
    groups: List[List[bytes]] = [[]]
    length = 0
    for piece in _pieces(operations, aim, length_max - frame):
        if groups[-1] and (length + len(piece) + 1 > aim or len(groups[-1]) >= operations_max):
            groups.append([])
            length = 0
        groups[-1].append(piece)
        length += len(piece) + 1
    if len(groups) == 1:
        return [_filled(request_line(method, {**place, **terms, "operations": []}, id), groups[0])]
    part = request_line(method, {**place, "operations": [], "more": True}, None)
    return [_filled(part, group) for group in groups[:-1]] + [_filled(last, groups[-1])]


def _filled(line: bytes, operations: List[bytes]) -> bytes:
    # The member was encoded by this module, and an equal text in a string would have escaped quotes.
    return line.replace(b'"operations":[]', b'"operations":[' + b",".join(operations) + b"]", 1)


def _pieces(operations: Iterable[bytes], aim: int, length_max: int) -> Iterator[bytes]:
    """The operations, with long ones split."""
    for text in operations:
        if len(text) <= aim:
            yield text
            continue
        operation = json.loads(text)
        many = operation.get("items") or operation.get("sections")
        if not isinstance(many, list) or len(many) < 2 and not _has_subtree(many):
            yield _checked(text, length_max)
        elif operation.get("op") == "replaceChildren":
            # Each part would remove the items that the previous part inserted.
            yield _checked(text, length_max)
        else:
            yield from _pieces_of_many(operation, aim, length_max)


def _has_subtree(many: Any) -> bool:
    return bool(many) and isinstance(many[0], dict) and bool(many[0].get("items") or many[0].get("children"))


def _pieces_of_many(operation: Dict[str, Any], aim: int, length_max: int) -> Iterator[bytes]:
    head = dict(operation)
    name = "items" if operation.get("items") else "sections"
    many = head.pop(name)
    prefix = encoded(head)[:-1] + b"," + encoded(name) + b":["
    gathered: List[bytes] = []
    length = len(prefix) + 2
    last_id = None
    for one in many:
        text = encoded(one)
        below: Dict[str, Any] = {}
        if length + len(text) > aim:
            if gathered:
                yield prefix + b",".join(gathered) + b"]}"
                # The rest follows the items that were placed.
                if "after" in head:
                    head = {key: value for key, value in head.items() if key not in ("section", "parent")}
                    head["after"] = last_id
                    prefix = encoded(head)[:-1] + b"," + encoded(name) + b":["
                gathered, length = [], len(prefix) + 2
            if length + len(text) > aim and _has_subtree([one]):
                one, below = _parted(one)
                text = encoded(one)
        gathered.append(text)
        length += len(text) + 1
        last_id = one["id"] if isinstance(one, dict) else one
        if below:
            # Their parent has to be inserted first.
            yield _checked(prefix + b",".join(gathered) + b"]}", length_max)
            if "after" in head:
                head = {key: value for key, value in head.items() if key not in ("section", "parent")}
                head["after"] = last_id
                prefix = encoded(head)[:-1] + b"," + encoded(name) + b":["
            gathered, length = [], len(prefix) + 2
            yield from _pieces_of_many(below, aim, length_max)
    if gathered:
        yield _checked(prefix + b",".join(gathered) + b"]}", length_max)


def _parted(one: Dict[str, Any]) -> Any:
    """An element without its items or children, and an operation that appends those."""
    one = dict(one)
    items = one.pop("items", None)
    if items is not None:
        return one, {"op": "appendItems", "section": one["id"], "items": items}
    children = one.pop("children")
    return one, {"op": "appendItems", "parent": one["id"], "items": children}


def _checked(text: bytes, length_max: int) -> bytes:
    if len(text) > length_max:
        raise TooLarge(
            "tooLarge",
            f"one of the operations alone is longer than {length_max} bytes (lineLengthMax), so nothing was changed: make it "
            f"shorter, or ask an administrator to raise the limit",
            11,
            {"limit": "lineLengthMax", "max": length_max},
        )
    return text
