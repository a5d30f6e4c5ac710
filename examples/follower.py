#!/usr/bin/env python3
"""Follows a list without a library, as docs/follower.md explains: follower.py SOCKET LIST [VIEW]."""

import json
import socket
import sys
import time
from typing import Any, Callable, Dict, List

BELOW = {"section": "items", "item": "children"}


class Follower:
    def __init__(self, path: str, name: str, view: Any, show: Callable[["Follower"], None]) -> None:
        self.path, self.name, self.show, self.wanted, self.shown, self.coming = path, name, show, view, view, view
        self.clear()

    def clear(self) -> None:
        self.state, self.since, self.known = {"sections": []}, {}, {}  # type: Dict[str, Any], Dict[str, Any], Dict[Any, Any]

    def run(self) -> None:
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rb") as lines:
                    connection.settimeout(30)  # Three bookmarks are missing then: the daemon hangs.
                    connection.connect(self.path)
                    self.serve(connection, lines)
            except (OSError, LookupError, ValueError) as error:
                print(f"{self.path}: {error!r}", file=sys.stderr)
                if not isinstance(error, OSError):
                    self.clear()  # A group does not fit. The next subscription begins from nothing.
            time.sleep(0.5)

    def serve(self, connection: socket.socket, lines: Any) -> None:
        def send(method: str, **params: Any) -> None:
            connection.sendall(json.dumps({"id": method, "method": method, "params": params}).encode() + b"\n")

        since = {} if {"anchor", "keep"} & {*self.shown.get("window", {})} else self.since  # Such a window moves.
        asked = answered = self.shown if since else self.wanted
        send("subscribe", list=self.name, ifAbsent="wait", bookmark=10_000, view=asked, since=since or None)
        subscription, self.group = None, []  # type: Any, List[Any]
        for message in map(json.loads, lines):
            if "error" in message or message.get("method") == "subscriptionEnded":
                raise OSError(message.get("error", message.get("params"))["message"])
            elif "result" in message:
                subscription, answered = message["result"]["subscription"], asked
            elif message["params"].get("subscription") == subscription:
                self.take(message["method"], message["params"], answered)
            if subscription is not None and asked is answered is not self.wanted:
                asked = self.wanted
                send("setView", subscription=subscription, view=asked)

    def take(self, method: str, params: Dict[str, Any], view: Any) -> None:
        if method == "bookmark" and self.since:
            self.since["revision"] = params["revision"]
        elif method == "listDeleted":
            self.group = []
            self.clear()
            self.show(self)
        elif method in ("reset", "changes"):
            self.coming = self.coming if self.group else view  # A group keeps the view that it began with.
            self.group += params["operations"]
            if not params.get("more"):
                if method == "reset":
                    self.clear()
                    self.since["epoch"] = params["epoch"]
                elif params["from"] != self.since["revision"]:
                    raise ValueError("changes are missing")
                for operation in self.group:
                    self.apply(operation)
                self.since["revision"], self.shown, self.group = params["revision"], self.coming, []
                self.show(self)

    def apply(self, operation: Dict[str, Any]) -> None:
        name, what = operation["op"], "section" if "Section" in operation["op"] else "item"
        things = operation.get(what + "s", [operation.get(what)])
        if name == "reconfigureList":
            self.state["content"] = operation["content"]
        elif name.startswith(("append", "insert", "move")):
            if name.startswith("move"):
                things = [self.known[what, things[0]][0]]
                self.known[what, things[0]["id"]][1].remove(things[0])
            parent = "item" if "parent" in operation else "section" if what == "item" else "list"
            above = operation["parent" if parent == "item" else "section"] if parent != "list" else None
            home = self.known[parent, above][0][BELOW[parent]] if above else self.state["sections"]
            last = operation.get("after") and self.known[what, operation["after"]][0]
            place = len(home) if name.startswith("append") else home.index(last) + 1 if last else 0
            home[place:place] = things
            self.note(what, things, home)
        else:
            for given in things:
                thing, home = self.known[what, given["id"] if isinstance(given, dict) else given]
                if name.startswith("delete"):
                    home.remove(thing)
                    self.forget(what, thing)
                elif name in ("expandItems", "collapseItems"):
                    thing["expanded"] = name == "expandItems"
                elif isinstance(given, dict):  # A bare id asks to draw again.
                    thing.update(given)

    def note(self, what: str, things: List[Any], home: List[Any]) -> None:
        for thing in things:
            self.known[what, thing["id"]] = thing, home  # An item or a section, and the list in `state` that it is in.
            below = thing.setdefault(BELOW[what], [])
            self.note("item", below, below)

    def forget(self, what: str, thing: Any) -> None:
        del self.known[what, thing["id"]]
        for child in thing[BELOW[what]]:
            self.forget("item", child)


if __name__ == "__main__":
    Follower(sys.argv[1], sys.argv[2], json.loads([*sys.argv, "{}"][3]), lambda it: print(json.dumps(it.state), flush=True)).run()
