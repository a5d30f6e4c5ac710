#!/usr/bin/env python3
"""Measures the cost of the histories of many lists and of request keys: memory, disk, and the time of the next startup.

    Benchmarks/pasts.py DIFFABLED [--lists 1000] [--items 100] [--changes 800] [--keys 0] [--settings 'pastLengthMax: 1099511627776']

Each list gets its items in one change and then small changes of single items, lists in turn; each of the changes has a
request key when --keys is 1.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

BATCH = 200


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--lists", type=int, default=1_000)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--changes", type=int, default=800)
    parser.add_argument("--keys", type=int, default=0)
    parser.add_argument("--settings", default="")
    options = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="pasts-", dir="/tmp")
    try:
        measure(options, directory)
    finally:
        shutil.rmtree(directory)


def measure(options, directory):
    daemon, client = start(options, directory)
    names = [f"list {number}" for number in range(options.lists)]
    items = [{"id": f"{number}", "content": {"text": "x" * 60, "n": 0}} for number in range(options.items)]
    client.ask([("createList", {"list": name}) for name in names])
    whole = [{"op": "appendSections", "sections": [{"id": "s", "items": items}]}]
    client.ask([("transact", {"list": name, "operations": whole}) for name in names])
    time.sleep(3)
    print(f"with {options.lists} lists of {options.items} items: {memory(daemon)} MB, {disk(directory)} MB on disk")
    for change in range(options.changes):
        patch = {"id": f"{change % options.items}", "content": {"n": change + 1}}
        parameters = {"operations": [{"op": "patchItems", "items": [patch]}]}
        if options.keys:
            parameters["requestKey"] = f"{change:032x}"
        client.ask([("transact", {"list": name, **parameters}) for name in names])
    time.sleep(5)
    print(f"after {options.changes} changes of each: {memory(daemon)} MB, {disk(directory)} MB on disk")
    stop(daemon)
    begin = time.time()
    daemon, client = start(options, directory)
    print(f"started again in {time.time() - begin:.1f} s: {memory(daemon)} MB, {disk(directory)} MB on disk")
    stop(daemon)


def start(options, directory):
    path = os.path.join(directory, "settings.yaml")
    with open(path, "w") as file:
        file.write(options.settings + "\n")
    place = os.path.join(directory, "socket")
    daemon = subprocess.Popen(
        [options.binary, "--socket", place, "--state-directory", os.path.join(directory, "state"), "--config", path],
        stderr=subprocess.DEVNULL)
    for _ in range(6_000):
        try:
            client = Client(place)
            client.ask([("ping", {})])
            return daemon, client
        except OSError:
            time.sleep(0.01)
    raise SystemExit("the daemon does not start")


def stop(daemon):
    daemon.send_signal(signal.SIGTERM)
    daemon.wait(120)


def memory(daemon):
    with open(f"/proc/{daemon.pid}/smaps_rollup") as file:
        return next(int(line.split()[1]) // 1_000 for line in file if line.startswith("Private_Dirty"))


def disk(directory):
    state = os.path.join(directory, "state")
    return sum(os.path.getsize(os.path.join(state, name)) for name in os.listdir(state)) // 1_000_000


class Client:
    def __init__(self, place):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(place)
        self.lines = self.socket.makefile("r")

    def ask(self, requests):
        for begin in range(0, len(requests), BATCH):
            batch = requests[begin:begin + BATCH]
            lines = (json.dumps({"id": 1, "method": method, "params": parameters}) for method, parameters in batch)
            self.socket.sendall(("\n".join(lines) + "\n").encode())
            for _ in batch:
                reply = json.loads(self.lines.readline())
                if "error" in reply:
                    raise SystemExit(reply["error"]["message"])


if __name__ == "__main__":
    main()
