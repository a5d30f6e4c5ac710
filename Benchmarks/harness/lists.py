"""Large lists: applying one, holding one, starting with one; and the companion as a process."""

import contextlib
import json
import os
import re
import selectors
import shutil
import socket
import subprocess
import threading
import time

from machine import processor_seconds, resident_bytes, scratch, socket_directory, spawn, stop, timed
from servers import DIFFABLECTL, DIFFABLED, Client, configured, redis_cli, running, service_environment

MILLION = 1_000_000
CONTENT_LENGTH = 100


# MARK: Applying 100,000 rows

ROWS, CHANGED_ROWS, APPLY_SUBSCRIBERS = 100_000, 1_000, 10


def write_rows(directory):
    """Rows of about 140 bytes, and the same with 250 each inserted, deleted, moved and changed, all over the place."""
    def row(number, state):
        return f'{{"id":"row-{number:07d}","state":"{state}","text":"{"x" * 90}"}}\n'

    old = [row(number, "old") for number in range(ROWS)]
    new = list(old)
    step, share = ROWS // CHANGED_ROWS * 4, CHANGED_ROWS // 4
    for turn in range(share):
        new[turn * step] = row(turn * step, "new")
    moved = [new[turn * step + 10] for turn in range(share)]
    gone = {turn * step + offset for turn in range(share) for offset in (10, 20)}
    new = [text for number, text in enumerate(new) if number not in gone]
    for turn in range(share):
        new.insert(turn * step + 30, row(ROWS + turn, "new"))
        new.insert((turn * 7_919) % len(new), moved[turn])
    paths = directory / "old.ndjson", directory / "new.ndjson"
    for path, rows in zip(paths, (old, new)):
        path.write_text("".join(rows))
    return paths


class Subscribers:
    """Connections that follow a list, and report when the last of them has a revision."""

    def __init__(self, server, count):
        self.selector = selectors.DefaultSelector()
        self.behind = {}
        for _ in range(count):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(server.socket))
            connection.sendall(b'{"id":1,"method":"subscribe","params":{"list":"load"}}\n')
            self.selector.register(connection, selectors.EVENT_READ, bytearray())
        self.await_revision(b"reset", None)

    def await_revision(self, method, revision):
        """Returns when all have the whole of a message with that revision."""
        waiting = {key.fileobj for key in self.selector.get_map().values()}
        end = time.monotonic() + 60
        while waiting:
            if time.monotonic() > end:
                raise RuntimeError("subscribers have not heard in time")
            for key, _ in self.selector.select(1):
                received = key.fileobj.recv(1 << 20)
                if not received:
                    raise RuntimeError("a subscriber was cut off")
                key.data.extend(received)
                *lines, rest = key.data.split(b"\n")
                key.data[:] = rest
                if any(self._is_last(line, method, revision) for line in lines):
                    waiting.discard(key.fileobj)

    @staticmethod
    def _is_last(line, method, revision):
        head = line[:300]
        return (b'"method":"%b"' % method in head and not line.endswith(b'"more":true}}')
                and (revision is None or b'"revision":%d,' % revision in head))

    def close(self):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()


def apply(bench, round_number):
    """Measures from the start of `cat rows | diffablectl apply` until the last subscriber has all rows, compared with jq."""
    directory = scratch("apply")
    try:
        old, new = write_rows(directory)
        with running("diffabled", durability=None, core=None) as server:
            _apply(server, old, "--create")
            subscribers = Subscribers(server, APPLY_SUBSCRIBERS)
            bench.patience.wait()
            before = processor_seconds(server.pid)
            begin = time.perf_counter()
            heard = []
            listener = threading.Thread(target=lambda: heard.append(_time_of(subscribers, 2)))
            listener.start()
            process = _apply(server, new)
            listener.join()
            subscribers.close()
            bench.record(
                "apply", round_number, True, server="diffabled", wall=heard[0] - begin,
                processor=processor_seconds(server.pid) - before + process["processor"])
        if bench.available(["jq"]):
            with open(new, "rb") as rows, open(directory / "copy", "wb") as copy:
                bench.record("apply", round_number, True, server="jq", **timed(
                    ["jq", "-c", "."], stdin=rows, stdout=copy))
    finally:
        shutil.rmtree(directory)


def _time_of(subscribers, revision):
    subscribers.await_revision(b"changes", revision)
    return time.perf_counter()


def _apply(server, path, *options):
    cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
    usage = timed(
        [DIFFABLECTL, "apply", "load", "--from", "ndjson", *options], stdin=cat.stdout, stdout=subprocess.DEVNULL,
        env={**os.environ, "DIFFABLED_SOCKET": str(server.socket)})
    cat.stdout.close()
    cat.wait()
    return usage


# MARK: Memory

def item_ids(first, count):
    """Of 16 bytes."""
    return [f"item-{number:011d}" for number in range(first, first + count)]


def item_content():
    """Of 100 bytes of JSON."""
    return {"text": "x" * (CONTENT_LENGTH - len('{"text":""}'))}


def append_million(client):
    content, batch = item_content(), 5_000
    for first in range(0, MILLION, batch):
        items = [{"id": name, "content": content} for name in item_ids(first, batch)]
        client.request(
            "transact", list="load", operations=[{"op": "appendItems", "section": "s", "items": items}])


