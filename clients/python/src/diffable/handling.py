"""A list that answers: the requests to its handler, over as many connections as it takes."""

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

#: For so many seconds the daemon may take our own handler of before for somebody else's.
_GRACE = 10.0


@dataclass(eq=False)
class HandlerRequest:
    """What somebody asks of the list. It is answered once, by `answer`, `refuse` or `fail`, also later or from another thread
    or task; who never answers lets the asker wait until its time is over."""

    # `Request` answers and returns, `AsyncRequest` is awaited.

    list: str
    #: "perform", "propose" or "expand".
    kind: str
    #: The list's revision when it was asked; the handler has seen that much of the list.
    revision: Optional[int]
    #: Who asks: name, pid and uid.
    asker: Mapping[str, Any]
    #: Of `perform`: what is to be done, with which items or which section.
    action: Optional[str] = None
    items: Sequence[str] = ()
    section: Optional[str] = None
    arguments: JSON = None
    #: For `propose`: the operations as the proposer sent them, and counts of the changes.
    operations: Sequence[Operation] = ()
    summary: Mapping[str, int] = field(default_factory=dict)
    #: Of `expand`: which item needs its children.
    item: Optional[str] = None
    #: Nobody waits for the answer any more: the time is over, the asker is gone, or the connection was lost. It is set as soon
    #: as the loop asks for its next request, and what is answered then goes nowhere.
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
            raise RuntimeError("a request is answered once")
        if connection.is_inherited:
            raise RuntimeError("the process that this one was forked from got the request, and only that can answer it")
        self._handling = None
        if self.is_cancelled:
            return
        try:
            await handling._send_answer(connection, self, answer)
        except NotSendable:
            # Nothing was sent, so it can be answered with something else.
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
            raise ValueError('requests are some of "perform", "propose" and "expand", in a list')
        self._params = {
            "list": list, "requests": [*requests], "actions": None if actions is None else [*actions],
            "replace": replace or None,
        }
        self._mirror = Mirror(list)
        self._follows = follow
        self._subscription: Optional[int] = None
        self._handler: Any = None
        self._open: Dict[Any, HandlerRequest] = {}
        # By the answers to them that the daemon has not taken yet.
        self._answered: Dict[RequestID, HandlerRequest] = {}
        self._has_registered = False
        # Until when another handler may be our own of before.
        self._grace_end: Optional[float] = None

    @property
    def list(self) -> str:
        return self._mirror.list

    @property
    def state(self) -> ListState:
        """The list as it was when the last request came, or newer: it has every item that the request names."""
        return self._mirror.state

    @property
    def revision(self) -> int:
        return self._mirror.revision

    async def _begin(self, connection: Connection) -> None:
        # Whoever asked over the connection before was told that it was lost.
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
        # Whoever asked waits for nothing any more.
        if reply.error is None or isinstance(reply.error, NoSuchRequest) or request is None or connection is None:
            return
        log.warning("an answer about the list %r was refused: %s", self.list, reply.error)
        # What was said could be no answer: it is too long, for example. A proposal was not applied; all else was done before.
        instead = (
            {"refusal": str(reply.error)} if request.kind == "propose"
            else {"failure": f"{reply.error}. It may have been done: look before you ask again"}
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
