"""The messages of one connection. No I/O."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Deque, Dict, Optional, Union

from .errors import DiffableError, Refused, Unintelligible
from .lines import decoded

RequestID = Union[int, str]


@dataclass(frozen=True)
class Reply:
    id: RequestID
    result: Dict[str, Any]
    error: Optional[Refused] = None

    def get(self) -> Dict[str, Any]:
        if self.error is not None:
            raise self.error
        return self.result


@dataclass(frozen=True)
class Notification:
    method: str
    params: Dict[str, Any]


Message = Union[Reply, Notification]


class Conversation:
    """Messages in the order of arrival. A reply can be taken before earlier messages."""

    def __init__(self) -> None:
        self._rest = bytearray()
        # The bytes before this index contain no newline.
        self._searched = 0
        self._messages: Deque[Message] = deque()
        # An error of the connection as a whole, or a message that was not understood: it is the last one.
        self._failure: Optional[DiffableError] = None

    @property
    def has_failed(self) -> bool:
        return self._failure is not None

    def receive(self, data: bytes) -> None:
        self._rest += data
        start = 0
        while (end := self._rest.find(b"\n", max(start, self._searched))) >= 0:
            line = self._rest[start:end]
            start = end + 1
            self._searched = start
            if self._failure is None and line.strip():
                try:
                    self._messages.append(_message(decoded(line)))
                except DiffableError as error:
                    self._failure = error
        del self._rest[:start]
        self._searched = len(self._rest)

    def take(self) -> Optional[Message]:
        """The next message; None until more data arrives."""
        if self._messages:
            return self._messages.popleft()
        if self._failure is not None:
            raise self._failure
        return None

    def take_reply(self, id: RequestID) -> Optional[Reply]:
        """Takes the reply to that request before all other messages."""
        for index, message in enumerate(self._messages):
            if isinstance(message, Reply) and message.id == id:
                del self._messages[index]
                return message
        if self._failure is not None:
            raise self._failure
        return None


def _message(message: Dict[str, Any]) -> Message:
    method = message.get("method")
    if isinstance(method, str):
        params = message.get("params")
        return Notification(method, params if isinstance(params, dict) else {})
    if "id" not in message or ("result" not in message and "error" not in message):
        raise Unintelligible("a message that is neither a reply nor a notification")
    id = message["id"]
    error = Refused.from_error(message["error"]) if "error" in message else None
    if id is None:
        # It is unknown which request failed: the daemon no longer serves this user, or could not read a line.
        raise error or Unintelligible("a reply to no request")
    return Reply(id, message.get("result") or {}, error)
