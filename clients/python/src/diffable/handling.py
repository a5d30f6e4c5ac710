"""The requests to a list's handler, over any number of connections."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Sequence, Type, TypeVar

from .connection import Connection, new_id
from .connections import Connections, log
from .conversation import Message, Reply, RequestID
from .errors import DiffableError, HandlerEnded, HandlerExists, NoSuchRequest, NotSendable
from .mirror import Mirror
from .reception import Reception
from .state import ListState
from .typed import JSON, Operation, RequestKind

#: The seconds in which the daemon may mistake this client's earlier handler for another's.
_GRACE = 10.0


@dataclass(eq=False)
class HandlerRequest:
    """A request of another client. The program responds once, with `answer`, `refuse` or `fail`, even later or from another
    thread or task. Without a response, the caller waits until the request times out."""

    # `Request` has blocking methods, and `AsyncRequest` has coroutines.

    list: str
    #: "perform", "propose" or "expand".
    kind: str
    #: The list's revision at the time of the request; the handler's local copy is at least as new.
    revision: Optional[int]
    #: The caller: name, pid and uid.
    asker: Mapping[str, Any]
    #: For `perform`: the action, and its target items or section.
    action: Optional[str] = None
    items: Sequence[str] = ()
    section: Optional[str] = None
    arguments: JSON = None
    #: For `propose`: the operations as the caller sent them, and counts of the changes.
    operations: Sequence[Operation] = ()
    summary: Mapping[str, int] = field(default_factory=dict)
    #: For `expand`: the item whose children are requested.
    item: Optional[str] = None
    #: Whether the response is no longer needed: the request timed out, the caller's connection ended, or this connection was
    #: lost. It is set when the loop asks for its next request. A later response is ignored.
    is_cancelled: bool = False

    def __post_init__(self) -> None:
        self._number: Any = None
        self._handling: Optional[Handling[Any]] = None
        self._connection: Optional[Connection] = None

    async def _answer(self, result: JSON, operations: Optional[Sequence[Operation]]) -> None:
        await self._send({"result": result, "operations": operations})

    async def _refuse(self, reason: str) -> None:
        await self._send({"refusal": reason})

    async def _fail(self, reason: str) -> None:
        await self._send({"failure": reason})

    async def _send(self, answer: Dict[str, Any]) -> None:
        handling, connection = self._handling, self._connection
        if handling is None or connection is None:
            raise RuntimeError("this request has been answered, and a request is answered only once")
        if connection.is_inherited:
            raise RuntimeError("this process was forked after the request came, and only the parent process can answer it")
        self._handling = None
        if self.is_cancelled:
            return
        try:
            await handling._send_answer(connection, self, answer)
        except NotSendable:
            # Nothing was sent, so another response is possible.
            self._handling = handling
            raise


Q = TypeVar("Q", bound=HandlerRequest)


class Handling(Reception[Q]):
    def __init__(
        self, kind: Type[Q], connections: Connections, list: str, requests: Sequence[RequestKind],
        actions: Optional[Sequence[str]], replace: bool, follow: bool,
    ) -> None:
        super().__init__(connections)
        self._kind = kind
        if isinstance(requests, str) or not requests:
            raise ValueError('requests must be a list of one or more of "perform", "propose" and "expand"')
        self._params = {
            "list": list, "requests": [*requests], "actions": None if actions is None else [*actions],
            "replace": replace or None,
        }
        self._mirror = Mirror(list)
        self._follows = follow
        self._subscription: Optional[int] = None
        self._handler: Any = None
        self._open: Dict[Any, HandlerRequest] = {}
        # By the ids of responses without a reply from the daemon.
        self._answered: Dict[RequestID, HandlerRequest] = {}
        self._has_registered = False
        # The end of the time in which another handler may be this client's earlier one.
        self._grace_end: Optional[float] = None

    @property
    def list(self) -> str:
        return self._mirror.list

    @property
    def state(self) -> ListState:
        """The list's state at the last request, or newer: it has every item that the request names."""
        return self._mirror.state

    @property
    def revision(self) -> int:
        return self._mirror.revision

    async def _begin(self, connection: Connection) -> None:
        # The callers of the previous connection have been notified of its loss.
        self._cancel_all()
        self._mirror.resume({})
        if self._follows:
            params = {"list": self._mirror.list, "since": self._mirror.since}
            self._subscription = (await connection.ask("subscribe", params))["subscription"]
        self._handler = (await connection.ask("handle", self._params))["handler"]
        self._has_registered = True
        self._grace_end = None

    def _forget(self) -> None:
        self._mirror.forget()

    def _is_healed(self, error: DiffableError) -> bool:
        if error.is_healed_by_reconnecting:
            if self._has_registered and self._grace_end is None:
                self._grace_end = time.monotonic() + _GRACE
            return True
        return isinstance(error, HandlerExists) and self._grace_end is not None and time.monotonic() < self._grace_end

    async def _take(self, message: Message) -> None:
        if isinstance(message, Reply):
            await self._take_reply(message)
            return
        params = message.params
        if message.method == "request" and params.get("handler") == self._handler:
            self._received.append(self._request(params))
        elif message.method == "requestCancelled":
            if (request := self._open.pop(params.get("request"), None)) is not None:
                request.is_cancelled = True
                for received in [received for received in self._received if received is request]:
                    self._received.remove(received)
        elif message.method == "handlerEnded" and params.get("handler") == self._handler:
            self._end(str(params.get("reason")))
        elif params.get("subscription") is not None and params["subscription"] == self._subscription:
            self._mirror.receive(message.method, params)

    def _request(self, params: Mapping[str, Any]) -> Q:
        request = self._kind(
            self.list, str(params.get("kind")), params.get("revision"), params.get("from") or {},
            action=params.get("action"), items=params.get("items") or (), section=params.get("section"),
            arguments=params.get("arguments"), operations=params.get("operations") or (),
            summary=params.get("summary") or {}, item=params.get("item"),
        )
        request._number, request._handling, request._connection = params.get("request"), self, self._connection
        self._open[request._number] = request
        return request

    async def _send_answer(self, connection: Connection, request: HandlerRequest, answer: Dict[str, Any]) -> None:
        id = new_id()
        # Before it is sent, as another thread may take the reply.
        self._answered[id] = request
        self._open.pop(request._number, None)
        try:
            await connection.send("answer", {"request": request._number, **answer}, id)
        except NotSendable:
            del self._answered[id]
            self._open[request._number] = request
            raise

    async def _take_reply(self, reply: Reply) -> None:
        request = self._answered.pop(reply.id, None)
        connection = self._connection
        # The caller no longer waits.
        if reply.error is None or isinstance(reply.error, NoSuchRequest) or request is None or connection is None:
            return
        log.warning("the daemon refused the handler's answer for the list %r: %s", self.list, reply.error)
        # The response was invalid, for example too long. A proposal was not applied; any other request was carried out before.
        instead = (
            {"refusal": str(reply.error)} if request.kind == "propose"
            else {"failure": f"{reply.error}. The request may have been carried out. Check before you retry"}
        )
        await connection.send("answer", {"request": request._number, **instead})

    def _end(self, reason: str) -> None:
        self._cancel_all()
        if reason != "listDeleted":
            raise HandlerEnded(self.list, reason)
        self._has_ended = True

    def _cancel_all(self) -> None:
        for request in list(self._open.values()):
            request.is_cancelled = True
        self._open.clear()
        self._answered.clear()
        self._received.clear()
