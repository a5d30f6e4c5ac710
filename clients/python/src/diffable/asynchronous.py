"""The wire and the clock of `AsyncClient`, from asyncio."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Optional

from .forking import Inheritable
from .socket_path import TrustedSocket
from .wire import Wire


class AsyncWire(Inheritable):
    def __init__(
        self, socket: socket.socket, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout: Optional[float]
    ) -> None:
        super().__init__()
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._process = os.getpid()
        self._timeout = timeout
        self._reader = reader
        self._writer = writer
        # It continues without a waiting task: a cancelled task loses no data that has arrived.
        self._reading: Optional[asyncio.Task[bytes]] = None

    @property
    def is_inherited(self) -> bool:
        return self._process != os.getpid()

    async def send(self, data: bytes) -> None:
        if self.is_inherited or self._writer.is_closing():
            return
        try:
            self._writer.write(data)
            await asyncio.wait_for(self._writer.drain(), self._timeout)
        except (OSError, RuntimeError, asyncio.TimeoutError):
            self._writer.transport.abort()

    async def receive(self, timeout: Optional[float]) -> bytes:
        if self.is_inherited:
            return b""
        reading = self._reading
        if reading is None:
            reading = self._reading = asyncio.ensure_future(self._reader.read(1 << 18))
        await asyncio.wait({reading}, timeout=timeout)
        if not reading.done():
            raise TimeoutError
        self._reading = None
        try:
            return reading.result()
        except (OSError, asyncio.CancelledError):
            return b""

    def is_open(self) -> bool:
        # A loop that has ended, such as the loop of an earlier `asyncio.run`, can no longer serve a connection.
        if self.is_inherited or self._loop.is_closed():
            return False
        return not self._reader.at_eof() and not self._writer.is_closing() and self._reader.exception() is None

    def close(self) -> None:
        if self.is_inherited:
            return
        if self._loop.is_closed():
            self._socket.close()
        else:
            self._writer.close()

    def _leave_to_parent(self) -> None:
        # Not through the loop: it would change the parent's list of watched sockets.
        self._socket.close()


class AsyncNetwork:
    async def connect(self, to: TrustedSocket, timeout: Optional[float]) -> Wire:
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            end.setblocking(False)
            await asyncio.wait_for(asyncio.get_running_loop().sock_connect(end, to.path), timeout)
            to.check_server(end)
            reader, writer = await asyncio.open_unix_connection(sock=end)
        except asyncio.TimeoutError:
            end.close()
            raise TimeoutError from None
        except BaseException:
            end.close()
            raise
        return AsyncWire(end, reader, writer, timeout)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
