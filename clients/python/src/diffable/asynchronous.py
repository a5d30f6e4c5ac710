"""The wire and the time of `AsyncClient`: asyncio's."""

from __future__ import annotations

import asyncio
from typing import Optional

from .wire import Wire


class AsyncWire:
    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout: Optional[float]
    ) -> None:
        self._timeout = timeout
        self._reader = reader
        self._writer = writer
        # Under way also while nobody waits for it: who is cancelled while waiting loses nothing that has come.
        self._reading: Optional[asyncio.Task[bytes]] = None

    async def send(self, data: bytes) -> None:
        if self._writer.is_closing():
            return
        try:
            self._writer.write(data)
            await asyncio.wait_for(self._writer.drain(), self._timeout)
        except (OSError, RuntimeError, asyncio.TimeoutError):
            self._writer.transport.abort()

    async def receive(self, timeout: Optional[float]) -> bytes:
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
        return not self._reader.at_eof() and not self._writer.is_closing() and self._reader.exception() is None

    def close(self) -> None:
        self._writer.close()


class AsyncNetwork:
    async def connect(self, path: str, timeout: Optional[float]) -> Wire:
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_unix_connection(path), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError from None
        return AsyncWire(reader, writer, timeout)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
