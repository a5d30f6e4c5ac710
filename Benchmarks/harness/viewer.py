"""Measures the terminal viewer and fzf in a pseudo-terminal: the time to the first screen, the cost of a key, the idle cost."""

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import termios
import threading
import time

from machine import resident_bytes, switches
from servers import DIFFABLECTL, Client, running, service_environment

COLUMNS, ROWS = 120, 40
DOWN, PAGE_DOWN, END, HOME = b"\x1b[B", b"\x1b[6~", b"\x1b[F", b"\x1b[H"
BATCH = 5_000
HUNDRED, MILLION = 100_000, 1_000_000
# Output belongs to a key as long as no longer pause is between its parts, in seconds.
QUIET = 0.03


class Screen:
    """A program on a terminal that answers nothing."""

    def __init__(self, command, environment=()):
        self.begin = time.perf_counter()
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            try:
                os.environ.update({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **dict(environment)})
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
                os.execvp(command[0], [str(word) for word in command])
            finally:
                os._exit(127)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # What it still writes is of no interest, but somebody has to take it.
        os.kill(self.pid, signal.SIGTERM)
        end = time.monotonic() + 10
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            self.take(0.01)
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
        os.close(self.descriptor)

    def take(self, seconds):
        """Returns the next output with its time; nothing after this many seconds."""
        if not select.select([self.descriptor], [], [], max(seconds, 0))[0]:
            return b"", None
        with contextlib.suppress(OSError):
            return os.read(self.descriptor, 1 << 20), time.perf_counter()
        return b"", None

    def await_text(self, *texts, seconds=60):
        """When all of the texts have been written since the call, and how much was."""
        seen, end = b"", time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            part, at = self.take(left)
            seen += part
            if all(text in seen for text in texts):
                return at, seen
        raise RuntimeError(f"the terminal was not written {texts} but {seen[-300:]!r}")

    def settle(self, seconds=QUIET):
        """Reads until the terminal is quiet; returns the bytes, the number of writes, and the times of the first and the last."""
        seen, parts, first, last = b"", 0, None, None
        while True:
            part, at = self.take(seconds)
            if at is None:
                return seen, parts, first, last
            seen, parts, first, last = seen + part, parts + 1, first or at, at

    def press(self, keys):
        """The time until the first bytes come, the bytes and their parts."""
        begin = time.perf_counter()
        os.write(self.descriptor, keys)
        part, first = self.take(5)
        if first is None:
            raise RuntimeError(f"nothing was drawn for {keys!r}")
        seen, parts, _, _ = self.settle()
        return first - begin, part + seen, parts + 1


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def viewer(bench, round_number):
    def record(what, **figures):
        bench.record("viewer", round_number, True, what=what, **figures)

    with running("diffabled", core=None) as server:
        environment = {**service_environment(), "DIFFABLED_SOCKET": str(server.socket)}
        with Client(server) as client:
            _make(client, "thousand", 1_000)
            _make(client, "hundred", HUNDRED)
            _make(client, "million", MILLION)
        fzf = bench.available(["fzf"])
        files = {name: server.directory / f"{name}.txt" for name in ("thousand", "hundred", "million")}
        for name, count in (("thousand", 1_000), ("hundred", HUNDRED), ("million", MILLION)):
            files[name].write_text("".join(f"Row {number} of the list.\n" for number in range(count)))

        def view(name):
            return Screen([DIFFABLECTL, "view", name], environment)

        def finder(name):
            return Screen(["sh", "-c", f"exec fzf --no-mouse --reverse < {files[name]}"], {"FZF_DEFAULT_OPTS": ""})

        for what, measure in (
                ("first frame", _first_frames), ("keys", _keys), ("changes", _changes), ("flood", _flood),
                ("million", _million), ("search", _searches), ("idle", _idle)):
            bench.patience.wait()
            record(what, server="diffabled", **measure(bench, view, server))
        if fzf:
            for what, measure in (("first frame", _finder_frames), ("keys", _finder_keys), ("million", _finder_million)):
                bench.patience.wait()
                record(what, server="fzf", **measure(bench, finder))


