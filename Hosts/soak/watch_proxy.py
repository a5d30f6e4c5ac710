"""Between diffabled-etcd and etcd: drops, repeats and rewinds what a watch says, and leaves all else as it is.

It reads HTTP/2 only as far as it must: frames, and the messages of gRPC in those that carry data from the member. A stream on which
the member has said more than one thing is a watch; the first message of it, that it was made, goes through. All else of this
project's calls has one answer on each stream.
"""

import random
import socket
import struct
import threading

DATA, END_STREAM, PADDED = 0, 1, 8
FRAME_HEAD, MESSAGE_HEAD, FRAME_MAX = 9, 5, 16_384
FIRST_PORT = 2401
OWN_ADDRESS = "10.77.0.100"


class WatchProxy:
    """A port for each member. It is listened to from within the namespace of the switch, so it begins with the first look."""

    def __init__(self, seed, members):
        self.members, self.seed = members, seed
        self.endpoints = ",".join(f"http://{OWN_ADDRESS}:{FIRST_PORT + index}" for index in range(len(members)))
        self.is_honest = False
        self.done = {"passed": 0, "dropped": 0, "repeated": 0, "rewound": 0}
        for index, member in enumerate(members):
            listener = socket.create_server((OWN_ADDRESS, FIRST_PORT + index), reuse_port=True)
            threading.Thread(target=self._listen, args=(listener, member), daemon=True).start()

    def summary(self):
        return "messages of watches: " + ", ".join(f"{count} {name}" for name, count in self.done.items())

    def has_done_all(self):
        return all(self.done.values())

    def _listen(self, listener, member):
        number = 0
        while True:
            client, _ = listener.accept()
            number += 1
            threading.Thread(target=self._serve, args=(client, member, number), daemon=True).start()

    def _serve(self, client, member, number):
        try:
            server = socket.create_connection((member, 2379), timeout=5)
        except OSError:
            return client.close()
        server.settimeout(None)
        for one in (client, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_copy, args=(client, server), daemon=True).start()
        try:
            Answers(self, random.Random(f"{self.seed} {member} {number}")).copy(server, client)
        except OSError:
            pass
        finally:
            _end(client, server)
        return None


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
    """What one member says on one connection."""

    def __init__(self, proxy, chance):
        self.proxy, self.chance = proxy, chance
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
        """Those that are whole now."""
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
        del said[:-20]
        what = self.chance.random()
        if len(said) == 1 or self.proxy.is_honest or what < 0.6:
            # The first one is that of every other call.
            self.proxy.done["passed"] += len(said) > 1
            return [message]
        if what < 0.75:
            self.proxy.done["dropped"] += 1
            return []
        if what < 0.85:
            self.proxy.done["repeated"] += 1
            return [message, message]
        self.proxy.done["rewound"] += 1
        # Without the one that says that the watch was made.
        return [message, *said[1:][-self.chance.randrange(2, 8):]]


def _frame(stream, body, flags=0):
    return len(body).to_bytes(3, "big") + bytes([DATA, flags]) + struct.pack(">I", stream) + body
