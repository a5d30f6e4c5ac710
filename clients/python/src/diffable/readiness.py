"""A file descriptor that wakes an event loop when a loop over updates has something to do."""

from __future__ import annotations

import ctypes
import os
import select
import time
from typing import Optional

from .blocking import Wait


class _Time(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class _TimerSetting(ctypes.Structure):
    _fields_ = [("interval", _Time), ("value", _Time)]


#: Python has these since 3.13.
_libc = ctypes.CDLL(None, use_errno=True)


class _Timer:
    """Readable from a time on, until another one is set."""

    def __init__(self) -> None:
        self.fd: int = _libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def set(self, deadline: Optional[float]) -> None:
        """A time of `time.monotonic`; None: never."""
        # Zero would disarm the timer.
        nanoseconds = 0 if deadline is None else max(int((deadline - time.monotonic()) * 1e9), 1)
        setting = _TimerSetting(_Time(0, 0), _Time(*divmod(nanoseconds, 1_000_000_000)))
        _libc.timerfd_settime(self.fd, 0, ctypes.byref(setting), None)

    def __del__(self) -> None:
        os.close(self.fd)


class Readiness:
    """Readable when a `Wait` may be over."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._timer = _Timer()
        self._epoll.register(self._timer.fd, select.EPOLLIN)
        self._watched = -1
        self.fire()

    def fileno(self) -> int:
        return self._epoll.fileno()

    def fire(self) -> None:
        """Makes it readable at once."""
        self._timer.set(0)

    def watch(self, wait: Wait) -> None:
        self._timer.set(wait.deadline)
        if wait.socket is None:
            return
        try:
            self._epoll.register(wait.socket, wait.event)
            self._watched = wait.socket.fileno()
        except (OSError, ValueError):
            # Another thread has closed it.
            self.fire()

    def rest(self) -> None:
        """Watches no socket any more, as the work continues and may close it."""
        watched, self._watched = self._watched, -1
        if watched >= 0:
            try:
                self._epoll.unregister(watched)
            except OSError:
                pass