def memory(bench, round_number):
    with running("diffabled", durability=None) as server:
        time.sleep(1)
        bench.record("memory at start", round_number, True, server="diffabled", bytes=resident_bytes(server.pid))
    with running("diffabled") as server:
        before = resident_bytes(server.pid)
        subscribers = Subscribers(server, 1_000)
        time.sleep(0.5)
        each = (resident_bytes(server.pid) - before) / 1_000
        subscribers.close()
        bench.record("memory of a subscriber", round_number, True, server="diffabled", bytes=each)
    with running("diffabled") as server:
        with Client(server) as client:
            append_million(client)
        time.sleep(1)
        bench.record("memory of a million", round_number, True, server="diffabled", bytes=resident_bytes(server.pid))
    if not bench.available(["redis"]):
        return
    with running("redis") as server:
        time.sleep(1)
        bench.record("memory at start", round_number, True, server="redis", bytes=resident_bytes(server.pid))
        with contextlib.ExitStack() as stack:
            for _ in range(1_000):
                connection = stack.enter_context(socket.socket(socket.AF_UNIX))
                connection.connect(str(server.socket))
                connection.sendall(b"SUBSCRIBE load\r\n")
                connection.recv(100)
            time.sleep(0.5)
            each = (resident_bytes(server.pid) - bench.last["bytes"]) / 1_000
        bench.record("memory of a subscriber", round_number, True, server="redis", bytes=each)
    with running("redis") as server:
        fill_redis(server)
        time.sleep(1)
        bench.record("memory of a million", round_number, True, server="redis", bytes=resident_bytes(server.pid))


def fill_redis(server):
    """A list for the order and a hash for the contents."""
    content, batch = json.dumps(item_content(), separators=(",", ":")), 1_000

    def command(*words):
        return f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)

    def commands():
        for first in range(0, MILLION, batch):
            names = item_ids(first, batch)
            pairs = [word for name in names for word in (name, content)]
            yield (command("RPUSH", "order", *names) + command("HSET", "contents", *pairs)).encode()

    redis_cli(server, "--pipe", input=b"".join(commands()), stdout=subprocess.DEVNULL)


# MARK: Start

def prepare_start(bench):
    """A state directory with a million durable items, as one that has been used for a while leaves it."""
    directory = scratch("start")
    with running("diffabled", durability="durable", core=None, directory=directory) as server:
        with Client(server) as client:
            append_million(client)
        await_upkeep(directory / "lists.sqlite-wal")
    return directory


def await_upkeep(log):
    """Until the journal has not been written for a while: checkpoints are made in the background, one of them when the
    daemon has had nothing to write for two seconds."""
    end = time.monotonic() + 60
    while time.monotonic() < min(end, log.stat().st_mtime - time.time() + time.monotonic() + 5):
        time.sleep(0.1)


def start(bench, round_number):
    directory = bench.prepared("start", prepare_start)
    bench.patience.wait()
    bench.record("start", round_number, True, server="diffabled", **time_to_ready(directory))
    if bench.available(["sqlite3"]):
        database = directory / "lists.sqlite"
        tables = "SELECT * FROM checkpoint; SELECT * FROM journal;"
        bench.patience.wait()
        bench.record("start", round_number, True, server="sqlite3", **timed(
            ["sqlite3", "-readonly", database, tables], stdout=subprocess.DEVNULL))


def time_to_ready(directory, configuration=""):
    """Until the datagram with READY=1."""
    sockets = socket_directory()
    notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notices.bind(str(sockets / "notify"))
    notices.settimeout(60)
    begin = time.perf_counter()
    process = spawn(
        [DIFFABLED, "--socket", sockets / "s", "--state-directory", directory, "--log-level", "error",
         *configured(sockets, configuration)],
        env={**os.environ, **service_environment(), "NOTIFY_SOCKET": str(sockets / "notify")})
    try:
        progress = 0
        while not re.search(rb"^READY=1", (notice := notices.recv(4096)), re.MULTILINE):
            progress += notice.startswith(b"STATUS=")
        return {
            "wall": time.perf_counter() - begin, "processor": processor_seconds(process.pid),
            "progressNotices": progress, "bytes": resident_bytes(process.pid),
        }
    finally:
        stop(process)
        notices.close()
        shutil.rmtree(sockets)


# MARK: A process

def command(bench, round_number):
    """`diffablectl append` and `redis-cli LPUSH`, each a whole process, turn by turn."""
    if not bench.available(["redis"]):
        return
    with running("diffabled") as daemon, running("redis") as redis:
        environment = {**os.environ, "DIFFABLED_SOCKET": str(daemon.socket)}
        times = {"diffabled": [], "redis": []}
        bench.patience.wait()
        for number in range(bench.count(100)):
            name = f"item-{round_number}-{number}"
            times["diffabled"].append(timed(
                [DIFFABLECTL, "append", "load", name, "text=hello"], env=environment, stdout=subprocess.DEVNULL))
            times["redis"].append(timed(
                ["redis-cli", "-s", redis.socket, "LPUSH", "load", f'{name} {{"text":"hello"}}'],
                stdout=subprocess.DEVNULL))
    for server, usages in times.items():
        middle = {
            key: sorted(usage[key] for usage in usages)[len(usages) // 2] for key in ("wall", "processor")}
        bench.record("command", round_number, True, server=server, runs=len(usages), **middle)