def _make(client, name, count):
    client.request("createList", list=name, durability="volatile")
    client.request("transact", list=name, operations=[{"op": "appendSections", "sections": [{"id": "s"}]}])
    for first in range(0, count, BATCH):
        items = [{"id": f"i{number}", "content": {"text": f"Row {number} of the list."}}
                 for number in range(first, min(first + BATCH, count))]
        client.request("transact", list=name, operations=[{"op": "appendItems", "section": "s", "items": items}])


def _first_frames(bench, view, _):
    """From the start of the process to its first rows."""
    times = []
    for _ in range(bench.count(40)):
        with view("thousand") as screen:
            times.append(screen.await_text(b"Row 0 of", b"Row 30 of")[0] - screen.begin)
    return {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}


def _keys(bench, view, _):
    """Down within the screen, and at its end, where all rows scroll by a line."""
    with view("thousand") as screen:
        screen.await_text(b"Row 30 of")
        screen.settle(0.3)
        moves = [screen.press(DOWN) for _ in range(30)]
        for _ in range(10):
            screen.press(DOWN)
        scrolls = [screen.press(DOWN) for _ in range(bench.count(400))]
        moves += [screen.press(b"\x1b[A") for _ in range(30)]
    return {
        "p50": percentile([move[0] for move in moves], 0.5), "p99": percentile([move[0] for move in moves + scrolls], 0.99),
        "bytes": max(len(move[1]) for move in moves), "scrollBytes": percentile([len(scroll[1]) for scroll in scrolls], 0.5),
        "scrollWrites": max(scroll[2] for scroll in scrolls)}


def _changes(bench, view, server):
    """From where a subscriber has a change of a row that is seen to where it is drawn."""
    delays = []
    with Client(server) as client, Client(server) as follower, view("thousand") as screen:
        number = follower.request("subscribe", list="thousand", view={"window": {"limit": 50}})["subscription"]
        follower.await_group("reset", number)
        screen.await_text(b"Row 30 of")
        screen.settle(0.3)
        for turn in range(bench.count(200)):
            delivered = []

            def follow(delivered=delivered):
                follower.await_group("changes", number)
                delivered.append(time.perf_counter())

            thread = threading.Thread(target=follow)
            thread.start()
            text = _turn_words(turn)
            client.request("transact", list="thousand", operations=[
                {"op": "reconfigureItems", "items": [{"id": "i5", "content": {"text": text}}]}])
            at, _ = screen.await_text(text.encode())
            thread.join()
            delays.append(max(at - delivered[0], 0))
            screen.settle()
    return {"p50": percentile(delays, 0.5), "p99": percentile(delays, 0.99)}


def _turn_words(turn):
    """Returns a text that differs from the previous turn's in every cell, because equal cells are not written again."""
    return f"{turn:06}" if turn % 2 else "".join("abcdefghij"[int(digit)] for digit in f"{turn:06}")


def _flood(bench, view, server):
    """10,000 changes a second of a row that is seen."""
    seconds = bench.seconds(3)
    times, last = [], int(10_000 * seconds)
    with Client(server) as client, view("thousand") as screen:
        screen.await_text(b"Row 30 of")
        screen.settle(0.3)

        def send():
            begin, sent = time.perf_counter(), 0
            while sent < last:
                # In ten groups of a hundred requests, or as many as are late.
                due = min(int((time.perf_counter() - begin) * 10_000) + 1, last)
                lines = [json.dumps({"id": 1, "method": "transact", "params": {"list": "thousand", "operations": [
                    {"op": "reconfigureItems", "items": [{"id": "i5", "content": {"text": f"Number {number}."}}]}]}})
                    for number in range(sent, due)]
                client.socket.sendall("".join(line + "\n" for line in lines).encode())
                for _ in lines:
                    client.lines.readline()
                sent = due
                time.sleep(0.002)

        thread = threading.Thread(target=send)
        begin = time.perf_counter()
        thread.start()
        while thread.is_alive():
            _, at = screen.take(0.05)
            if at:
                times.append(at)
        end = time.perf_counter()
        # It is behind by no more than what it was drawing. Drawn anew, it shows all that it has.
        _, frames, _, at = screen.settle(0.1)
        _, drawn, _ = screen.press(b"\x0c")
    return {"changesPerSecond": last / (end - begin), "framesPerSecond": len(times) / (end - begin),
            "lateFrames": frames, "late": (at - end) if at else 0.0, "showsLast": f"Number {last - 1}.".encode() in drawn}


