"""Follows a list with asyncio, through all incarnations of a daemon, and prints what it receives, one JSON object a line.

    python3 follow.py SOCKET LIFE LIST WRITERS PARAMETERS SEED

The client is written from the protocol page alone: in another language, with its own local copy, and with asyncio's
default limit of 64 KiB for a line (except for `deliver`, which announces longer lines). LIFE is a file with the number
of the daemon's incarnation, WRITERS is the number of writers that leave their number in the list, and PARAMETERS are
further members of `subscribe`. The client disconnects at times, resumes with `since`, and ends when it sees an item
`end`.
"""

import asyncio
import json
import random
import struct
import sys
import time

socket, life_file, list_name, writers, parameters, seed = sys.argv[1:]
parameters = json.loads(parameters)
random.seed(seed)


class Mirror:
    """A list, made of resets and changes, or of snapshots and patches."""

    def __init__(self):
        self.state = {"sections": []}
        self.epoch, self.revision = None, None

    # Sections and items are objects as the wire has them: a section's items and an item's children are arrays.

    def find(self, name):
        """The array that an item is in, and its place there."""
        stack = [section.get("items", []) for section in self.state["sections"]]
        while stack:
            items = stack.pop()
            for index, item in enumerate(items):
                if item["id"] == name:
                    return items, index
                if item.get("children"):
                    stack.append(item["children"])
        raise LookupError(f"there is no item {name}")

    def item(self, name):
        items, index = self.find(name)
        return items[index]

    def section_index(self, name):
        return [section["id"] for section in self.state["sections"]].index(name)

    def place(self, operation):
        """Where an operation inserts or moves items to: an array and an index in it."""
        if operation.get("before") is not None:
            return self.find(operation["before"])
        if operation.get("after") is not None:
            items, index = self.find(operation["after"])
            return items, index + 1
        if "parent" in operation:
            items = self.item(operation["parent"]).setdefault("children", [])
        elif "section" in operation:
            items = self.state["sections"][self.section_index(operation["section"])].setdefault("items", [])
        else:
            items = self.state["sections"][-1].setdefault("items", [])
        return items, 0 if "after" in operation else len(items)

    def section_place(self, operation):
        if operation.get("before") is not None:
            return self.section_index(operation["before"])
        if operation.get("after") is not None:
            return self.section_index(operation["after"]) + 1
        return 0 if "after" in operation else len(self.state["sections"])

    def apply(self, operation):
        sections = self.state["sections"]
        match operation["op"]:
            case "reconfigureList":
                self.state["content"] = operation["content"]
            case "appendSections" | "insertSections":
                index = self.section_place(operation)
                sections[index:index] = operation["sections"]
            case "deleteSections":
                for name in operation["sections"]:
                    del sections[self.section_index(name)]
            case "moveSection":
                section = sections.pop(self.section_index(operation["section"]))
                sections.insert(self.section_place(operation), section)
            case "reloadSections":
                for change in operation["sections"]:
                    if isinstance(change, dict):
                        sections[self.section_index(change["id"])].update(change)
            case "appendItems" | "insertItems":
                items, index = self.place(operation)
                items[index:index] = operation["items"]
            case "deleteItems":
                for name in operation["items"]:
                    items, index = self.find(name)
                    del items[index]
            case "deleteAllItems":
                sections.clear()
            case "moveItem":
                items, index = self.find(operation["item"])
                item = items.pop(index)
                items, index = self.place(operation)
                items.insert(index, item)
            case "reconfigureItems" | "reloadItems":
                for change in operation["items"]:
                    if isinstance(change, dict):
                        self.item(change["id"]).update(change)
            case "expandItems":
                for name in operation["items"]:
                    self.item(name)["expanded"] = True
            case "collapseItems":
                for name in operation["items"]:
                    self.item(name)["expanded"] = False
            case other:
                raise LookupError(f"there is no operation {other}")

    def patch(self, step):
        """One step of RFC 6902."""
        path = [part.replace("~1", "/").replace("~0", "~") for part in step["path"].split("/")[1:]]
        if step["op"] == "move":
            value = self.patch({"op": "remove", "path": step["from"]})
            return self.patch({"op": "add", "path": step["path"], "value": value})
        owner = self.state
        for part in path[:-1]:
            owner = owner[int(part) if isinstance(owner, list) else part]
        if isinstance(owner, dict):
            if step["op"] in ("remove", "replace"):
                old = owner.pop(path[-1])
            if step["op"] in ("add", "replace"):
                owner[path[-1]] = step["value"]
        else:
            index = len(owner) if path[-1] == "-" else int(path[-1])
            if step["op"] in ("remove", "replace"):
                old = owner.pop(index)
            if step["op"] in ("add", "replace"):
                if index > len(owner):
                    raise LookupError(f"{step['path']} is no place")
                owner.insert(index, step["value"])
        return None if step["op"] == "add" else old


