"""The connections of a client: those in use, and a few idle ones for the next requests."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import deque
from typing import Awaitable, Callable, Deque, Optional, TypeVar

from . import socket_path
from .backoff import pause
from .connection import Connection
from .errors import DiffableError, Refused, StorageFailed, retried
from .wire import Network

T = TypeVar("T")

log = logging.getLogger("diffable")

#: The number of idle connections that are kept.
_IDLE_MAX = 2


def _program_name() -> Optional[str]:
    """The program's name, cut to the shortest limit of names; None if Python was given no file."""
    name = os.path.basename(sys.argv[0] if sys.argv else "")
    printable = "".join(character for character in name if character.isprintable())
    return None if printable in ("", "-c", "-m") else printable.encode()[:64].decode(errors="ignore")


class Connections:
    """Each thread or task that sends a request has its own connection, so it never waits for another's reply."""

    def __init__(
        self, network: Network, socket: Optional[str], name: Optional[str], reply_timeout: Optional[float]
    ) -> None:
        self.network = network
        self._socket = socket
        self._name = name or _program_name()
        self._reply_timeout = reply_timeout
        self._idle: Deque[Connection] = deque()
        self._is_closed = False

    async def open(self) -> Connection:
        """Opens a new connection, which the caller owns."""
        if self._is_closed:
            raise RuntimeError("the client is closed: make another one")
        path = socket_path.find(self._socket)
        return await Connection.open(self.network, path, self._name, self._reply_timeout)

    async def open_within(self, patience: float) -> Connection:
        """Does the same, and retries for this many seconds while there is no daemon."""
        deadline = time.monotonic() + patience
        failures = 0
        while True:
            try:
                return await self.open()
            except DiffableError as error:
                if not error.is_healed_by_reconnecting or time.monotonic() >= deadline:
                    raise
                if failures == 0:
                    log.warning("%s. Trying again for up to %g s", retried(error), patience)
            failures += 1
            await self.network.sleep(min(pause(failures), max(deadline - time.monotonic(), 0.0)))

    async def use(self, patience: float, work: Callable[[Connection], Awaitable[T]], again: bool) -> T:
        """Runs `work` over a connection, as soon as there is one.

        - patience: the seconds for which it is tried.
        - again: whether the work may be done twice: it only reads, or has a request key. Any other work is done once.
        """
        deadline = time.monotonic() + patience
        failures = 0
        # The error that left open whether a change was made. A later lack of connections does not settle that.
        open_end: Optional[DiffableError] = None
        while True:
            error: DiffableError
            try:
                connection = self._take_idle() or await self.open()
            except DiffableError as lack:
                if not lack.is_healed_by_reconnecting or time.monotonic() >= deadline:
                    raise open_end or lack from None
                error = lack
            else:
                try:
                    return await self._finish(connection, work)
                except DiffableError as failure:
                    settles = failure.is_healed_by_reconnecting or isinstance(failure, StorageFailed)
                    if not again or not settles or time.monotonic() >= deadline:
                        raise
                    error = failure
                    if failure.leaves_outcome_open:
                        open_end = failure
            if failures == 0:
                log.warning("%s. Trying again for up to %g s", retried(error), patience)
            failures += 1
            await self.network.sleep(min(pause(failures), max(deadline - time.monotonic(), 0.0)))

    async def _finish(self, connection: Connection, work: Callable[[Connection], Awaitable[T]]) -> T:
        try:
            result = await work(connection)
        except Refused as error:
            # After a readable reply, the connection is still good.
            if error.is_healed_by_reconnecting:
                connection.close()
            self._keep(connection)
            raise
        except BaseException:
            # Its reply may still arrive.
            connection.close()
            raise
        self._keep(connection)
        return result

    def _take_idle(self) -> Optional[Connection]:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.is_open():
                return connection
            connection.close()

    def _keep(self, connection: Connection) -> None:
        if self._is_closed or len(self._idle) >= _IDLE_MAX or not connection.is_open():
            connection.close()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        self._is_closed = True
        while (connection := self._take_idle()) is not None:
            connection.close()

