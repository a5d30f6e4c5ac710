"""The clients that write, read and follow the list on each host, and record their requests and what they receive."""

import contextlib
import json
import random
import socket
import threading
import time

import workload
from cluster import HOSTS
from model import Snapshot, digest

# A reply comes within `engineWaitMax` and some; a daemon that is stopped sends none. In seconds.
PATIENCE = 15
# Of what is kept of a read.
SNAPSHOT_MAX = 1 << 16
# Errors after which it is not known whether anything happened.
OPEN = ("outcomeUnknown", "storageFailed")


class Lost(Exception):
    """The connection ended, or no reply arrived."""


class Connection:
    """Lines to one daemon and back."""

    def __init__(self, path, name, patience=PATIENCE):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(patience)
        try:
            self._socket.connect(path)
            self._part = b""
            self.send({"method": "hello", "params": {"name": name}})
        except OSError as error:
            self._socket.close()
            raise Lost(str(error)) from None

    def send(self, message):
        try:
            self._socket.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            raise Lost(str(error)) from None

    def receive(self):
        line = self.try_receive()
        if line is None:
            raise Lost("no reply came")
        return line

    def try_receive(self):
        """Returns the next line; None if none arrives within the patience. An incomplete line is kept."""
        while b"\n" not in self._part:
            try:
                more = self._socket.recv(1 << 16)
            except TimeoutError:
                return None
            except OSError as error:
                raise Lost(str(error)) from None
            if not more:
                raise Lost("the connection ended")
            self._part += more
        line, _, self._part = self._part.partition(b"\n")
        return json.loads(line)

    def close(self):
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class Client(threading.Thread):
    """A client on one host, until it is stopped."""

    def __init__(self, trial, name, host):
        super().__init__(daemon=True, name=name)
        self.trial, self.host = trial, host
        self.chance = random.Random(f"{trial.seed} {name}")
        self.is_over = threading.Event()
        self.connections = {}
        self.problem = None

    def run(self):
        try:
            while not self.is_over.is_set():
                self.step()
        except Exception as error:  # The trial tells of it when it ends.
            self.problem = error
            raise
        finally:
            self.hang_up()

    def hang_up(self):
        """On all hosts."""
        for connection in self.connections.values():
            connection.close()
        self.connections = {}

    def connection(self, host):
        if host not in self.connections:
            self.connections[host] = Connection(self.trial.cluster.socket(host), self.name)
        return self.connections[host]

    def ask(self, host, method, params, name=None):
        """The record of the request. Who cannot connect has asked nothing."""
        recorder = self.trial.recorder
        params = {"list": self.trial.list, **params}
        try:
            connection = self.connection(host)
        except Lost:
            self.is_over.wait(0.1)
            return None
        record = {"id": recorder.number(), "client": name or self.name, "host": host, "method": method, "params": params,
                  "begin": recorder.now()}
        try:
            connection.send({"id": record["id"], "method": method, "params": params})
            while (answer := connection.receive()).get("id") != record["id"]:
                pass
            record.update({member: answer[member] for member in ("result", "error") if member in answer})
        except Lost:
            self.connections.pop(host).close()
        record["end"] = recorder.now()
        recorder.write("request", **_shortened(record))
        self.trial.newest = max(self.trial.newest, record.get("result", {}).get("revision", 0))
        return record


def _shortened(record):
    """A long state is kept as its digest."""
    snapshot = record.get("result", {}).get("snapshot")
    if snapshot is None or len(json.dumps(snapshot)) < SNAPSHOT_MAX:
        return record
    result = {name: value for name, value in record["result"].items() if name != "snapshot"}
    return {**record, "result": {**result, "digest": digest(snapshot).hex()}}


