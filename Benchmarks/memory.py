#!/usr/bin/env python3
"""Measures resident memory and the length of lists.sqlite after large lists are deleted.

    Benchmarks/memory.py DIFFABLED [KIND...] [--after 10] [--scale 1.0] [--environment NAME=VALUE]

Each kind starts a daemon of its own, notes its resident memory, makes lists, deletes them and waits --after seconds. The
ratio is the resident memory then over that of the fresh daemon. `anon` is the part that is not the program's files. The
slowest ping shows how long the event loop was blocked after the deletion. Exits with 1 if a ratio is above --bound.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LINE_MAX = 1 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--after", type=float, default=10, help="seconds from the deletion to the last look")
    parser.add_argument("--scale", type=float, default=1, help="a factor for the numbers of items")
    parser.add_argument("--bound", type=float, default=1.5)
    parser.add_argument("--environment", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    print(f"{'kind':<22}{'fresh':>8}{'full':>8}{'after':>8}{'anon':>8}{'ratio':>7}{'ping':>9}{'disk full':>11}{'after':>7}")
    worst = 0
    for kind in options.kinds or KINDS:
        with Trial(options) as trial:
            KINDS[kind](trial)
            worst = max(worst, trial.report(kind))
    return 1 if worst > options.bound else 0


class Trial:
    def __init__(self, options):
        self.options = options
        self.directory = tempfile.mkdtemp(prefix="memory-", dir="/tmp")
        place = os.path.join(self.directory, "socket")
        environment = dict(os.environ, **dict(each.split("=", 1) for each in options.environment))
        self.daemon = subprocess.Popen(
            [options.binary, "--socket", place, "--state-directory", os.path.join(self.directory, "state")],
            stderr=subprocess.DEVNULL, env=environment)
        self.place = place
        for _ in range(6_000):
            try:
                self.client = self.connect()
                self.client.ask("ping")
                break
            except OSError:
                time.sleep(0.01)
        else:
            raise SystemExit("the daemon does not start")
        time.sleep(3)
        self.fresh = self.memory()
        self.full = self.disk_full = self.slowest = 0
        self.followers = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.daemon.send_signal(signal.SIGTERM)
        self.daemon.wait(120)
        shutil.rmtree(self.directory)

    def connect(self):
        return Client(self.place)

    def count(self, items):
        return max(int(items * self.options.scale), 1)

    def memory(self):
        """Resident memory, and the part of it that is not the program's files, in MB."""
        with open(f"/proc/{self.daemon.pid}/status") as file:
            lengths = dict(line.split(":", 1) for line in file)
        return tuple(int(lengths[name].split()[0]) / 1_000 for name in ("VmRSS", "RssAnon"))

    def disk(self):
        """The length of the database and its log, in MB."""
        state = os.path.join(self.directory, "state")
        return sum(os.path.getsize(os.path.join(state, name)) for name in os.listdir(state)) / 1_000_000

    def create(self, name, **parameters):
        self.client.ask("createList", list=name, **parameters)

    def fill(self, name, items, transactions=1, length=40):
        """Appends items, in a number of transactions."""
        items = [{"id": f"{name}-{number}", "content": {"text": f"item {number} of {name}".ljust(length, "."), "n": number}}
                 for number in range(self.count(items))]
        section = {"op": "appendSections", "sections": [{"id": "s"}]}
        self.client.change("transact", name, [section])
        step = (len(items) + transactions - 1) // transactions
        for begin in range(0, len(items), step):
            parts = [{"op": "appendItems", "section": "s", "items": items[at:min(at + 1_500, begin + step)]}
                     for at in range(begin, min(begin + step, len(items)), 1_500)]
            self.client.change("transact", name, parts)

    def apply(self, name, items, length=40):
        """Sends a whole list with this many items in one `apply`."""
        items = [{"id": f"{name}-{number}", "content": {"text": f"item {number} of {name}".ljust(length, "."), "n": number}}
                 for number in range(self.count(items))]
        parts = [{"op": "appendSections", "sections": [{"id": "s"}]}]
        parts += [{"op": "appendItems", "section": "s", "items": items[at:at + 1_500]} for at in range(0, len(items), 1_500)]
        self.client.change("apply", name, parts)

    def follow(self, name, **view):
        """Subscribes, and reads everything on a thread of its own."""
        client = self.connect()
        client.send("subscribe", list=name, **({"view": view} if view else {}))
        threading.Thread(target=client.read_all, daemon=True).start()
        self.followers.append(client)

    def look_when_full(self):
        time.sleep(3)
        self.note_full()

    def note_full(self):
        self.full = max(self.full, self.memory()[0])
        self.disk_full = max(self.disk_full, self.disk())

    def delete(self, *names, **parameters):
        self.look_when_full()
        for name in names:
            self.client.ask("deleteList", list=name, **parameters)

    def report(self, kind):
        end = time.time() + self.options.after
        pings = self.connect()
        while time.time() < end:
            begin = time.time()
            pings.ask("ping")
            self.slowest = max(self.slowest, time.time() - begin)
            time.sleep(0.001)
        (fresh, _), (after, anonymous) = self.fresh, self.memory()
        ratio = after / fresh
        print(f"{kind:<22}{fresh:>8.1f}{self.full:>8.1f}{after:>8.1f}{anonymous:>8.1f}{ratio:>7.2f}"
              f"{self.slowest * 1_000:>6.1f} ms{self.disk_full:>11.1f}{self.disk():>7.1f}", flush=True)
        return ratio


