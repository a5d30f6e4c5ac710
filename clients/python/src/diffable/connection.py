"""A connection to a daemon: requests, their replies, and notifications."""

from __future__ import annotations

import itertools
from typing import Any, Dict, List, Mapping, Optional

from .conversation import Conversation, Message, Reply, RequestID
from .errors import ConnectionLost, NoDaemon, NoReply, SocketNotPermitted
from .lines import encoded
from .socket_path import TrustedSocket
from .wire import Network, Wire

# Unique in this process, so a line can be sent again over another connection unchanged.
_ids = itertools.count(1)


def request_line(method: str, params: Mapping[str, Any], id: Optional[RequestID]) -> bytes:
    request: Dict[str, Any] = {"jsonrpc": "2.0"}
    if id is not None:
        request["id"] = id
    request["method"] = method
    given = {name: value for name, value in params.items() if value is not None}
    if given:
        request["params"] = given
    return encoded(request) + b"\n"


def new_id() -> RequestID:
    return next(_ids)


class Connection:
    """One task or thread receives; any may send."""

    def __init__(self, wire: Wire, path: str, reply_timeout: Optional[float]) -> None:
        self._wire = wire
        self.path = path
        self._reply_timeout = reply_timeout
        self._conversation = Conversation()
        #: The daemon's limits, by the names of its settings.
        self.limits: Dict[str, int] = {}

    @staticmethod
    async def open(network: Network, path: str, name: Optional[str], reply_timeout: Optional[float]) -> Connection:
        try:
            wire = await network.connect(TrustedSocket(path), reply_timeout)
        except PermissionError:
            raise SocketNotPermitted(path) from None
        except OSError as error:
            raise NoDaemon.without_listener(path, error.strerror or str(error) or "no answer") from None
        connection = Connection(wire, path, reply_timeout)
        try:
            hello = await connection.ask("hello", {"name": name})
        except BaseException:
            connection.close()
            raise
        connection.limits = dict(hello.get("limits") or {})
        return connection

    async def ask(self, method: str, params: Mapping[str, Any]) -> Dict[str, Any]:
        id = new_id()
        return await self.reply([request_line(method, params, id)], id)

    async def reply(self, lines: List[bytes], id: RequestID) -> Dict[str, Any]:
        """The result of a request in one or more lines. Other messages that arrive are kept."""
        for line in lines:
            await self._wire.send(line)
        while True:
            reply = self._conversation.take_reply(id)
            if reply is not None:
                return reply.get()
            await self._receive_more()

    async def send(self, method: str, params: Mapping[str, Any], id: Optional[RequestID] = None) -> RequestID:
        """Sends a request whose reply is returned by `next_message`."""
        id = new_id() if id is None else id
        await self._wire.send(request_line(method, params, id))
        return id

    async def next_message(self) -> Message:
        while True:
            message = self._conversation.take()
            if message is not None and not (isinstance(message, Reply) and message.id == _STILL_THERE):
                return message
            if message is None:
                await self._receive_more()

    @property
    def is_inherited(self) -> bool:
        """Whether it belongs to the process that this one was forked from."""
        return self._wire.is_inherited

    def is_open(self) -> bool:
        return not self._conversation.has_failed and self._wire.is_open()

    def close(self) -> None:
        self._wire.close()

    async def _receive_more(self) -> None:
        """Receives data. A daemon that hangs sends nothing, and neither does a list without changes. So after half of the
        timeout without data, the daemon is asked whether it is alive."""
        timeout = self._reply_timeout
        try:
            data = await self._wire.receive(None if timeout is None else timeout / 2)
        except TimeoutError:
            assert timeout is not None
            await self._wire.send(request_line("ping", {}, _STILL_THERE))
            try:
                data = await self._wire.receive(timeout / 2)
            except TimeoutError:
                raise NoReply(self.path, timeout) from None
        if not data:
            raise ConnectionLost(self.path)
        self._conversation.receive(data)


_STILL_THERE = "still there?"
