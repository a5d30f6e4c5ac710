"""What the client needs of the outside: a wire to the daemon, and time.

There are two of each: one that blocks and one of asyncio. The code that uses them is `async` in form. In `Client`, a coroutine
that has to wait yields a `Wait`, and `blocking.Work` waits for it.
"""

from __future__ import annotations

from typing import Optional, Protocol


class Wire(Protocol):
    @property
    def is_inherited(self) -> bool:
        """Whether this process got it by a fork: it belongs to the parent then."""

    async def send(self, data: bytes) -> None:
        """Sends all of it. A wire that is broken shows when one receives, after what still came."""

    async def receive(self, timeout: Optional[float]) -> bytes:
        """What has come, at least a byte; nothing at the end. Raises `TimeoutError`."""

    def is_open(self) -> bool:
        """Whether nothing speaks against it: nobody has closed it."""

    def close(self) -> None: ...


class Network(Protocol):
    async def connect(self, path: str, timeout: Optional[float]) -> Wire:
        """Raises `OSError`."""

    async def sleep(self, seconds: float) -> None: ...
