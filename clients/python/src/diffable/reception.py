"""Something that is received over a connection of its own, and over the next one when that is lost."""

from __future__ import annotations

import time
from collections import deque
from typing import Deque, Generic, Optional, TypeVar

from .backoff import LONGEST, pause
from .connection import Connection
from .connections import Connections, log
from .conversation import Message
from .errors import DiffableError

T = TypeVar("T")


class Reception(Generic[T]):
    """`next` is what `for` and `async for` ask. What is not asked for is not read: the daemon then skips what lies between, and
    sends one difference in the end."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._connection: Optional[Connection] = None
        self._received: Deque[T] = deque()
        # In a row, and since when it goes well.
        self._failures = 0
        self._began = float("inf")
        self._has_warned = False
        self._is_closed = False
        # The list's own end.
        self._has_ended = False
        # A message was taken in part when the process was interrupted, or forked by another thread.
        self._is_taking = False

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    async def next(self) -> Optional[T]:
        """None at the end."""
        while not self._received:
            if self._is_closed or self._has_ended:
                await self.close()
                return None
            if self._connection is not None and self._connection.is_inherited:
                self._abandon_connection()
            try:
                if self._connection is None:
                    await self._begin_again()
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
                # Something may be lost that had come. Who asks again goes on over another connection.
                self._abandon_connection()
                raise
        return self._received.popleft()

    async def close(self) -> None:
        """Ends it. From another thread or task too."""
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
        # A daemon that ends whenever it is talked to is left in peace too.
        if time.monotonic() - self._began > LONGEST:
            self._failures = 0
            self._began = float("inf")
        self._failures += 1
        if not self._has_warned:
            self._has_warned = True
            log.warning("%s. Trying again until it is there", error)

    def _abandon_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _is_healed(self, error: DiffableError) -> bool:
        """Whether the next connection may do better."""
        return error.is_healed_by_reconnecting

    def _forget(self) -> None:
        """What was received may be half of something: the next connection begins anew."""

    def _leave_to_parent(self) -> None:
        """Locks that another thread of the parent may have held. Called in a child process."""

    async def _begin(self, connection: Connection) -> None:
        """Asks for what is to come. Everything after is told to `_take`."""
        raise NotImplementedError

    async def _take(self, message: Message) -> None:
        """Puts what the message brings into `_received`, or notes the end."""
        raise NotImplementedError