def _million(bench, view, _):
    opened = []
    for _ in range(bench.count(12)):
        with view("million") as screen:
            opened.append(screen.await_text(b"Row 30 of")[0] - screen.begin)
    with view("million") as screen:
        screen.await_text(b"Row 30 of")
        screen.settle(0.3)
        pages = [screen.press(PAGE_DOWN)[0] for _ in range(bench.count(200))]
        ends = []
        for _ in range(bench.count(20)):
            begin = time.perf_counter()
            os.write(screen.descriptor, END)
            ends.append(screen.await_text(f"Row {MILLION - 1} of".encode())[0] - begin)
            screen.settle()
            os.write(screen.descriptor, HOME)
            screen.await_text(b"Row 0 of")
            screen.settle()
        resident = resident_bytes(screen.pid)
    return {"open": percentile(opened, 0.5), "page": percentile(pages, 0.99), "end": percentile(ends, 0.5),
            "bytes": resident}


def _searches(bench, view, _):
    def typed(screen, text, found):
        """Measures from the keys to the last output that they cause, which is the search result."""
        begin = time.perf_counter()
        os.write(screen.descriptor, text.encode())
        _, _, _, last = screen.settle(2)
        _, drawn, _ = screen.press(b"\x0c")
        if f"1/{found} ".encode() not in drawn:
            raise RuntimeError(f"the search {text} has not found {found} rows: {drawn[-200:]!r}")
        return last - begin

    def search(name, count, digits):
        """A search is typed at once, and then one digit more."""
        first, second = "7" * digits, "7" * (digits + 1)
        matching = [sum(text in str(number) for number in range(count)) for text in (first, second)]
        with view(name) as screen:
            screen.await_text(b"Row 30 of")
            screen.settle(0.3)
            os.write(screen.descriptor, b"/")
            screen.settle()
            return typed(screen, first, matching[0]), typed(screen, "7", matching[1])

    hundred = [search("hundred", HUNDRED, 3) for _ in range(3)]
    million = [search("million", MILLION, 4) for _ in range(3)]
    return {"hundred": percentile([first for first, _ in hundred], 0.5),
            "million": percentile([first for first, _ in million], 0.5),
            "narrowing": percentile([second for _, second in million], 0.5)}


def _idle(bench, view, _):
    seconds = bench.seconds(60)
    with view("thousand") as screen:
        screen.await_text(b"Row 30 of")
        # Threads that have nothing to do end after some seconds.
        screen.settle(10)
        before = switches(screen.pid)
        seen, _ = screen.take(seconds)
        after = switches(screen.pid)
        wake_ups = sum(count - before.get(thread, 0) for thread, count in after.items())
        return {"seconds": seconds, "bytes": len(seen), "wakeUps": wake_ups}


# MARK: fzf

def _finder_frames(bench, finder):
    times = []
    for _ in range(bench.count(40)):
        with finder("thousand") as screen:
            times.append(screen.await_text(b"1000/1000")[0] - screen.begin)
            screen.settle()
    return {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}


def _finder_keys(bench, finder):
    with finder("thousand") as screen:
        screen.await_text(b"1000/1000")
        screen.settle(0.3)
        moves = [screen.press(DOWN) for _ in range(30)]
        for _ in range(10):
            screen.press(DOWN)
        scrolls = [screen.press(DOWN) for _ in range(bench.count(400))]
    return {
        "p50": percentile([move[0] for move in moves], 0.5), "p99": percentile([move[0] for move in moves + scrolls], 0.99),
        "bytes": max(len(move[1]) for move in moves), "scrollBytes": percentile([len(scroll[1]) for scroll in scrolls], 0.5)}


def _finder_million(bench, finder):
    opened = []
    for _ in range(3):
        with finder("million") as screen:
            opened.append(screen.await_text(b"1000000/1000000")[0] - screen.begin)
            resident = resident_bytes(screen.pid)
    return {"open": percentile(opened, 0.5), "bytes": resident}
