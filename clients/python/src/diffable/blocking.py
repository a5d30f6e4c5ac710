"""The wire and the time of `Client`: what waits blocks its thread."""

from __future__ import annotations

import select
import socket
import threading
import time
from typing import Optional

from .wire import Wire


class BlockingWire:
    def __init__(self, path: str, timeout: Optional[float]) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # Several threads can send on one: a view is set, or a request answered, while another thread waits for the next line.
        self._sending = threading.Lock()
        self._timeout = timeout
        try:
            self._socket.settimeout(timeout)
            self._socket.connect(path)
            self._socket.settimeout(None)
        except BaseException:
            self._socket.close()
            raise

    async def send(self, data: bytes) -> None:
        rest = memoryview(data)
        with self._sending:
            try:
                while rest:
                    if not self._poll(select.POLLOUT, self._timeout):
                        # It takes nothing any more.
                        self._shut()
                        return
                    try:
                        rest = rest[self._socket.send(rest, socket.MSG_DONTWAIT):]
                    except BlockingIOError:
                        continue
            except (OSError, ValueError):
                self._shut()

    async def receive(self, timeout: Optional[float]) -> bytes:
        try:
            if not self._poll(select.POLLIN, timeout):
                raise TimeoutError
            return self._socket.recv(1 << 18)
        except TimeoutError:
            raise
        except (OSError, ValueError):
            # Another thread has closed it, or the daemon has reset it.
            return b""

    def is_open(self) -> bool:
        try:
            # Nobody has asked for anything: what has come is the end, or its reason.
            return not self._poll(select.POLLIN, 0)
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        # Wakes who waits in another thread.
        self._shut()
        self._socket.close()

    def __del__(self) -> None:
        # A loop over a list that was left is closed with it.
        self._socket.close()

    def _poll(self, event: int, timeout: Optional[float]) -> bool:
        """Not by the socket's own timeout, which would be that of other threads too."""
        poll = select.poll()
        poll.register(self._socket, event)
        return bool(poll.poll(None if timeout is None else timeout * 1000))

    def _shut(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class BlockingNetwork:
    async def connect(self, path: str, timeout: Optional[float]) -> Wire:
        return BlockingWire(path, timeout)

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
