"""What the client needs of the outside: a wire to the daemon, and time.

There are two of each: one that blocks and one of asyncio. What is written for them is `async` in form. On the one that blocks
it never waits for an event loop, so `finished` runs it to its end at once.
"""

from __future__ import annotations

from typing import Any, Coroutine, Optional, Protocol, TypeVar

T = TypeVar("T")


class Wire(Protocol):
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


def finished(work: Coroutine[Any, Any, T]) -> T:
    """The result of what never waits for an event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise RuntimeError("this waits for an event loop, and there is none")
