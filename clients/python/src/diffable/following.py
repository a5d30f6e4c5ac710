"""A followed list: its updates, over any number of connections."""

from __future__ import annotations

import threading
from typing import Any, Dict, Optional, Tuple

from .connection import Connection, new_id
from .connections import Connections
from .conversation import Message, Reply, RequestID
from .errors import NoSuchSubscription
from .lines import copied
from .mirror import Mirror, Update
from .reception import Reception
from .state import ListState
from .typed import View


class FollowedList(Reception[Update]):
    def __init__(
        self, connections: Connections, list: str, view: Optional[View], if_absent: str,
        min_interval: Optional[float], most_recent: bool = False, not_older_than: Optional[int] = None,
    ) -> None:
        super().__init__(connections)
        if if_absent not in ("error", "wait"):
            raise ValueError(f'if_absent must be "error" or "wait", not {if_absent!r}')
        self._terms = {
            "ifAbsent": "wait" if if_absent == "wait" else None,
            "minInterval": None if min_interval is None else max(1, round(min_interval * 1000)),
        }
        # For the first state. After that, the daemon never shows an older state than before.
        self._fresh = {"mostRecent": most_recent or None, "notOlderThan": not_older_than}
        # Each view is a separate copy, so that `is` distinguishes equal ones.
        self._wanted: View = copied(view or {})
        self._mirror = Mirror(list, if_absent == "wait", self._wanted)
        self._subscription: Optional[int] = None
        # The last requested view, and the request for it until its reply. Views that are set until then wait.
        self._asked = self._wanted
        self._unanswered: Optional[Tuple[RequestID, View]] = None
        # Protects the three members above: one thread sets a view while another follows.
        self._viewing = threading.Lock()

    @property
    def list(self) -> str:
        return self._mirror.list

    @property
    def state(self) -> ListState:
        """The list's state at the last update. The next update changes it in place."""
        return self._mirror.state

    @property
    def revision(self) -> int:
        return self._mirror.revision

    async def set_view(self, view: Optional[View]) -> None:
        """Changes the view. At least one update follows, even if no item changes, as soon as the list exists. Views that are
        set in a row may share an update. `view` is copied."""
        with self._viewing:
            self._wanted = copied(view or {})
        await self._ask_for_view()

    async def _begin(self, connection: Connection) -> None:
        mirror = self._mirror
        since = mirror.since
        with self._viewing:
            self._subscription = self._unanswered = None
            if since is not None:
                if self._wanted is mirror.view:
                    # The same view, at the position that its window has reached.
                    self._wanted = mirror.shown_view
                else:
                    since["view"] = mirror.shown_view
            view = self._wanted
        mirror.resume(view)
        params: Dict[str, Any] = {"list": mirror.list, "since": since, "view": view or None, **self._terms}
        if since is None:
            params.update(self._fresh)
        reply = await connection.ask("subscribe", params)
        with self._viewing:
            self._asked = view
            self._subscription = reply["subscription"]
        await self._ask_for_view()

    async def _ask_for_view(self) -> None:
        with self._viewing:
            connection, subscription, view = self._connection, self._subscription, self._wanted
            if connection is None or subscription is None or self._unanswered or view is self._asked:
                return
            # Recorded before it is sent: another thread may read the reply at once.
            id = new_id()
            self._asked, self._unanswered = view, (id, view)
        await connection.send("setView", {"subscription": subscription, "view": view}, id)

    async def _take(self, message: Message) -> None:
        if isinstance(message, Reply):
            await self._take_reply(message)
            return
        if message.params.get("subscription") != self._subscription:
            return
        update = self._mirror.receive(message.method, message.params)
        if update is not None:
            self._received.append(update)
        if message.method == "listDeleted" and not self._mirror.waits:
            self._has_ended = True

    async def _take_reply(self, reply: Reply) -> None:
        with self._viewing:
            if self._unanswered is None or reply.id != self._unanswered[0]:
                return
            _, view = self._unanswered
            self._unanswered = None
        try:
            reply.get()
        except NoSuchSubscription:
            # The subscription has ended, which has its own message.
            return
        self._mirror.set_view(view)
        await self._ask_for_view()

    def _forget(self) -> None:
        self._mirror.forget()

    def _leave_to_parent(self) -> None:
        self._viewing = threading.Lock()
