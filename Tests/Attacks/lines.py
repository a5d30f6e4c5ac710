"""Connections to the daemon, and floods of lines."""

import json
import selectors
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from users import PATIENCE, Failure


def line(method: str, **params: Any) -> bytes:
    """A request with an id. Write `from_` for the parameter `from`."""
    return encoded({"id": 1, "method": method, "params": {name.rstrip("_"): value for name, value in params.items()}})


def encoded(message: Any) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


class Client:
    """A connection that waits for each reply."""

    def __init__(self, path: str, patience: float = PATIENCE, connection: socket.socket | None = None) -> None:
        self.socket = connection or socket.socket(socket.AF_UNIX)
        if not connection:
            # Blocks while the socket's backlog is full.
            self.socket.connect(path)
        self.socket.settimeout(patience)
        self._part = bytearray()
        # The length of the prefix without a newline.
        self._searched = 0

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> bytes:
        """The next line, without its newline; empty if the connection has ended."""
        while (end := self._part.find(b"\n", self._searched)) < 0:
            self._searched = len(self._part)
            more = self.socket.recv(1 << 20)
            if not more:
                return b""
            self._part += more
        line = bytes(self._part[:end])
        del self._part[:end + 1]
        self._searched = 0
        return line

    def reply(self, request: bytes) -> Any:
        """The reply to a request. Skips notifications."""
        self.send(request)
        while True:
            line = self.receive()
            if not line:
                raise Failure("the daemon has closed the connection")
            message = json.loads(line)
            if "method" not in message:
                return message

    def result(self, request: bytes) -> Any:
        reply = self.reply(request)
        if "result" not in reply:
            raise Failure(f"{request[:200]!r} is refused: {json.dumps(reply)[:400]}")
        return reply["result"]

    def error(self, request: bytes) -> str | None:
        """The name of the error, or None."""
        error = self.reply(request).get("error")
        return str(error["data"]["name"]) if error else None

    def close(self) -> None:
        self.socket.close()


def items(count: int, length: int = 60, letter: str = "i") -> list[dict[str, Any]]:
    """Items whose texts differ."""
    return [{"id": f"{letter}{number}", "content": {"text": f"item {number} ".ljust(length, "x"), "n": number * 7919 % 10007}}
            for number in range(count)]


def fill(client: Client, name: str, count: int, length: int = 60, **members: Any) -> None:
    """Creates a list with items, in lines below `lineLengthMax`."""
    client.result(line("createList", list=name, **members))
    client.result(line("transact", list=name, operations=[{"op": "appendSections", "sections": [{"id": "all"}]}]))
    all_items = items(count, length)
    step = max(1, 500_000 // (length + 60))
    for begin in range(0, count, step):
        chunk = all_items[begin:begin + step]
        client.result(line("transact", list=name, operations=[{"op": "appendItems", "section": "all", "items": chunk}]))


@dataclass
class Flood:
    """Sends lines on many connections without end, as fast as the daemon reads them."""

    path: str
    connections: int
    # The lines that each connection repeats.
    payload: Callable[[int], bytes]
    # The lines that each connection sends once, before the others.
    first: Callable[[int], bytes] = lambda number: b""
    does_read: bool = True
    sent: int = 0
    received: int = 0
    _buffers: dict[socket.socket, tuple[memoryview, memoryview, int]] = field(default_factory=dict)

    def run(self, say: Callable[[Any], None], seconds: float = 3600) -> None:
        """Tells the number of connections, and then twice a second the bytes sent and received."""
        selector = selectors.DefaultSelector()
        events_of_all = selectors.EVENT_WRITE | (selectors.EVENT_READ if self.does_read else 0)
        refused = 0
        for number in range(self.connections):
            opened = socket.socket(socket.AF_UNIX)
            try:
                opened.connect(self.path)
            except OSError:
                refused += 1
                continue
            opened.setblocking(False)
            self._buffers[opened] = (memoryview(self.first(number)), memoryview(self.payload(number)), 0)
            selector.register(opened, events_of_all, opened)
        say({"connections": self.connections - refused})
        end, next_word = time.monotonic() + seconds, time.monotonic() + 0.5
        scratch = bytearray(1 << 20)
        while self._buffers and (now := time.monotonic()) < end:
            if now > next_word:
                say({"sent": self.sent, "received": self.received})
                next_word = now + 0.5
            for key, events in selector.select(0.5):
                connection: socket.socket = key.data
                try:
                    if events & selectors.EVENT_READ:
                        count = connection.recv_into(scratch)
                        if not count:
                            raise ConnectionResetError
                        self.received += count
                    if events & selectors.EVENT_WRITE:
                        self._send(connection)
                except BlockingIOError:
                    continue
                except OSError:
                    selector.unregister(connection)
                    del self._buffers[connection]
                    connection.close()
        # If the daemon has closed all connections, the child waits, because its parent will stop it.
        while time.monotonic() < end:
            say({"sent": self.sent, "received": self.received})
            time.sleep(0.5)

    def _send(self, connection: socket.socket) -> None:
        first, payload, offset = self._buffers[connection]
        current = first or payload
        if not current:
            return
        count = connection.send(current[offset:offset + (1 << 18)])
        self.sent += count
        offset += count
        if offset == len(current):
            first, offset = memoryview(b""), 0
        self._buffers[connection] = (first, payload, offset)


def repeated(lines: Iterable[bytes], length: int = 1 << 16) -> bytes:
    """Repeats lines until they have at least this length."""
    once = b"".join(lines)
    return once * max(1, -(-length // len(once)))
