"""Usage: stalled_readers.py stall SOCKET | read SOCKET REVISION

`stall` replaces a list again and again, and stops reading at each state on another connection, until the daemon has dropped
the oldest states. Then it reads on. Prints how many clients got the whole state again, and how many got a diff.
It exits with an error if a client has another state than the list in the end. Then it does the same in the middle of the first
state and of replies, until the daemon has closed the oldest connections. The others get to the end.

`read` follows the list up to a revision, and prints the number of updates that were not diffs.
"""

import fcntl
import json
import socket
import sys
import termios
import time
from typing import Any

STATES = 8


class Client:
    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")
        # The ids of the items that it has, and its revision.
        self.ids: list[str] = []
        self.revision = -1
        # The revision of the last complete update.
        self.complete = -1
        # The reason of each reset, and "" for each diff.
        self.updates: list[str] = []

    def send(self, method: str, params: dict[str, Any]) -> None:
        self.socket.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")

    def read(self) -> dict[str, Any]:
        """The next message. Applies an update."""
        text = self.file.readline()
        if not text.endswith(b"\n"):
            raise EOFError("the daemon has closed a connection")
        message: dict[str, Any] = json.loads(text)
        if message.get("method") in ("reset", "changes"):
            self.apply(message["method"], message["params"])
        return message

    def apply(self, method: str, params: dict[str, Any]) -> None:
        if self.revision != params["revision"]:
            self.revision = params["revision"]
            self.updates.append(params.get("reason", ""))
            if method == "reset":
                self.ids = []
        for operation in params["operations"]:
            items = [item["id"] for item in operation.get("items", []) if isinstance(item, dict)]
            # The list has one section.
            for section in operation.get("sections", []):
                self.ids += [item["id"] for item in section.get("items", [])]
            if operation["op"] == "appendItems":
                self.ids += items
            elif operation["op"] == "deleteItems":
                gone = set(operation["items"])
                self.ids = [id for id in self.ids if id not in gone]
            elif operation["op"] == "insertItems":
                begin = self.ids.index(operation["after"]) + 1 if operation["after"] else 0
                self.ids[begin:begin] = items
        if not params.get("more"):
            self.complete = params["revision"]

    def unread(self) -> int:
        """The number of bytes in its socket."""
        return int.from_bytes(fcntl.ioctl(self.socket, termios.FIONREAD, bytes(4)), sys.byteorder)

    def ask(self, method: str, **params: Any) -> Any:
        self.send(method, params)
        while True:
            message = self.read()
            if "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{method}: {message}")
                return message["result"]

    def read_up_to(self, revision: int) -> None:
        while self.complete < revision:
            self.read()


def ids(turn: int) -> list[str]:
    return [f"{turn}.{number}" for number in range(400)]


def stall(path: str) -> None:
    publisher, reader = Client(path), Client(path)
    publisher.ask("createList", list="a.list", durability="volatile", mode="0644")

    def replace(turn: int) -> int:
        items = [{"id": id, "content": "x" * 1000} for id in ids(turn)]
        return int(publisher.ask("apply", list="a.list", section="s", snapshot=items)["revision"])

    revision = replace(0)
    reader.ask("subscribe", list="a.list")
    stalled = []
    for turn in range(1, STATES):
        client = Client(path)
        client.ask("subscribe", list="a.list")
        client.read_up_to(revision)
        # Its socket is full from now on, between two updates.
        for _ in range(100):
            client.send("help", {})
        full = client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) * 4 // 5
        before = -1
        while client.unread() != before or before < full:
            before = client.unread()
            publisher.ask("ping")
        stalled.append(client)
        revision = replace(turn)
        reader.read_up_to(revision)
    # One that has forgotten its state is behind by all revisions.
    end = time.monotonic() + 30
    while True:
        behind = [subscription.get("behind") for client in publisher.ask("clients")["clients"]
                  for subscription in client.get("subscriptions", [])]
        if behind.count(revision) == len(stalled) - 2:
            break
        if time.monotonic() > end:
            raise SystemExit(f"behind: {behind}, at revision {revision}")
        time.sleep(0.05)
    revision = replace(STATES)
    reader.read_up_to(revision)
    for client in [*stalled, reader]:
        client.read_up_to(revision)
        if client.ids != ids(STATES):
            raise SystemExit(f"another state, after {client.updates}")
    if reader.updates != ["initial"] + [""] * STATES:
        raise SystemExit(f"the reader got {reader.updates}")
    print(json.dumps([client.updates for client in stalled]))


def tear(path: str) -> None:
    publisher = Client(path)
    publisher.ask("createList", list="a.torn", durability="volatile")
    torn = []
    for turn in range(STATES):
        items = [{"id": id, "content": "x" * 1000} for id in ids(turn)]
        revision = int(publisher.ask("apply", list="a.torn", section="s", snapshot=items)["revision"])
        torn.append(Client(path))
        torn[-1].send(*[("snapshot", {"list": "a.torn"}), ("subscribe", {"list": "a.torn"})][turn % 2])
    end = time.monotonic() + 30
    while len(publisher.ask("clients")["clients"]) > 1 + 3:
        if time.monotonic() > end:
            raise SystemExit("no connection is closed")
        time.sleep(0.05)
    read_to_end = []
    for turn, client in enumerate(torn):
        try:
            client.read() if turn % 2 == 0 else client.read_up_to(revision)
            read_to_end.append(turn)
        except EOFError:
            # It comes back.
            client = Client(path)
            client.ask("subscribe", list="a.torn")
            client.read_up_to(revision)
        if turn % 2 and client.ids != ids(STATES - 1):
            raise SystemExit(f"another state, after {client.updates}")
    if read_to_end != list(range(STATES))[-3:]:
        raise SystemExit(f"{read_to_end} have read to the end")


def read(path: str, revision: int) -> None:
    client = Client(path)
    client.ask("subscribe", list="a.list", ifAbsent="wait")
    client.read_up_to(revision)
    print(json.dumps(client.updates))


if sys.argv[1] == "stall":
    stall(sys.argv[2])
    tear(sys.argv[2])
else:
    read(sys.argv[2], int(sys.argv[3]))
