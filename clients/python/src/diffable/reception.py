"""Messages that are received over a separate connection, and over the next one after it is lost."""

from __future__ import annotations

import time
from collections import deque
from typing import Deque, Generic, Optional, TypeVar

from .backoff import LONGEST, pause
from .connection import Connection
from .connections import Connections, log
from .conversation import Message
from .errors import DiffableError, retried

T = TypeVar("T")


class Reception(Generic[T]):
    """`next` serves `for` and `async for`. Nothing is read until it is called: the daemon then skips intermediate states, and
    sends one diff at the end."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._connection: Optional[Connection] = None
        self._received: Deque[T] = deque()
        # Consecutive failures, and the time since when the connection works.
        self._failures = 0
        self._began = float("inf")
        self._has_warned = False
        self._is_closed = False
        # Whether the list has ended.
        self._has_ended = False
        # Whether a message was only partly handled when the process was interrupted, or forked by another thread.
        self._is_taking = False

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    async def next(self) -> Optional[T]:
        """The next message; None at the end."""
        while not self._received:
            if self._is_closed or self._has_ended:
                await self.close()
                return None
            if self._connection is not None and self._connection.is_inherited:
                self._abandon_connection()
            try:
                if self._connection is None:
                    await self._begin_again()
                    if self._received:
                        break
                if (connection := self._connection) is not None:
                    message = await connection.next_message()
                    self._is_taking = True
                    await self._take(message)
                    self._is_taking = False
            except DiffableError as error:
                self._is_taking = False
                self._abandon_connection()
                if self._is_closed:
                    continue
                if not self._is_healed(error):
                    self._is_closed = True
                    raise
                self._note_failure(error)
            except (KeyboardInterrupt, SystemExit):
                # Received data may be lost. The next call continues over another connection.
                self._abandon_connection()
                raise
        return self._received.popleft()

    async def close(self) -> None:
        """Ends the reception. Any thread or task may call it."""
        self._is_closed = True
        self._abandon_connection()

    async def _begin_again(self) -> None:
        if self._failures > 0:
            await self._connections.network.sleep(pause(self._failures))
        connection = self._connection = await self._connections.open()
        if self._is_taking:
            self._is_taking = False
            self._forget()
        try:
            await self._begin(connection)
        except BaseException:
            self._abandon_connection()
            raise
        self._began = time.monotonic()
        if self._has_warned:
            self._has_warned = False
            log.warning("connected again")

    def _note_failure(self, error: DiffableError) -> None:
        # A daemon that ends after each request is not contacted in a tight loop either.
        if time.monotonic() - self._began > LONGEST:
            self._failures = 0
            self._began = float("inf")
        self._failures += 1
        if not self._has_warned:
            self._has_warned = True
            log.warning("%s. Trying again until there is a connection", retried(error))

    def _abandon_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _is_healed(self, error: DiffableError) -> bool:
        """Whether the next connection may work."""
        return error.is_healed_by_reconnecting

    def _forget(self) -> None:
        """Discards state that may be incomplete: the next connection begins from nothing."""

    def _leave_to_parent(self) -> None:
        """Replaces locks that another thread of the parent may have held. Called in a child process."""

    async def _begin(self, connection: Connection) -> None:
        """Sends the first request. All later messages are passed to `_take`."""
        raise NotImplementedError

    async def _take(self, message: Message) -> None:
        """Appends the message's results to `_received`, or records the end."""
        raise NotImplementedError