class Client:
    def __init__(self, place):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(place)
        self.lines = self.socket.makefile("r")

    def send(self, method, **parameters):
        self.socket.sendall((json.dumps({"id": 1, "method": method, "params": parameters}) + "\n").encode())

    def ask(self, method, **parameters):
        self.send(method, **parameters)
        reply = json.loads(self.lines.readline())
        if "error" in reply:
            raise SystemExit(reply["error"]["message"])
        return reply["result"]

    def change(self, method, name, parts):
        """A request with these operations, in parts where there are several."""
        if len(parts) == 1:
            return self.ask(method, list=name, operations=parts)
        for part in parts[:-1]:
            line = {"method": method, "params": {"list": name, "operations": [part], "more": True}}
            self.socket.sendall((json.dumps(line) + "\n").encode())
        return self.ask(method, list=name, operations=[parts[-1]], more=False)

    def read_all(self):
        try:
            while self.socket.recv(LINE_MAX):
                pass
        except OSError:
            pass


def by_one_apply(trial):
    trial.create("large")
    trial.apply("large", 100_000)
    trial.delete("large")


def forced(trial):
    trial.create("large")
    trial.apply("large", 100_000)
    trial.delete("large", keep="never")


def with_long_contents(trial):
    trial.create("large")
    trial.apply("large", 100_000, length=400)
    trial.delete("large")


def by_1000_transactions(trial):
    trial.create("large")
    trial.fill("large", 100_000, transactions=1_000)
    trial.delete("large")


def volatile(trial):
    trial.create("large", durability="volatile")
    trial.apply("large", 100_000)
    trial.delete("large")


def volatile_forced(trial):
    trial.create("large", durability="volatile")
    trial.apply("large", 100_000)
    trial.delete("large", keep="never")


def followed(trial):
    trial.create("large")
    trial.apply("large", 100_000)
    trial.follow("large")
    trial.delete("large")


def ten_in_sorted_views(trial):
    names = [f"list {number}" for number in range(10)]
    for name in names:
        trial.create(name)
        trial.apply(name, 50_000)
        trial.follow(name, sort=[{"path": "/text", "descending": True}])
        trial.follow(name, sort=[{"path": "/n", "descending": True}], window={"offset": 0, "limit": 20_000})
    trial.delete(*names)


def a_million(trial):
    trial.create("large")
    trial.apply("large", 1_000_000)
    trial.delete("large")


def applied_empty(trial):
    trial.create("large")
    trial.apply("large", 100_000)
    trial.look_when_full()
    trial.client.ask("apply", list="large", snapshot={"sections": []})


def applied_empty_volatile(trial):
    trial.create("large", durability="volatile")
    trial.apply("large", 100_000)
    trial.look_when_full()
    trial.client.ask("apply", list="large", snapshot={"sections": []})


def with_backlogs(trial):
    """Clients that read nothing, with answers and changes waiting for them, and then go."""
    trial.create("large")
    trial.apply("large", 100_000)
    clients = [trial.connect() for _ in range(20)]
    for client in clients:
        client.send("subscribe", list="large")
        for _ in range(3):
            client.send("snapshot", list="large")
    time.sleep(2)
    trial.note_full()
    for client in clients:
        client.socket.close()
    trial.delete("large")


def in_cycles(trial):
    for cycle in range(20):
        trial.create("large")
        trial.apply("large", 100_000)
        trial.note_full()
        trial.client.ask("deleteList", list="large")


KINDS = {
    function.__name__.replace("_", "-"): function
    for function in (
        by_one_apply, forced, with_long_contents, by_1000_transactions, volatile, volatile_forced, followed,
        ten_in_sorted_views, a_million, applied_empty, applied_empty_volatile, with_backlogs, in_cycles)
}


if __name__ == "__main__":
    sys.exit(main())
