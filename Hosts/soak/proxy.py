"""A proxy between diffabled-etcd and etcd: changes the member's answers, and passes requests on unchanged.

It parses only the necessary parts of HTTP/2: frames, and gRPC's messages in frames with data from the member. `WatchFaults` or
`LostSwaps` decides the fate of each message.
"""

import random
import socket
import struct
import threading

DATA, END_STREAM, PADDED = 0, 1, 8
FRAME_HEAD, MESSAGE_HEAD, FRAME_MAX = 9, 5, 16_384
FIRST_PORT = 2401
OWN_ADDRESS = "10.77.0.100"


class Proxy:
    """A port for each member, in the namespace that this process is in."""

    def __init__(self, members, faults):
        self.faults = faults
        self.endpoints = ",".join(f"http://{OWN_ADDRESS}:{FIRST_PORT + index}" for index in range(len(members)))
        for index, member in enumerate(members):
            listener = socket.create_server((OWN_ADDRESS, FIRST_PORT + index), reuse_port=True)
            threading.Thread(target=self._listen, args=(listener, member), daemon=True).start()

    def _listen(self, listener, member):
        while True:
            client, (peer, _) = listener.accept()
            host = int(peer.rpartition(".")[2])
            threading.Thread(target=self._serve, args=(client, member, host), daemon=True).start()

    def _serve(self, client, member, host):
        try:
            server = socket.create_connection((member, 2379), timeout=5)
        except OSError:
            return client.close()
        server.settimeout(None)
        for one in (client, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_copy, args=(client, server), daemon=True).start()
        try:
            Answers(self.faults, host).copy(server, client)
        except OSError:
            pass
        finally:
            _end(client, server)
        return None


class WatchFaults:
    """Drops, repeats and rewinds the messages of a watch.

    A stream with more than one message from the member is a watch; its first message, the confirmation, is passed on.
    All other calls of this project have one answer on each stream."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.is_honest = False
        self.done = {"passed": 0, "dropped": 0, "repeated": 0, "rewound": 0}

    def __str__(self):
        return "messages of watches: " + ", ".join(f"{count} {name}" for name, count in self.done.items())

    def changed(self, _, said):
        what, message = self.chance.random(), said[-1]
        if len(said) == 1 or self.is_honest or what < 0.6:
            self.done["passed"] += len(said) > 1
            return [message]
        if what < 0.75:
            self.done["dropped"] += 1
            return []
        if what < 0.85:
            self.done["repeated"] += 1
            return [message, message]
        self.done["rewound"] += 1
        # Without the one that says that the watch was made.
        return [message, *said[1:][-self.chance.randrange(2, 8):]]


class LostSwaps:
    """Withholds the answer to a host's next successful compare-and-swap, and does something else at that moment."""

    def __init__(self):
        self._lock = threading.Lock()
        self._wanted = {}
        self.lost = 0

    def __str__(self):
        return f"{self.lost} swaps were made and their answers lost"

    def lose(self, host, instead):
        """An event that is set when that has happened."""
        happened = threading.Event()
        with self._lock:
            self._wanted[host] = instead, happened
        return happened

    def forget(self, host):
        with self._lock:
            self._wanted.pop(host, None)

    def changed(self, host, said):
        if len(said) > 1 or not is_made_swap(said[-1][MESSAGE_HEAD:]):
            return said[-1:]
        with self._lock:
            instead, happened = self._wanted.pop(host, (None, None))
        if instead is None:
            return said[-1:]
        instead()
        self.lost += 1
        happened.set()
        raise ConnectionAbortedError


def is_made_swap(message):
    """Whether this is a `TxnResponse` that has succeeded in putting something."""
    at, has_succeeded = 0, False
    while at < len(message):
        tag, at = message[at], at + 1
        if tag == 0x10:
            has_succeeded = message[at] == 1
            at += 1
        elif tag in (0x0A, 0x1A):
            length, shift = 0, 0
            while True:
                length |= (message[at] & 127) << shift
                shift, at = shift + 7, at + 1
                if message[at - 1] < 128:
                    break
            if tag == 0x1A:
                return has_succeeded and length > 0 and message[at] == 0x12
            at += length
        else:
            return False
    return False


def _copy(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    finally:
        _end(source, target)


def _end(*sockets):
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        one.close()


class Answers:
    """The answers of one member on one connection."""

    def __init__(self, faults, host):
        self.faults, self.host = faults, host
        # By stream: bytes of a message that is not whole yet, and the messages that there were.
        self.parts, self.said = {}, {}

    def copy(self, source, target):
        reader = source.makefile("rb")
        while len(head := reader.read(FRAME_HEAD)) == FRAME_HEAD:
            length, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], struct.unpack(">I", head[5:])[0]
            body = reader.read(length)
            if kind != DATA or flags & PADDED:
                target.sendall(head + body)
                continue
            for message in self.messages(stream, body):
                for one in self.changed(stream, message):
                    for start in range(0, len(one), FRAME_MAX):
                        target.sendall(_frame(stream, one[start:start + FRAME_MAX]))
            if flags & END_STREAM:
                target.sendall(_frame(stream, b"", END_STREAM))

    def messages(self, stream, body):
        """Yields the messages that are complete now."""
        held = self.parts.get(stream, b"") + body
        while len(held) >= MESSAGE_HEAD:
            end = MESSAGE_HEAD + int.from_bytes(held[1:MESSAGE_HEAD], "big")
            if len(held) < end:
                break
            yield held[:end]
            held = held[end:]
        self.parts[stream] = held

    def changed(self, stream, message):
        said = self.said.setdefault(stream, [])
        said.append(message)
        if len(said) > 20:
            # The first one stays the first.
            del said[1]
        return self.faults.changed(self.host, said)


def _frame(stream, body, flags=0):
    return len(body).to_bytes(3, "big") + bytes([DATA, flags]) + struct.pack(">I", stream) + body
