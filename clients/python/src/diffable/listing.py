"""The followed set of lists, over any number of connections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Mapping, Optional, Set

from .answers import ListSummary, read
from .connection import Connection
from .connections import Connections
from .conversation import Message, Reply
from .reception import Reception


@dataclass(frozen=True)
class ListsUpdate:
    """The lists that you may see, and the changes since the previous update."""

    #: All lists by name.
    lists: Mapping[str, ListSummary]
    #: The names of lists that are new or different; at first, all.
    listed: FrozenSet[str]
    #: The names of lists that do not exist any more for you.
    unlisted: FrozenSet[str]


class FollowedLists(Reception[ListsUpdate]):
    def __init__(self, connections: Connections, content: bool, min_interval: Optional[float]) -> None:
        super().__init__(connections)
        self._params: Dict[str, Any] = {
            "content": content or None,
            "minInterval": None if min_interval is None else max(1, round(min_interval * 1000)),
        }
        self._lists: Dict[str, ListSummary] = {}
        self._subscription: Optional[int] = None

    async def _begin(self, connection: Connection) -> None:
        self._subscription = None
        reply = await connection.ask("followLists", self._params)
        self._subscription = reply["subscription"]
        lists = {summary["list"]: read(ListSummary, summary) for summary in reply["lists"]}
        listed = {name for name, summary in lists.items() if self._lists.get(name) != summary}
        unlisted = set(self._lists) - set(lists)
        is_first = not self._lists
        self._lists = lists
        if is_first or listed or unlisted:
            self._append(listed, unlisted)

    async def _take(self, message: Message) -> None:
        if isinstance(message, Reply) or message.method != "listsChanged":
            return
        if message.params.get("subscription") != self._subscription:
            return
        listed = {summary["list"]: read(ListSummary, summary) for summary in message.params["listed"]}
        unlisted = set(message.params["unlisted"])
        self._lists.update(listed)
        for name in unlisted:
            self._lists.pop(name, None)
        self._append(set(listed), unlisted)

    def _append(self, listed: Set[str], unlisted: Set[str]) -> None:
        self._received.append(ListsUpdate(dict(self._lists), frozenset(listed), frozenset(unlisted)))

    def _forget(self) -> None:
        self._lists = {}
