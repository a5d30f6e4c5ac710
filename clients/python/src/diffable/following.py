"""A list that is followed: its updates, over as many connections as it takes."""

from __future__ import annotations

from typing import Any, Dict, Optional

from .connection import Connection
from .connections import Connections
from .conversation import Message, Reply, RequestID
from .errors import NoSuchSubscription
from .mirror import Mirror, Update, View
from .reception import Reception
from .state import ListState


class FollowedList(Reception[Update]):
    def __init__(
        self, connections: Connections, list: str, view: Optional[View], if_absent: str,
        min_interval: Optional[float], most_recent: bool = False, not_older_than: Optional[int] = None,
    ) -> None:
        super().__init__(connections)
        if if_absent not in ("error", "wait"):
            raise ValueError(f'if_absent is "error" or "wait", not {if_absent!r}')
        self._terms = {
            "ifAbsent": "wait" if if_absent == "wait" else None,
            "minInterval": None if min_interval is None else max(1, round(min_interval * 1000)),
        }
        # Of what is shown first. Afterwards the daemon shows nothing older than before.
        self._fresh = {"mostRecent": most_recent or None, "notOlderThan": not_older_than}
        self._mirror = Mirror(list, if_absent == "wait", view)
        self._subscription: Optional[int] = None
        # The view that is wanted, the one that was asked for last, and those that were not answered yet.
        self._wanted = self._asked = view
        self._unanswered: Dict[RequestID, Optional[View]] = {}

    @property
    def list(self) -> str:
        return self._mirror.list

    @property
    def state(self) -> ListState:
        """The list as it was at the last update, brought forward when the next one is asked for."""
        return self._mirror.state

    @property
    def revision(self) -> int:
        return self._mirror.revision

    async def set_view(self, view: Optional[View]) -> None:
        """Shows something else of the list: the next update leads from what was seen to what is seen then."""
        self._wanted = view
        await self._ask_for_view()

    async def _begin(self, connection: Connection) -> None:
        mirror = self._mirror
        since = mirror.since
        # A state is gone on from with the view that it was seen through.
        view = self._wanted if since is None else mirror.view
        self._subscription = None
        self._unanswered.clear()
        mirror.resume(view)
        params: Dict[str, Any] = {"list": mirror.list, "since": since, "view": view or None, **self._terms}
        if since is None:
            params.update(self._fresh)
        reply = await connection.ask("subscribe", params)
        self._asked = view
        self._subscription = reply["subscription"]
        await self._ask_for_view()

    async def _ask_for_view(self) -> None:
        connection, subscription, view = self._connection, self._subscription, self._wanted
        if connection is None or subscription is None or view == self._asked:
            return
        self._asked = view
        id = await connection.send("setView", {"subscription": subscription, "view": view or {}})
        self._unanswered[id] = view

    async def _take(self, message: Message) -> None:
        if isinstance(message, Reply):
            self._take_reply(message)
            return
        if message.params.get("subscription") != self._subscription:
            return
        update = self._mirror.receive(message.method, message.params)
        if update is not None:
            self._received.append(update)
        if message.method == "listDeleted" and not self._mirror.waits:
            self._has_ended = True

    def _take_reply(self, reply: Reply) -> None:
        if reply.id not in self._unanswered:
            return
        view = self._unanswered.pop(reply.id)
        try:
            reply.get()
        except NoSuchSubscription:
            # It has ended meanwhile, which is told by itself.
            return
        self._mirror.set_view(view)