class Writer(Client):
    """Changes the list again and again; what has a key and no answer is sent again, on any host. Some of it is there only as long
    as the writer's connection, which ends now and then."""

    def __init__(self, trial, name, host, pause=0.01, keys=0.6, leases=0.1):
        super().__init__(trial, name, host)
        self.pause, self.keys, self.leases = pause, keys, leases
        self.view, self.revision = Snapshot(), 0
        self.requests, self.acknowledged = 0, 0

    def step(self):
        if self.requests % 8 == 0:
            self.look()
        self.requests += 1
        token = f"{self.name}-{self.requests}"
        method, params = workload.asked(self.chance, self.view, self.revision, token)
        # What is leased goes with the connection, so a key would have it asked for nowhere else.
        if method != "undo" and self.chance.random() < self.leases:
            params["lease"] = "connection"
        elif self.chance.random() < self.keys:
            params["requestKey"] = token
        self.change(method, params)
        if self.chance.random() < self.leases / 5:
            self.hang_up()
        if self.pause:
            self.is_over.wait(self.pause * 2 * self.chance.random())

    def look(self):
        read = self.ask(self.host, "snapshot", {})
        if read and "result" in read:
            self.view, self.revision = Snapshot.of(read["result"]["snapshot"]), read["result"]["revision"]

    def change(self, method, params):
        """The name of the refusal that it ended with, if it did."""
        self.trial.may_write.wait()
        host = self.host
        for _ in range(20):
            record = self.ask(host, method, params)
            if record is None:
                return "lost"
            if "result" in record:
                self.acknowledged += 1
                # Now and then the answer is asked for once more.
                if "requestKey" in params and self.chance.random() < 0.05:
                    self.ask(self.chance.choice(HOSTS), method, params)
                return None
            name = (record.get("error") or {}).get("data", {}).get("name")
            if "requestKey" not in params or name is not None and name not in (*OPEN, "unreachable") or self.is_over.is_set():
                return name or "lost"
            host = self.chance.choice(HOSTS)
        return "lost"


class Filler(Client):
    """Changes the list when it is told to."""

    def step(self):
        self.is_over.wait(0.1)

    def fill(self, operations):
        for _ in range(100):
            record = self.ask(self.host, "transact", {"operations": operations})
            if record and "result" in record:
                return
        raise TimeoutError("the list could not be filled")


class Counter(Writer):
    """Changes one item of its own as often as it can."""

    def __init__(self, trial, name, host):
        super().__init__(trial, name, host, pause=0, keys=1)
        self.is_there = False

    def step(self):
        self.requests += 1
        token = f"{self.name}-{self.requests}"
        item = {"id": self.name, "content": {"n": self.requests}}
        operation = {"op": "reconfigureItems", "items": [item]} if self.is_there else {"op": "appendItems", "items": [item]}
        name = self.change("transact", {"operations": [operation], "requestKey": token})
        # Others delete it now and then.
        self.is_there = name == "duplicateItem" or name != "noSuchItem" and self.is_there or name is None


class Reader(Client):
    """Looks at the list as one host has it, and now and then as it is at last, or as somebody has seen it."""

    def step(self):
        what = self.chance.random()
        params = {"mostRecent": True} if what < 0.15 else {"notOlderThan": self.trial.newest} if what < 0.3 else {}
        self.ask(self.host, "snapshot", params)
        self.is_over.wait(self.chance.random() * 0.3)


class Subscriber(Client):
    """Follows the list, and goes on from where it was on another connection now and then, also on another host."""

    def __init__(self, trial, name, host):
        super().__init__(trial, name, host)
        # The epoch and the revision of the last whole group.
        self.place = None
        self.following = None

    def step(self):
        recorder = self.trial.recorder
        try:
            connection = self.connections["own"] = Connection(self.trial.cluster.socket(self.host), self.name, patience=0.5)
        except Lost:
            self.is_over.wait(0.1)
            return
        params = {"list": self.trial.list, "ifAbsent": "wait", "bookmark": 1000}
        if self.place is not None:
            params["since"] = {"epoch": self.place[0], "revision": self.place[1]}
        self.following = recorder.number()
        recorder.write("follow", id=self.following, client=self.name, host=self.host, begin=recorder.now(), params=params)
        end = time.monotonic() + self.trial.stay * (0.5 + self.chance.random())
        try:
            connection.send({"id": 1, "method": "subscribe", "params": params})
            self.hear(connection, end)
        except Lost:
            pass
        connection.close()
        if self.chance.random() < 0.4:
            self.host = self.chance.choice(HOSTS)

    def hear(self, connection, end):
        """Receives until it is time to move to another host; at the trial's end, until it is stopped. Leaves a silent daemon."""
        silent = time.monotonic()
        while not self.is_over.is_set() and (time.monotonic() < end or self.trial.is_ending.is_set()):
            line = connection.try_receive()
            if line is None:
                if time.monotonic() - silent > 3:
                    return
                continue
            silent = time.monotonic()
            self.trial.recorder.write("heard", follow=self.following, time=self.trial.recorder.now(), line=line)
            self.keep_place(line)

    def keep_place(self, line):
        params = line.get("params", {})
        if line.get("method") == "listDeleted":
            return
        if "revision" in params and not params.get("more"):
            self.place = params.get("epoch") or self.place[0], params["revision"]
