"""A minimal WebSocket client for tests: text messages, and no reading unless requested."""

from __future__ import annotations

import base64
import itertools
import json
import os
import socket
import struct
from typing import Any


class WebSocket:
    def __init__(self, port: int, token: str = "", *, path: str = "/socket", host: str | None = None,
                 origin: str | None = None) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), 60)
        self._ids = itertools.count(1)
        self._buffer = b""
        lines = [
            f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            *([f"Sec-WebSocket-Protocol: diffable.v1, diffable.token.{token}"] if token else []),
            *([f"Origin: {origin}"] if origin else [])]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        while b"\r\n\r\n" not in self._buffer:
            received = self.socket.recv(4096)
            if not received:
                raise ConnectionError(f"the server has closed: {self._buffer!r}")
            self._buffer += received
        head, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])
        if self.status != 101:
            raise ConnectionError(head.decode())

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, method: str, **params: Any) -> None:
        data = json.dumps({"id": next(self._ids), "method": method, "params": params}).encode()
        mask = os.urandom(4)
        size = struct.pack("!BH", 0xFE, len(data)) if len(data) > 125 else struct.pack("!B", 0x80 | len(data))
        self.socket.sendall(b"\x81" + size + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data)))

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            received = self.socket.recv(65_536)
            if not received:
                raise ConnectionError("the server has closed")
            self._buffer += received
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def receive(self) -> dict[str, Any]:
        """The next message, from all its fragments."""
        message = b""
        while True:
            first, length = self._take(2)
            if length == 126:
                (length,) = struct.unpack("!H", self._take(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self._take(8))
            data = self._take(length)
            if first & 0x0F == 8:
                raise ConnectionError(f"closed with {int.from_bytes(data[:2], 'big')}")
            if first & 0x0F < 3:
                message += data
                if first & 0x80:
                    return json.loads(message)

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request. Notifications before it are discarded."""
        self.send(method, **params)
        while "id" not in (message := self.receive()):
            pass
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def notification(self) -> dict[str, Any]:
        while "method" not in (message := self.receive()):
            pass
        return message

    def close(self) -> None:
        self.socket.close()
