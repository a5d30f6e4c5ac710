"""Follows random changes as RFC 6902 patches with PyPI's jsonpatch, and compares with `snapshot` after each group.

    python3 patches.py SOCKET SEED CHANGES
"""

import json
import random
import socket
import sys

import jsonpatch

path, seed, changes = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(seed)


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.last_id = 0

    def ask(self, method, **params):
        self.last_id += 1
        request = {"id": self.last_id, "method": method, "params": {"list": "random", **params}}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        answer = self.receive()
        if "error" in answer:
            raise SystemExit(f"{request} is refused: {answer}")
        return answer["result"]

    def receive(self):
        return json.loads(self.lines.readline())


def item(name):
    """Some have what a JSON pointer or a merge could stumble over."""
    result = {"id": name}
    if random.random() < 0.7:
        result["content"] = random.choice(
            [{"text": name}, {"a/b": {"~": [1, {"": None}]}}, [], {}, [[]], "é", 0, False, {"n": random.randrange(9)}]
        )
    if random.random() < 0.2:
        result["kind"] = random.choice(["todo", "note"])
    return result


def tree():
    """A state over a pool of ids, so that what two states share has moved."""
    sections = [{"id": name, "items": []} for name in random.sample(["s", "t", "u", "v"], random.randint(1, 4))]
    places = [section["items"] for section in sections]
    names = [f"i{number}" for number in range(40)]
    for name in random.sample(names, random.randint(0, 40)):
        new = item(name)
        items = random.choice(places)
        items.insert(random.randint(0, len(items)), new)
        if random.random() < 0.3:
            new["children"] = []
            new["expanded"] = random.random() < 0.5
            places.append(new["children"])
    # Without a word about the list's own content, it stays.
    own = random.choice([{}, {"content": None}, {"content": {"title": random.randrange(3)}}])
    return {**own, "sections": sections}


def items_of(state):
    stack = [item for section in state["sections"] for item in section.get("items", [])]
    while stack:
        found = stack.pop()
        yield found
        stack += found.get("children", [])


def change(publisher, state):
    """One transaction: a new state, or a few steps."""
    names = [found["id"] for found in items_of(state)]
    if len(names) < 3 or random.random() < 0.2:
        return publisher.ask("apply", snapshot=tree())
    one, other = random.sample(names, 2)
    section = random.choice(state["sections"])["id"]
    steps = [
        {"op": "moveItem", "item": one, "section": section},
        {"op": "moveItem", "item": one, "section": section, "after": None},
        {"op": "deleteItems", "items": [one]},
        {"op": "reconfigureItems", "items": [{"id": one, "content": item(one).get("content")}]},
        {"op": "reloadItems", "items": [{"id": one, "kind": random.choice(["todo", None])}]},
        {"op": random.choice(["expandItems", "collapseItems"]), "items": [one]},
        {"op": "insertItems", "items": [item(f"n{random.randrange(10**9)}")], "before": other},
        {"op": "moveSection", "section": section, "after": None},
        {"op": "reloadSections", "sections": [{"id": section, "content": random.choice([None, {"header": "é"}])}]},
        {"op": "reloadItems", "items": [one]},
        {"op": "reconfigureList", "content": random.choice([None, {"title": "é"}, [], 0])},
        {"op": "patchList", "content": {"n": random.choice([None, 1])}},
    ]
    chosen = random.sample(steps, random.randint(1, 3))
    # What is deleted comes last, or the other steps could be about it.
    return publisher.ask("transact", operations=sorted(chosen, key=lambda step: step["op"] == "deleteItems"))


publisher, subscriber = Client(), Client()
publisher.ask("createList")
subscriber.ask("subscribe", deliver="patches")
state, revision, groups, moves = {"sections": []}, -1, 0, 0
for _ in range(changes):
    wanted = change(publisher, state)["revision"]
    while revision < wanted:
        message = subscriber.receive()
        params = message["params"]
        if message["method"] == "snapshot":
            state = params["snapshot"]
        else:
            assert params["from"] == revision, message
            moves += sum(step["op"] == "move" for step in params["patch"])
            state = jsonpatch.apply_patch(state, params["patch"])
        revision = params["revision"]
        groups += 1
        told = publisher.ask("snapshot", at=revision)["snapshot"]
        # As text: Python takes 0 and False, or 1 and True, for equal.
        if json.dumps(state, sort_keys=True) != json.dumps(told, sort_keys=True):
            sys.exit(f"seed {seed}, revision {revision}: {message}\nmakes {state}\nand not {told}")
print(f"{groups} groups, {moves} moves")
