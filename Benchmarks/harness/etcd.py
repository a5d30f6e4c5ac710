"""Calls etcd with many requests in flight over one connection, to compare with etcd itself. Implements only the necessary parts of
HTTP/2 and gRPC, so that nothing has to be installed and the client costs little compared with the server.

    connection = Connection("10.77.0.1")
    seconds = connection.put_all(puts, in_flight=256)
"""

import contextlib
import socket
import struct
import time

PORT = 2379
DATA, HEADERS, RESET, SETTINGS, PING, GONE, WINDOW = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACKNOWLEDGED = 1, 4, 1
FRAME_HEAD, MESSAGE_HEAD = 9, 5
# What we may be sent before we say more.
ROOM = (1 << 31) - 1
FIRST_ROOM = 65_535


class Connection:
    def __init__(self, address):
        self._socket = socket.create_connection((address, PORT), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream, self._room, self._received = -1, FIRST_ROOM, b""
        self._heads = {}
        self._socket.sendall(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(SETTINGS, 0, 0, struct.pack(">HI", 4, ROOM))
            + _frame(WINDOW, 0, 0, struct.pack(">I", ROOM - FIRST_ROOM)))

    def close(self):
        self._socket.close()

    def _call(self, method, message, flags):
        """The bytes of a call, and its stream."""
        if method not in self._heads:
            self._heads[method] = _header_block(method)
        self._stream += 2
        return (_frame(HEADERS, END_HEADERS, self._stream, self._heads[method])
                + _frame(DATA, flags, self._stream, b"\0" + struct.pack(">I", len(message)) + message))

    def _frames(self):
        """Yields the received frames, after reading once. Handles frames that concern the whole connection."""
        self._received += self._socket.recv(1 << 18)
        at, view, answers = 0, self._received, []
        while len(view) - at >= FRAME_HEAD:
            length = int.from_bytes(view[at:at + 3], "big")
            end = at + FRAME_HEAD + length
            if len(view) < end:
                break
            kind, flags, stream = view[at + 3], view[at + 4], int.from_bytes(view[at + 5:at + 9], "big")
            body = view[at + FRAME_HEAD:end]
            at = end
            if kind in (DATA, HEADERS):
                yield kind, flags, stream, body
            elif kind == WINDOW and stream == 0:
                self._room += int.from_bytes(body, "big")
            elif kind == PING and not flags & ACKNOWLEDGED:
                answers.append(_frame(PING, ACKNOWLEDGED, 0, body))
            elif kind == SETTINGS and not flags & ACKNOWLEDGED:
                answers.append(_frame(SETTINGS, ACKNOWLEDGED, 0, b""))
            elif kind in (RESET, GONE):
                raise RuntimeError(f"etcd ended the {'stream' if kind == RESET else 'connection'}: {body[:200]}")
        self._received = view[at:]
        if answers:
            self._socket.sendall(b"".join(answers))

    def put_all(self, puts, in_flight, seconds):
        """Puts one after the other for this time, with `in_flight` unanswered; returns their number and the time taken."""
        method = "/etcdserverpb.KV/Put"
        begin = time.perf_counter()
        sent = answered = done = 0
        while True:
            lines = []
            is_time = time.perf_counter() - begin < seconds
            while is_time and sent - done < in_flight and self._room > 1_000:
                message = puts[sent % len(puts)]
                lines.append(self._call(method, message, END_STREAM))
                self._room -= len(message) + MESSAGE_HEAD
                sent += 1
            if lines:
                self._socket.sendall(b"".join(lines))
            if sent == done:
                break
            for kind, flags, _, body in self._frames():
                answered += kind == DATA and len(body) > 0
                done += bool(flags & END_STREAM)
        if answered != done:
            raise RuntimeError(f"etcd refused {done - answered} of {done} puts")
        return done, time.perf_counter() - begin

    def put(self, message):
        self._socket.sendall(self._call("/etcdserverpb.KV/Put", message, END_STREAM))
        self._room -= len(message) + MESSAGE_HEAD
        while not any(flags & END_STREAM for _, flags, _, _ in list(self._frames())):
            pass

    def watch(self, prefix):
        """Watches a prefix from now on (`await_event`)."""
        create = _member(1, prefix) + _member(2, prefix[:-1] + bytes([prefix[-1] + 1]))
        self._socket.sendall(self._call("/etcdserverpb.Watch/Watch", _member(1, create), 0))
        self.await_event()

    def await_event(self):
        """Waits for the next message of the watch; returns its time."""
        while not any(kind == DATA for kind, _, _, _ in list(self._frames())):
            pass
        return time.perf_counter()


def put(key, value):
    """Returns a message that `put_all` sends."""
    return _member(1, key) + _member(2, value)


def _member(number, value):
    """Returns a member of a protobuf message that has bytes as its value."""
    return bytes([number << 3 | 2]) + _length(len(value)) + value


def _length(number):
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def _header_block(method):
    """HPACK without a table of our own: fields that HTTP/2 numbers, and literals."""
    def literal(text):
        return bytes([len(text)]) + text.encode()

    return (b"\x83\x86" + b"\x04" + literal(method) + b"\x01" + literal("etcd") + b"\x0f\x10" + literal("application/grpc")
            + b"\x00" + literal("te") + literal("trailers"))


def _frame(kind, flags, stream, body):
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body


@contextlib.contextmanager
def connected(address):
    connection = Connection(address)
    try:
        yield connection
    finally:
        connection.close()
