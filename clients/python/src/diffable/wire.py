"""The client's interface to its environment: a wire to the daemon, and a clock.

There are two of each: a blocking one and one for asyncio. The code that uses them is `async` in form. In `Client`, a coroutine
that has to wait yields a `Wait`, and `blocking.Work` waits for it.
"""

from __future__ import annotations

from typing import Optional, Protocol

from .socket_path import TrustedSocket


class Wire(Protocol):
    @property
    def is_inherited(self) -> bool:
        """Whether this process inherited it by a fork, so that it belongs to the parent."""

    async def send(self, data: bytes) -> None:
        """Sends all of it. A broken wire is reported by `receive`, after the data that still arrived."""

    async def receive(self, timeout: Optional[float]) -> bytes:
        """The available data, at least a byte; empty at the end. Raises `TimeoutError`."""

    def is_open(self) -> bool:
        """Whether it seems usable: it was not closed."""

    def close(self) -> None: ...


class Network(Protocol):
    async def connect(self, to: TrustedSocket, timeout: Optional[float]) -> Wire:
        """Raises `OSError`, or `UntrustedSocket` if an untrusted user listens there."""

    async def sleep(self, seconds: float) -> None: ...