def canonical(thing, names):
    """An object's members in the order of the protocol page, without those that say nothing."""
    result = {}
    for name in names:
        value = thing.get(name)
        if name in ("items", "children"):
            value = [canonical(child, ("id", "kind", "content", "expanded", "children")) for child in value or []]
        is_kept = value is not None if name in ("id", "kind", "content") else bool(value)
        if is_kept:
            result[name] = value
    return result


def text(state):
    sections = [canonical(section, ("id", "content", "items")) for section in state["sections"]]
    own = {} if state.get("content") is None else {"content": state["content"]}
    return json.dumps({**own, "sections": sections}, separators=(",", ":"), ensure_ascii=False).encode()


def digest(data):
    """As `Chronicle.State.digest(of:)` has it."""
    result = len(data)
    for (word,) in struct.iter_unpack("<Q", data + bytes(-len(data) % 8)):
        result = ((result ^ word) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        result ^= result >> 29
    return result


def say(life, **members):
    print(json.dumps({"life": life, **members}), flush=True)


def current_life():
    with open(life_file) as file:
        return file.read()


class Follower:
    def __init__(self):
        self.mirror = Mirror()
        self.staged = []
        self.is_done = False
        # When the groups of this connection were asked for, and how many have come.
        self.asked_at, self.groups = 0.0, 0

    async def follow(self):
        """One connection, from its beginning to its end."""
        life = current_life()
        if not life.isdigit():
            self.is_done = life == "finished"
            return await asyncio.sleep(0.005)
        limit = {"limit": 1 << 26} if "deliver" in parameters else {}
        try:
            reader, writer = await asyncio.open_unix_connection(socket, **limit)
        except OSError:
            return await asyncio.sleep(0.005)
        try:
            if current_life() == life:
                await self.talk(reader, writer, int(life))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except LookupError as error:
            say(int(life), misfit=str(error))
            self.mirror = Mirror()
        finally:
            writer.close()

    async def talk(self, reader, writer, life):
        self.staged = []
        since = None
        if self.mirror.epoch is not None:
            since = {"epoch": self.mirror.epoch, "revision": self.mirror.revision}
        params = {"list": list_name, **parameters, **({"since": since} if since else {})}
        request = {"id": 1, "method": "subscribe", "params": params}
        self.asked_at, self.groups = time.monotonic(), 0
        writer.write(json.dumps(request).encode() + b"\n")
        await writer.drain()
        groups_left = random.randint(1, 200)
        while groups_left > 0 and (line := await reader.readline()).endswith(b"\n"):
            message = json.loads(line)
            if "error" in message:
                raise SystemExit(f"refused: {line}")
            if "result" in message:
                say(life, since=since, resumed=message["result"].get("resumed"))
            elif message["method"] == "bookmark":
                params = message["params"]
                say(life, bookmark=True, epoch=params.get("epoch"), revision=params.get("revision"))
            elif self.receive(message["method"], message["params"]):
                groups_left -= 1
                self.groups += 1
                # A daemon that was told to end sends at once what it held back, and is not alive by then.
                if "minInterval" in parameters and current_life() == str(life):
                    milliseconds = (time.monotonic() - self.asked_at) * 1000
                    say(life, groups=self.groups, milliseconds=milliseconds, minInterval=parameters["minInterval"])
                if self.see(life, message["params"]):
                    self.is_done = True
                    return

    def receive(self, method, params):
        """Whether a group is complete."""
        match method:
            case "reset" | "changes":
                self.staged += params["operations"]
                if params.get("more"):
                    return False
                if method == "reset":
                    self.mirror.state = {"sections": []}
                for operation in self.staged:
                    self.mirror.apply(operation)
                self.staged = []
            case "snapshot":
                self.mirror.state = params["snapshot"]
            case "patch":
                for step in params["patch"]:
                    self.mirror.patch(step)
            case _:
                return False
        self.mirror.epoch = params.get("epoch", self.mirror.epoch)
        self.mirror.revision = params["revision"]
        return True

    def see(self, life, params):
        data = text(self.mirror.state)
        numbers = []
        for writer in range(int(writers)):
            try:
                numbers.append(self.mirror.item(f"writer {writer}")["content"]["n"])
            except LookupError:
                numbers.append(None)
        say(
            life, epoch=self.mirror.epoch, revision=self.mirror.revision, reason=params.get("reason"),
            start=params.get("from"), digest=digest(data), numbers=numbers,
        )
        return b'{"id":"end"' in data


async def main():
    follower = Follower()
    while not follower.is_done:
        await follower.follow()


if __name__ == "__main__":
    asyncio.run(main())
