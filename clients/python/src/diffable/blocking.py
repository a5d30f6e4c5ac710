"""The wire and the clock of `Client`, and the way its coroutines wait."""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections import deque
from typing import Any, Coroutine, Deque, Generator, Generic, Optional, TypeVar

from .forking import Inheritable
from .socket_path import TrustedSocket
from .wire import Wire

T = TypeVar("T")


class Wait:
    """Suspends a coroutine until a socket is ready or a time has passed. `await` returns whether the socket is ready."""

    def __init__(self, socket: Optional[socket.socket], event: int, timeout: Optional[float]) -> None:
        self.socket = socket
        self.event = event
        self.deadline = None if timeout is None else time.monotonic() + timeout

    def __await__(self) -> Generator[Wait, bool, bool]:
        is_ready = yield self
        return is_ready

    def outcome(self, until: Optional[float]) -> Optional[bool]:
        """The result of `await`; None if the wait continues after `until`."""
        ends = [end for end in (self.deadline, until) if end is not None]
        poll = select.poll()
        try:
            if self.socket is not None:
                poll.register(self.socket, self.event)
            if poll.poll(max(min(ends) - time.monotonic(), 0) * 1000 if ends else None):
                return True
        except (OSError, ValueError):
            # Another thread has closed it, which the next call on it reports.
            return True
        return False if self.deadline is not None and (until is None or self.deadline <= until) else None


class StillWaiting(Exception):
    """The caller's timeout has passed, and the work can continue later."""


class Work(Generic[T]):
    """A coroutine that waits only for `Wait`s, and can be suspended in one."""

    def __init__(self, coroutine: Coroutine[Any, bool, T]) -> None:
        self._coroutine = coroutine
        #: The wait that it is suspended in; None before it begins.
        self.wait: Optional[Wait] = None

    @property
    def has_ended(self) -> bool:
        return getattr(self._coroutine, "cr_frame", None) is None

    def finish(self, until: Optional[float] = None) -> T:
        """The result. Raises `StillWaiting` at `until`; a later call continues from there."""
        is_ready: Any = None
        while True:
            if self.wait is not None:
                is_ready = self.wait.outcome(until)
                if is_ready is None:
                    raise StillWaiting
            try:
                self.wait = self._coroutine.send(is_ready)
            except StopIteration as end:
                result: T = end.value
                return result

    def close(self) -> None:
        self._coroutine.close()


def finished(coroutine: Coroutine[Any, Any, T]) -> T:
    work = Work(coroutine)
    try:
        return work.finish()
    finally:
        work.close()


class BlockingWire(Inheritable):
    def __init__(self, timeout: Optional[float]) -> None:
        super().__init__()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        self._process = os.getpid()
        self._timeout = timeout
        # Several threads can send over one wire: a thread sets a view or responds to a request, while another waits for the
        # next line.
        self._sending = threading.Lock()
        self._unsent: Deque[memoryview] = deque()

    async def connect(self, to: TrustedSocket) -> None:
        """Raises `OSError`, or `UntrustedSocket` if an untrusted user listens there."""
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        while True:
            try:
                self._socket.connect(to.path)
                return to.check_server(self._socket)
            except BlockingIOError:
                # The daemon's queue is full, and no event announces free space in it.
                if deadline is not None and time.monotonic() >= deadline:
                    raise
                await Wait(None, 0, 0.01)

    @property
    def is_inherited(self) -> bool:
        return self._process != os.getpid()

    async def send(self, data: bytes) -> None:
        if self.is_inherited:
            return
        with self._sending:
            self._unsent.append(memoryview(data))
        try:
            while not self._has_sent_all():
                if not await Wait(self._socket, select.POLLOUT, self._timeout):
                    # The daemon no longer reads.
                    self._shut()
                    return
        except (OSError, ValueError):
            self._shut()

    def _has_sent_all(self) -> bool:
        # The lock is held while nothing waits, so that the lines of two threads are not mixed.
        with self._sending:
            while self._unsent:
                try:
                    sent = self._socket.send(self._unsent[0])
                except BlockingIOError:
                    return False
                if sent < len(self._unsent[0]):
                    self._unsent[0] = self._unsent[0][sent:]
                else:
                    self._unsent.popleft()
            return True

    async def receive(self, timeout: Optional[float]) -> bytes:
        try:
            while not self.is_inherited:
                if not await Wait(self._socket, select.POLLIN, timeout):
                    raise TimeoutError
                try:
                    return self._socket.recv(1 << 18)
                except BlockingIOError:
                    continue
        except TimeoutError:
            raise
        except (OSError, ValueError):
            # Another thread has closed it, or the daemon has reset it.
            pass
        return b""

    def is_open(self) -> bool:
        # No reply is due, so anything to read is the end or its reason. A closed socket counts as ready.
        return not self.is_inherited and not Wait(self._socket, select.POLLIN, 0).outcome(None)

    def close(self) -> None:
        # Wakes a thread that waits for data.
        self._shut()
        self._socket.close()

    def __del__(self) -> None:
        # A loop over a list closes it when the loop is left.
        self._socket.close()

    def _leave_to_parent(self) -> None:
        # The parent's end stays open, and the daemon sees the end when the parent closes it.
        self._socket.close()

    def _shut(self) -> None:
        if self.is_inherited:
            return
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class BlockingNetwork:
    async def connect(self, to: TrustedSocket, timeout: Optional[float]) -> Wire:
        wire = BlockingWire(timeout)
        try:
            await wire.connect(to)
        except BaseException:
            wire.close()
            raise
        return wire

    async def sleep(self, seconds: float) -> None:
        await Wait(None, 0, seconds)
