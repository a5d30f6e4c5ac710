"""A daemon in this process, for events that a real one does not produce on request, and for handlers."""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

Line = Dict[str, Any]


class Peer:
    """One connection, from the daemon's side."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.is_cut = False
        self._lock = threading.Lock()

    def send(self, line: Line) -> None:
        with self._lock:
            try:
                self.socket.sendall(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n")
            except OSError:
                pass

    def reply(self, id: Any, result: Line) -> None:
        self.send({"id": id, "result": result})

    def refuse(self, id: Any, name: str, message: str, code: int = 0) -> None:
        self.send({"id": id, "error": {"code": code, "message": message, "data": {"name": name}}})

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def cut(self) -> None:
        self.is_cut = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


#: Takes a request; for other methods the daemon sends nothing.
Method = Callable[[Peer, Any, Line], None]


class FakeDaemon:
    def __init__(self, **methods: Method) -> None:
        self.directory = tempfile.mkdtemp(prefix="diffable-")
        self.socket = f"{self.directory}/diffabled.sock"
        self.peers: List[Peer] = []
        self.requests: List[Tuple[str, Line]] = []
        self.methods: Dict[str, Method] = {
            "hello": lambda peer, id, _: peer.reply(id, {"limits": {"lineLengthMax": 8192}}),
            "ping": lambda peer, id, _: peer.reply(id, {}),
            **methods,
        }
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.socket)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for peer in self.peers:
            peer.cut()
        shutil.rmtree(self.directory)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            peer = Peer(connection)
            self.peers.append(peer)
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: Peer) -> None:
        with peer.socket, peer.socket.makefile("rb") as lines:
            try:
                for line in lines:
                    request = json.loads(line)
                    params = request.get("params", {})
                    self.requests.append((request["method"], params))
                    method = self.methods.get(request["method"])
                    if method is not None:
                        method(peer, request.get("id"), params)
            except (OSError, ValueError):
                pass
        self.has_ended(peer)

    def has_ended(self, peer: Peer) -> None: ...


class HandlerDaemon(FakeDaemon):
    """Knows one list, `tasks`, and passes requests to its handler: shared/design/handlers.md."""

    def __init__(self) -> None:
        super().__init__(
            handle=self.handle, answer=self.answer, perform=self.ask, propose=self.ask, expand=self.ask,
            subscribe=self.subscribe, transact=self.transact, apply=self.apply,
        )
        self.revision = 3
        self.handler: Optional[Peer] = None
        self._ending = threading.Lock()
        self.requests_handled: List[str] = []
        self.waiting: Dict[int, Tuple[Peer, Any, str, Line]] = {}

    def subscribe(self, peer: Peer, id: Any, params: Line) -> None:
        peer.reply(id, {"subscription": 1, "list": "tasks", "epoch": "e", "revision": self.revision})
        operations = [{"op": "appendItems", "items": [{"id": "milk", "content": {"text": "Milk"}}]}]
        state = {"epoch": "e", "revision": self.revision, "reason": "initial", "operations": operations}
        peer.notify("reset", subscription=1, list="tasks", **state)

    def apply(self, peer: Peer, id: Any, params: Line) -> None:
        # The new state is ignored: subscribers always get the one item.
        peer.reply(id, {"list": "tasks", "revision": self.revision, "changed": True})

    def transact(self, peer: Peer, id: Any, params: Line) -> None:
        self.revision += 1
        if self.handler is not None:
            self.handler.notify(
                "changes", subscription=1, list="tasks", **{"from": self.revision - 1}, revision=self.revision,
                operations=params["operations"])
        peer.reply(id, {"list": "tasks", "revision": self.revision, "changed": True})

    def handle(self, peer: Peer, id: Any, params: Line) -> None:
        if self.handler is not None and self.handler.is_cut:
            # The end of its connection may be noticed a moment later.
            self.has_ended(self.handler)
        if self.handler is not None and not params.get("replace"):
            peer.refuse(id, "handlerExists", "there is a handler already", 24)
            return
        if self.handler is not None:
            self.handler.notify("handlerEnded", handler=1, list="tasks", reason="replaced")
        self.handler, self.requests_handled = peer, params["requests"]
        peer.reply(id, {"handler": 1, "list": "tasks"})

    def ask(self, peer: Peer, id: Any, params: Line) -> None:
        method = self._kind(params)
        if self.handler is None or method not in self.requests_handled:
            peer.refuse(id, "noHandler", "nobody answers for that", 20)
            return
        number = len(self.waiting) + 1
        self.waiting[number] = (peer, id, method, params)
        shown: Line = {name: params[name] for name in ("action", "items", "arguments", "item", "operations") if name in params}
        if method == "propose":
            gone = [id for operation in params["operations"] if operation["op"] == "deleteItems" for id in operation["items"]]
            shown["summary"] = {"deletedItems": len(gone)} if gone else {"movedItems": 1}
        self.handler.notify(
            "request", handler=1, request=number, list="tasks", kind=method, revision=self.revision,
            **{"from": {"name": "asker", "pid": os.getpid(), "uid": os.getuid()}}, **shown)

    @staticmethod
    def _kind(params: Line) -> str:
        return "perform" if "action" in params else "propose" if "operations" in params else "expand"

    def answer(self, peer: Peer, id: Any, params: Line) -> None:
        asker, asked, kind, request = self.waiting.pop(params["request"], (None, None, "", {}))
        if asker is None:
            peer.refuse(id, "invalidParams", "nobody waits for that", -32602)
            return
        peer.reply(id, {})
        if "refusal" in params:
            asker.refuse(asked, "refused", params["refusal"], 21)
            return
        if "failure" in params:
            asker.refuse(asked, "handlerLost", params["failure"], 23)
            return
        result = {"list": "tasks", "revision": self.revision}
        if kind == "perform":
            result["result"] = params.get("result")
        elif kind == "propose":
            self.revision += 1
            result.update(revision=self.revision, changed=True, operations=params.get("operations", request["operations"]))
        else:
            result["item"] = request["item"]
        asker.reply(asked, result)

    def has_ended(self, peer: Peer) -> None:
        with self._ending:
            if peer is not self.handler:
                return
            self.handler = None
        for asker, id, _, _ in self.waiting.values():
            asker.refuse(id, "handlerLost", "the handler has gone; it may have happened", 23)
        self.waiting.clear()
