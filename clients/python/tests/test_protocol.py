"""docs/openrpc.json and a running daemon: the tests call every method, and compare every line of the daemon with its schema."""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import socket
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from .support import REPOSITORY, Daemon, eventually

JSON = Any
Schema = Any

DOCUMENT: Dict[str, Any] = json.loads((REPOSITORY / "docs/openrpc.json").read_text())
METHODS: Dict[str, Any] = {method["name"]: method for method in DOCUMENT["methods"]}
NOTIFICATIONS: Dict[str, Any] = {notification["name"]: notification["params"] for notification in DOCUMENT["x-notifications"]}
ERRORS: Dict[str, Any] = DOCUMENT["components"]["errors"]

#: How many seconds a line may take that arrives at once on a quiet machine.
PATIENCE = 60


# MARK: Schemas


def resolve(reference: str) -> Schema:
    found: Any = DOCUMENT
    for part in reference[2:].split("/"):
        found = found[part]
    return found


def problems(value: JSON, schema: Schema, at: str = "") -> Iterator[str]:
    """The violations of the schema. An object may have only the declared members."""
    if "$ref" in schema:
        yield from problems(value, resolve(schema["$ref"]), at)
    for part in schema.get("allOf", ()):
        yield from problems(value, part, at)
    if "anyOf" in schema and all(any(problems(value, part)) for part in schema["anyOf"]):
        yield f"{at} is none of the alternatives: {json.dumps(value)}"
    if "type" in schema and not is_of_type(value, schema["type"]):
        yield f"{at} is no {schema['type']}: {json.dumps(value)}"
        return
    for name in ("enum", "const"):
        if name in schema and json.dumps(value) not in map(json.dumps, schema["enum"] if name == "enum" else [schema["const"]]):
            yield f"{at} is not {schema[name]}: {json.dumps(value)}"
    if "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        yield f"{at} is out of range: {value}"
    if "minLength" in schema and not schema["minLength"] <= len(value) <= schema["maxLength"]:
        yield f"{at} is too long or too short: {value}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{at} does not match {schema['pattern']}: {value}"
    if "items" in schema:
        for index, element in enumerate(value):
            yield from problems(element, schema["items"], f"{at}[{index}]")
    if schema.get("type") != "object":
        return
    members = schema.get("properties", {})
    for name in set(schema.get("required", ())) - set(value):
        yield f"{at} lacks {name}"
    for name, member in value.items():
        other = schema.get("additionalProperties") or None
        if name in members or other is not None:
            yield from problems(member, members.get(name, other), f"{at}.{name}")
        else:
            yield f"{at} has the undeclared member {name}"


def is_of_type(value: JSON, kind: str) -> bool:
    types: Dict[str, Any] = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, types[kind])


def objects(value: JSON, schema: Schema) -> Iterator[Tuple[str, Dict[str, JSON]]]:
    """The objects in a value that conforms to the schema, with the titles of their types."""
    if "$ref" in schema:
        yield from objects(value, resolve(schema["$ref"]))
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ())):
        if not any(problems(value, part)):
            yield from objects(value, part)
    if "items" in schema:
        for element in value:
            yield from objects(element, schema["items"])
    if schema.get("type") == "object":
        if "title" in schema:
            yield schema["title"], value
        for name, member in value.items():
            yield from objects(member, schema.get("properties", {}).get(name, schema.get("additionalProperties", {})))


def example(schema: Schema, known: Dict[str, JSON]) -> JSON:
    """A value that the schema allows; `known` has the values of some types."""
    return next(variants(schema, known, True))


def variants(schema: Schema, known: Dict[str, JSON], is_first: bool = False, inside: Tuple[str, ...] = ()) -> Iterator[JSON]:
    """Values that the schema allows: each alternative, and each optional member of each object, is in one of them."""
    if "$ref" in schema:
        name, declaration = schema["$ref"].split("/")[-1], resolve(schema["$ref"])
        if declaration.get("readOnly"):
            return
        is_deep = "properties" in declaration or "anyOf" in declaration
        if name in known and (is_first or name in inside or not is_deep):
            yield known[name]
        elif name not in inside:
            yield from variants(declaration, known, is_first, (*inside, name))
    elif "allOf" in schema or "anyOf" in schema:
        for part in schema.get("allOf") or schema["anyOf"]:
            yield from variants(part, known, is_first, inside)
    elif "const" in schema or "enum" in schema:
        yield from schema.get("enum") or [schema["const"]]
    elif schema.get("type") == "array":
        for element in variants(schema["items"], known, is_first, inside):
            yield [element]
    elif schema.get("type") == "object":
        least = {name: example(schema["properties"][name], known) for name in schema.get("required", ())}
        if schema.get("additionalProperties"):
            least["todo"] = example(schema["additionalProperties"], known)
        yield least
        for name, member in schema.get("properties", {}).items():
            if member.get("readOnly"):
                continue
            for value in variants(member, known, False, inside):
                yield {**least, name: value}
    elif schema.get("type") == "boolean":
        yield from (True, False)
    else:
        number = schema.get("minimum", 1)
        yield {"string": "x", "null": None, "number": number, "integer": number}.get(schema.get("type", ""), {"due": 1})


def nested(schema: Schema, wrapped: Any, inside: Tuple[str, ...] = ()) -> Iterator[Tuple[str, Schema, Any]]:
    """The object types inside a schema: the title, the schema, and a function that makes a value of the whole from one of this
    type."""
    if "$ref" in schema:
        if schema["$ref"] not in inside and not resolve(schema["$ref"]).get("readOnly"):
            yield from nested(resolve(schema["$ref"]), wrapped, (*inside, schema["$ref"]))
        return
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ())):
        yield from nested(part, wrapped, inside)
    if "items" in schema:
        yield from nested(schema["items"], lambda value: wrapped([value]), inside)
    if schema.get("additionalProperties"):
        yield from nested(schema["additionalProperties"], lambda value: wrapped({"todo": value}), inside)
    if "properties" in schema:
        yield schema["title"], schema, wrapped
        for name, member in schema["properties"].items():
            whole = {**example(schema, KNOWN)}
            yield from nested(member, lambda value, name=name, whole=whole: wrapped({**whole, name: value}), inside)


def known_members(message: str) -> Set[str]:
    """The members that the refusal of an unknown member names."""
    found = re.search(r"(?:it has|or use one of) (.*) \(at byte \d+\)$", message)
    if not found:
        raise AssertionError(f"no names in: {message}")
    return set() if found[1] == "none" else set(found[1].split(", "))


# MARK: Connections


class Peer:
    """A connection. Every line that arrives is compared with its schema."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.socket = socket.socket(socket.AF_UNIX)
        eventually(lambda: self._is_connected(bench.daemon.socket))
        self.socket.setblocking(False)
        self.notifications: List[Tuple[str, Dict[str, JSON]]] = []
        self.answers: List[Dict[str, JSON]] = []
        self._read = b""
        self._asked: Dict[int, str] = {}
        self._replies: Dict[int, Dict[str, JSON]] = {}
        bench.selector.register(self.socket, selectors.EVENT_READ, self)

    def _is_connected(self, path: str) -> bool:
        """The socket exists a moment before the daemon listens."""
        try:
            self.socket.connect(path)
            return True
        except ConnectionRefusedError:
            return False

    def close(self) -> None:
        self.bench.selector.unregister(self.socket)
        self.socket.close()

    def send(self, method: str, **params: JSON) -> int:
        number = self.bench.next_number()
        self._asked[number] = method
        self.socket.sendall(json.dumps({"id": number, "method": method, "params": params}).encode() + b"\n")
        return number

    def send_line(self, line: str) -> int:
        """Sends a line that is not a request; the number of its reply is 0."""
        self.socket.sendall(line.encode() + b"\n")
        return 0

    def reply(self, number: int) -> Dict[str, JSON]:
        """The `result`, or the `error`."""
        self.bench.run(lambda: number in self._replies)
        return self._replies.pop(number)

    def call(self, method: str, **params: JSON) -> Dict[str, JSON]:
        return self.reply(self.send(method, **params))

    def succeed(self, method: str, **params: JSON) -> JSON:
        reply = self.call(method, **params)
        if "error" in reply:
            raise AssertionError(f"{method} {params}: {reply['error']}")
        return reply["result"]

    def fail(self, error: str, method: str, **params: JSON) -> JSON:
        reply = self.call(method, **params)
        if reply.get("error", {}).get("data", {}).get("name") != error:
            raise AssertionError(f"{method} {params} was to be {error}: {reply}")
        return reply["error"]

    def heard(self, method: str) -> Dict[str, JSON]:
        """The next notification of a method; those before it are dropped."""
        found: List[Dict[str, JSON]] = []

        def is_there() -> bool:
            while self.notifications and not found:
                name, params = self.notifications.pop(0)
                if name == method:
                    found.append(params)
            return bool(found)

        self.bench.run(is_there, f"the notification {method}")
        return found[0]

    def receive(self) -> None:
        data = self.socket.recv(1 << 20)
        *lines, self._read = (self._read + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def _take(self, message: Dict[str, JSON]) -> None:
        if "method" in message:
            name, params = message["method"], message["params"]
            self.bench.check_notification(message)
            if self.answers and name == "request":
                self.send("answer", request=params["request"], **self.answers[0])
            elif self.bench.outcome and "call" in params:
                self.send("settle", call=params["call"], outcome=self.bench.outcome)
            self.notifications.append((name, params))
        else:
            number = message["id"] if message["id"] is not None else 0
            self.bench.check_reply(self._asked.get(number), message)
            self._replies[number] = message


class Bench:
    """A daemon, its connections, and the parts of the document that were seen."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.selector = selectors.DefaultSelector()
        #: The outcome with which a connector settles its calls at once; empty: it does not.
        self.outcome = ""
        self.succeeded: Set[str] = set()
        self.notified: Set[str] = set()
        self.failed: Set[str] = set()
        self.members: Set[str] = set()
        self._number = 0

    def next_number(self) -> int:
        self._number += 1
        return self._number

    def peer(self) -> Peer:
        return Peer(self)

    @contextlib.contextmanager
    def peers(self, count: int) -> Iterator[List[Peer]]:
        peers = [self.peer() for _ in range(count)]
        yield peers
        for peer in peers:
            peer.close()

    def run(self, is_over: Any, awaited: str = "the reply") -> None:
        while not is_over():
            ready = self.selector.select(PATIENCE)
            if not ready:
                raise AssertionError(f"{awaited} did not arrive")
            for key, _ in ready:
                key.data.receive()

    def check_notification(self, message: Dict[str, JSON]) -> None:
        self.notified.add(message["method"])
        self._check(message["params"], NOTIFICATIONS[message["method"]], message)

    def check_reply(self, method: Optional[str], message: Dict[str, JSON]) -> None:
        if "result" in message:
            if method is not None:
                self.succeeded.add(method)
                self._check(message["result"], METHODS[method]["result"]["schema"], message)
            return
        error = message["error"]
        name = error["data"]["name"]
        declared = ERRORS[name]
        self.failed.add(name)
        self._check(error["data"], declared["data"], message)
        if method in METHODS and {"$ref": f"#/components/errors/{name}"} not in METHODS[method]["errors"]:
            raise AssertionError(f"{method} does not declare the error {name}: {message}")
        if error["code"] != declared["code"]:
            raise AssertionError(f"{name} has another code: {message}")

    def _check(self, value: JSON, schema: Schema, message: Dict[str, JSON]) -> None:
        found = list(problems(value, schema))
        if found:
            raise AssertionError(f"{'; '.join(found)} in {json.dumps(message)[:2000]}")
        for title, one in objects(value, schema):
            self.members |= {f"{title}.{name}" for name in one}


# MARK: Tests


#: The keywords of JSON Schema (draft 7) that the document uses, and `problems` knows.
KEYWORDS = {
    "title", "description", "default", "$ref", "allOf", "anyOf", "enum", "const", "type", "items", "properties", "required",
    "additionalProperties", "minimum", "maximum", "minLength", "maxLength", "pattern",
    "readOnly",
}


class DocumentTest(unittest.TestCase):
    def test_the_document_is_complete(self) -> None:
        self.assertRegex(DOCUMENT["openrpc"], r"^1\.3\.\d+$")
        self.assertEqual(len(METHODS), len(DOCUMENT["methods"]))
        schemas = [*DOCUMENT["components"]["schemas"].values(), *(error["data"] for error in ERRORS.values())]
        for method in METHODS.values():
            required = [param.get("required", False) for param in method["params"]]
            self.assertEqual(required, sorted(required, reverse=True), f"{method['name']}: required parameters come first")
            self.assertIn(method["x-right"], DOCUMENT["x-rights"])
            schemas += [method["result"]["schema"], *(param["schema"] for param in method["params"])]
            for error in method["errors"]:
                resolve(error["$ref"])
        for schema in schemas:
            self._check(schema)

    def _check(self, schema: Schema) -> None:
        self.assertLessEqual(set(schema), KEYWORDS)
        if "$ref" in schema:
            self.assertEqual(list(schema), ["$ref"])
            resolve(schema["$ref"])
        parts = [*schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("properties", {}).values()]
        for part in [*parts, schema.get("items"), schema.get("additionalProperties")]:
            if part:
                self._check(part)


class TranscriptTest(unittest.TestCase):
    def test_the_replies_on_the_pages_are_as_declared(self) -> None:
        """The Swift tests run these transcripts."""
        count = 0
        for page in sorted((REPOSITORY / "docs").glob("*.md")):
            count += self._check(re.sub(r"^(?=\{\"jsonrpc\")", "S: ", page.read_text(), flags=re.M))
        self.assertGreater(count, 200)

    def _check(self, page: str) -> int:
        bench = Bench.__new__(Bench)
        bench.succeeded, bench.notified, bench.failed, bench.members = set(), set(), set(), set()
        methods: Dict[Any, str] = {}
        count = 0
        for peer, side, line in re.findall(r"^([CS])(2?): (.*)$", page, re.M):
            with contextlib.suppress(json.JSONDecodeError):
                message = json.loads(line)
                if not isinstance(message, dict):
                    continue
                key = (side, message.get("id"))
                if peer == "C":
                    methods[key] = message.get("method", "")
                    continue
                count += 1
                if "method" in message:
                    bench.check_notification(message)
                else:
                    method = methods.get(key, "")
                    bench.check_reply(method if method in METHODS else None, message)
        return count


#: A state with the ids of most requests.
SECTIONS = [{"id": "s", "items": [
    {"id": "a", "kind": "todo", "content": {"due": 1}, "expanded": True, "children": [{"id": "below"}]}, {"id": "b"}]}]

#: The values of some types in requests that are made from the schemas.
KNOWN: Dict[str, JSON] = {
    "SectionID": "s", "ItemID": "a", "Name": "a", "Item": {"id": "new"}, "Section": {"id": "new"}, "Path": "/due",
    "Mode": "0640", "Condition": {"path": "/due", "exists": True}, "UserID": 0, "Schema": True, "RequestKey": "key",
}

#: Parameters that the method needs although the document does not require them, because others could replace them.
NEEDED: Dict[str, Dict[str, JSON]] = {
    "apply": {"snapshot": {"sections": SECTIONS}}, "mirror": {"of": "source"}, "setAccess": {"mode": "0600"},
    "restore": {"more": True}, "undeleteList": {"list": "nothing"},
}

#: Types of requests that replies contain as well.
SENT = {"Item", "ItemPatch", "Section", "Snapshot", "SchemaObject"} | {operation["$ref"].split("/")[-1] for operation in
                                                          resolve("#/components/schemas/Operation")["anyOf"]}

#: These need other users, other hosts, or a full or broken disk. The Swift tests cover them.
UNSEEN_NOTIFICATIONS = {"behind", "subscriptionEnded"}
UNSEEN_ERRORS = {"noSpace", "shuttingDown", "storageFailed", "storageUnreadable"}
UNSEEN_MEMBERS = {"Status.refusing", "Status.loss", "AppendNotification.absent", "RemoveNotification.absent"}

#: A user who owns nothing, and the rights that a list's mode gives this user.
STRANGER = 65534
RIGHTS: Dict[str, List[str]] = {
    "0600": [], "0604": ["see"], "0602": ["change", "request"], "0601": ["request"],
    "0607": ["see", "change", "edit", "request"],
}

#: One decoder reads all of them.
CONDITIONS = ("And", "Or", "Not", "Test")

def least_params(method: Any, list_name: str) -> Dict[str, JSON]:
    """The required parameters of a request."""
    known = {**KNOWN, "ListName": list_name}
    return {param["name"]: example(param["schema"], known) for param in method["params"] if param.get("required")}


#: A value of the wrong type, and an unknown name. All other refusals concern several members together, or the state.
WRONG = re.compile(r"has no member|must be .*, not |there is no (method|operation) |is not supported here")


class MethodTest(unittest.TestCase):
    """One daemon, and a list for each call."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.configuration = Path(folder.name, "diffabled.yaml")
        self.configuration.write_text("engineWaitMax: 1\ndeletedLengthMax: 100000\n")
        daemon = Daemon("--config", str(self.configuration))
        self.addCleanup(daemon.close)
        self.bench = Bench(daemon)
        self.main = self.bench.peer()
        self.addCleanup(self.main.close)
        self._lists = 0

    def new_list(self) -> str:
        self._lists += 1
        name = f"list{self._lists}"
        self.main.succeed("createList", list=name, durability="volatile")
        self.main.succeed("apply", list=name, snapshot={"sections": SECTIONS})
        return name

    # MARK: Requests

    def test_the_daemon_accepts_what_the_document_declares(self) -> None:
        """For each method: a request with the required parameters, and one for each optional member and each alternative of a
        value, at any depth."""
        handler = self.bench.peer()
        handler.answers = [{}]
        count = 0
        for name, method in METHODS.items():
            schemas = {param["name"]: param["schema"] for param in method["params"]}
            for member in ["", *schemas]:
                for value in variants(schemas[member], KNOWN) if member else [None]:
                    list_name = f"new{count}" if name == "createList" else self.new_list()
                    if name in ("perform", "propose", "expand"):
                        handler.succeed("handle", list=list_name, requests=[name])
                    params = {**least_params(method, list_name), **NEEDED.get(name, {})}
                    if name == "restore":
                        params["list"] = list_name
                    if (name, member) == ("apply", "operations"):
                        del params["snapshot"]
                    if member and member != "list":
                        params[member] = value
                    if "host" in params:
                        params["replace"] = True
                    with self.bench.peers(1) as [peer]:
                        reply = peer.call(name, **params)
                        message = reply.get("error", {}).get("message", "")
                        self.assertIsNone(WRONG.search(message), f"{name} {params}: {message}")
                        if name != "restrict":
                            peer.succeed("ping")
                    count += 1
        self.assertGreater(count, 400)
        handler.close()

    def test_the_daemon_accepts_nothing_else(self) -> None:
        """A refusal of an unknown member names the known ones."""
        checked = set()
        name = "unknown-member"
        for method in METHODS.values():
            params = {param["name"]: param["schema"] for param in method["params"]}
            for member, schema in [("", None), *params.items()]:
                sent = least_params(method, "x")
                if not member:
                    message = self.main.call(method["name"], **{**sent, name: 1})["error"]["message"]
                    self.assertEqual(known_members(message), set(params), message)
                    continue
                for title, one, path in nested(schema, lambda value: value):
                    if title in checked:
                        continue
                    checked.add(title)
                    inner = {**example(one, KNOWN), name: 1}
                    message = self.main.call(method["name"], **{**sent, member: path(inner)})["error"]["message"]
                    titles = CONDITIONS if title in CONDITIONS else [title]
                    declared = {name for other in titles
                                for name, schema in resolve(f"#/components/schemas/{other}")["properties"].items()
                                if not schema.get("readOnly")}
                    self.assertEqual(known_members(message), declared, f"{title}: {message}")
        self.assertGreater(len(checked), 30)

    def test_the_daemon_refuses_what_is_out_of_range(self) -> None:
        count = 0
        for method in METHODS.values():
            sent = least_params(method, "x")
            for param in method["params"]:
                schema = param["schema"]
                while "$ref" in schema or "allOf" in schema:
                    schema = resolve(schema["$ref"]) if "$ref" in schema else schema["allOf"][0]
                wrong: List[JSON] = []
                if "minimum" in schema:
                    wrong = [schema["minimum"] - 1, schema["maximum"] + 1, "1", 0.5]
                elif schema.get("minLength"):
                    wrong = ["", "x" * (schema["maxLength"] + 1), 1]
                elif "enum" in schema or "const" in schema:
                    wrong = ["unknown-word", 1]
                elif schema.get("type") in ("boolean", "array", "object"):
                    wrong = ["x", 1]
                for value in wrong:
                    params = {**sent, param["name"]: value}
                    error = self.main.call(method["name"], **params)["error"]
                    self.assertIn(error["data"]["name"], ("invalidParams", "tooLarge"), f"{method['name']} {params}: {error}")
                    count += 1
        self.assertGreater(count, 200)

    def test_a_method_is_for_callers_with_the_declared_right(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root can connect as another user")
        os.chmod(self.bench.daemon.directory, 0o755)
        groups = os.getgroups()
        os.setgroups([])
        os.setegid(STRANGER)
        os.seteuid(STRANGER)
        try:
            stranger = self.bench.peer()
        finally:
            os.seteuid(0)
            os.setegid(0)
            os.setgroups(groups)
        self.addCleanup(stranger.close)
        for name, method in METHODS.items():
            for mode, rights in RIGHTS.items():
                list_name = self.new_list()
                self.main.succeed("setAccess", list=list_name, mode=mode)
                params = {**least_params(method, list_name), **NEEDED.get(name, {})}
                reply = stranger.call(name, **({"more": False} if name == "restore" else params))
                error = reply.get("error", {}).get("data", {}).get("name")
                is_refused = error in ("noSuchList", "permissionDenied", "notAttached", "noSuchSubscription")
                if method["x-right"] not in ("none", "create", "handler"):
                    self.assertEqual(is_refused, method["x-right"] not in rights, f"{name} with {mode}: {reply}")
        self.assertLessEqual(set(RIGHTS["0607"]), set(DOCUMENT["x-rights"]))

    # MARK: Replies

    def test_every_reply_notification_and_error_is_as_declared(self) -> None:
        """At the end, everything declared has been seen, except for the names in UNSEEN."""
        for act in (self.act_of_lists, self.act_of_changes, self.act_of_followers, self.act_of_handlers, self.act_of_hosts,
                    self.act_of_mirrors, self.act_of_administration):
            act()
        self.assertEqual(set(METHODS) - self.bench.succeeded, set(), "methods without a successful reply")
        self.assertEqual(set(NOTIFICATIONS) - self.bench.notified, UNSEEN_NOTIFICATIONS)
        self.assertEqual(set(ERRORS) - self.bench.failed, UNSEEN_ERRORS)
        replied = {title: set(schema["properties"]) for method in METHODS.values()
                   for title, schema, _ in nested(method["result"]["schema"], None) if title not in SENT}
        replied |= {title: set(schema["properties"]) for notification in NOTIFICATIONS.values()
                    for title, schema, _ in nested(notification, None) if title not in SENT}
        for name in UNSEEN_NOTIFICATIONS:
            del replied[NOTIFICATIONS[name]["$ref"].split("/")[-1]]
        unseen = {f"{title}.{name}" for title, names in replied.items() for name in names} - self.bench.members
        self.assertEqual(unseen, UNSEEN_MEMBERS)

    def act_of_lists(self) -> None:
        main = self.main
        main.succeed("hello", name="protocol", maxLine=65535)
        main.succeed("ping")
        main.succeed("help")
        with self.bench.peers(1) as [peer]:
            peer.succeed("restrict", lists=["tasks*"], methods=["hello", "createList"])
            peer.succeed("hello")
            peer.fail("permissionDenied", "createList", list="jobs")
        main.fail("methodNotFound", "hepl")
        main.fail("invalidParams", "apply", list="tasks")
        main.fail("noSuchList", "snapshot", list="nothing")
        main.succeed("createList", list="tasks", mode="0640")
        main.fail("listExists", "createList", list="tasks")
        main.succeed("setAccess", list="tasks", mode="0600", group=0)
        main.succeed("setSchemas", list="tasks", schemas={"todo": {"type": "object"}}, existing="keep")
        main.succeed("schemas", list="tasks")
        operations: JSON = [{"op": "appendItems", "items": [{"id": "a", "kind": "todo"}]}]
        main.fail("invalidContent", "transact", list="tasks", operations=operations)
        main.fail("revisionMismatch", "renameList", list="tasks", to="jobs", ifRevision=9)
        main.succeed("renameList", list="tasks", to="jobs")
        main.succeed("history", list="jobs")
        main.succeed("deleteList", list="jobs")
        main.succeed("lists", deleted=True)
        main.succeed("undeleteList", list="jobs", **{"as": "tasks"})
        main.succeed("createList", list="large")
        for number in range(5):
            operations = [{"op": "appendItems", "items": [{"id": f"{number}", "content": "x" * 30_000}]}]
            main.succeed("transact", list="large", operations=operations)
        main.fail("notKept", "deleteList", list="large", keep="required")
        with self.bench.peers(1) as [peer]:
            peer.succeed("subscribe", list="large", once=True)
            peer.heard("reset")

    def act_of_changes(self) -> None:
        main = self.main
        main.succeed("createList", list="changes")

        def transact(*operations: JSON, **terms: JSON) -> JSON:
            return main.call("transact", list="changes", operations=[*operations], **terms)

        transact({"op": "appendSections", "sections": SECTIONS}, requestKey="k")
        transact({"op": "deleteAllItems"}, dryRun=True)
        transact(more=True)
        transact(more=False)
        main.succeed("apply", list="changes", snapshot={"content": {"title": "x"}, "sections": [
            {"id": "s", "content": 1, "items": [
                {"id": "b", "content": 1}, {"id": "a", "kind": "other", "expanded": False, "children": [{"id": "new"}]}]},
            {"id": "t"}]})
        main.succeed("apply", list="changes", snapshot={"sections": [
            {"id": "t"}, {"id": "s", "items": [{"id": "a", "expanded": True}, {"id": "b"}]}]})
        main.succeed("undo", list="changes")
        main.succeed("redo", list="changes")
        main.succeed("undo", list="changes", dryRun=True)
        main.succeed("history", list="changes", mostRecent=True)
        main.succeed("difference", list="changes", **{"from": 0, "to": 1})
        main.succeed("apply", list="changes", section="t", snapshot=[{"id": "a"}])
        main.fail("noSuchRevision", "undo", list="changes", to=99)
        main.fail("requestKeyReused", "transact", list="changes", operations=[], requestKey="k")
        main.fail("tooLarge", "snapshot", list="changes", view={"window": {"limit": 100_000}})
        for error, operation in {
            "noSuchSection": {"op": "deleteSections", "sections": ["nothing"]},
            "noSuchItem": {"op": "deleteItems", "items": ["nothing"]},
            "duplicateSection": {"op": "appendSections", "sections": [{"id": "s"}]},
            "duplicateItem": {"op": "appendItems", "items": [{"id": "a"}]},
            "invalidAnchor": {"op": "insertItems", "after": "a", "section": "s", "items": [{"id": "c"}]},
            "ownDescendant": {"op": "moveItem", "item": "a", "parent": "a"},
        }.items():
            main.fail(error, "transact", list="changes", operations=[operation])
        self.assertEqual(main.reply(main.send_line("{"))["error"]["data"]["name"], "parseError")
        self.assertEqual(main.reply(main.send_line("{}"))["error"]["data"]["name"], "invalidRequest")

    def act_of_followers(self) -> None:
        name = self.new_list()
        with self.bench.peers(2) as [peer, writer]:
            writer.succeed("hello", name="writer")
            first = peer.succeed("subscribe", list=name, bookmark=50, minInterval=1)
            peer.heard("reset")
            peer.succeed("subscribe", list=name, since={"epoch": first["epoch"], "revision": 0}, deliver="snapshots")
            peer.succeed("subscribe", list=name, deliver="patches", view={"window": {"offset": 0, "limit": 3}})
            peer.succeed("subscribe", list=name, view={"window": {"limit": 3}})
            peer.succeed("subscribe", list="later", ifAbsent="wait", bookmark=50)
            peer.heard("bookmark")
            peer.succeed("snapshot", list=name, view={"window": {"limit": 3}})
            # Longer than a line, so it arrives in parts.
            writer.succeed("transact", list=name, operations=[
                {"op": "moveItem", "item": "b", "before": "a"}, {"op": "deleteItems", "items": ["below"]},
                {"op": "reconfigureItems", "items": [{"id": "b", "content": 1}]}, {"op": "collapseItems", "items": ["a"]},
                {"op": "patchItems", "items": [{"id": "a", "content": {"due": 2}}]},
                *({"op": "appendItems", "items": [{"id": f"{number}", "content": "x" * 30_000}]} for number in range(5))])
            for _ in range(4):
                peer.heard("changes")
            writer.succeed("apply", list=name, snapshot={"sections": []}, usingReloadData=True)
            peer.heard("reset")
            writer.succeed("clients")
            peer.succeed("followLists", content=True)
            writer.succeed("apply", list=name, snapshot={"content": {"title": "x"}, "sections": []})
            self.assertEqual(peer.heard("listsChanged")["listed"][0]["content"], {"title": "x"})
            writer.succeed("handle", list=name, requests=["perform"], actions=["tea"])
            while "actions" not in peer.heard("bookmark"):
                pass
            peer.succeed("setView", subscription=1, view={"expansion": "shared"})
            peer.succeed("unsubscribe", subscription=1)
            peer.fail("noSuchSubscription", "unsubscribe", subscription=1)
            writer.succeed("deleteList", list=name)
            peer.heard("listDeleted")
        self.act_of_windows()

    def act_of_windows(self) -> None:
        view = {"window": {"anchor": "a", "limit": 2, "pins": ["b"], "allSections": True}}
        for deliver, first, update in (("operations", "reset", "changes"), ("patches", "snapshot", "patch"),
                                       ("snapshots", "snapshot", "snapshot")):
            name = self.new_list()
            with self.bench.peers(2) as [peer, writer]:
                peer.succeed("subscribe", list=name, deliver=deliver, view=view)
                peer.heard(first)
                writer.succeed("transact", list=name, operations=[{"op": "deleteItems", "items": ["a"]}])
                self.assertIn("anchor", peer.heard(update))
        with self.bench.peers(1) as [peer]:
            # The anchor is not there any more.
            peer.succeed("subscribe", list=name, view=view, bookmark=10)
            peer.heard("reset")
            peer.succeed("snapshot", list=name, view=view)
            peer.succeed("restrict", methods=["subscribe", "ping"])
            for _ in range(20):
                if "may" in peer.heard("bookmark"):
                    break

    def act_of_handlers(self) -> None:
        name = self.new_list()
        with self.bench.peers(3) as [handler, asker, other]:
            handler.succeed("hello", name="handler")
            asker.fail("noHandler", "perform", list=name, action="tea")
            handler.succeed("handle", list=name, requests=["perform", "propose", "expand"], actions=["tea"])
            asker.succeed("hello", name="asker")
            asker.succeed("lists", actions=True)
            asker.succeed("clients", actions=True)
            other.fail("handlerExists", "handle", list=name, requests=["propose"])
            handler.answers = [{"result": {"cups": 2}}]
            asker.succeed("perform", list=name, action="tea", items=["a"], arguments={"cups": 2})
            asker.succeed("perform", list=name, action="tea", section="s")
            handler.answers = [{}]
            asker.succeed("propose", list=name, operations=[{"op": "appendItems", "items": [{"id": "c"}]}])
            asker.succeed("expand", list=name, item="b")
            asker.succeed("history", list=name)
            handler.answers = [{"refusal": "no tea"}]
            asker.fail("refused", "perform", list=name, action="tea")
            handler.answers = [{"failure": "no tea"}]
            asker.fail("handlerLost", "perform", list=name, action="tea")
            handler.answers = []
            asker.fail("handlerTimedOut", "perform", list=name, action="tea", timeout=1)
            handler.heard("requestCancelled")
            handler.fail("noSuchRequest", "answer", request=0)
            other.succeed("handle", list=name, requests=["expand"], replace=True)
            handler.succeed("ping")
            other.succeed("unhandle", handler=1)
            asker.succeed("deleteList", list=name)
            handler.heard("handlerEnded")

    def act_of_hosts(self) -> None:
        main = self.main
        main.fail("unreachable", "createList", list="plans", shared=True)
        main.fail("notAttached", "hosts", hosts=[])
        with self.bench.peers(3) as [connector, second, reader]:
            connector.succeed("attach", host="alpha", space="default")
            second.fail("attachExists", "attach", host="alpha")
            connector.succeed("hosts", hosts=["alpha", "beta"])
            self.bench.outcome = "done"
            main.succeed("createList", list="plans", shared=True)
            place = main.succeed("transact", list="plans", operations=[{"op": "appendItems", "items": [{"id": "a"}]}])
            reader.succeed("subscribe", list="plans")
            reader.heard("bookmark")
            main.succeed("snapshot", list="plans", mostRecent=True)
            connector.heard("confirm")
            main.fail("notForShared", "setSchemas", list="plans", schemas={})
            self.assertEqual(place["revision"], 1)
            main.succeed("status")
            main.succeed("lists")
            epoch = main.succeed("snapshot", list="plans")["epoch"]
            connector.succeed("checkpoint", list="plans")
            connector.succeed("replicate", list="plans", epoch=epoch, batches=['{"version":99,"batch":2}'], live=True)
            self.bench.outcome = ""
            waiting = main.send("transact", list="plans", operations=[{"op": "appendItems", "items": [{"id": "b"}]}])
            connector.heard("append")
            main.succeed("ping")
            second.succeed("attach", host="alpha", replace=True)
            connector.heard("detached")
            self.assertEqual(main.reply(waiting)["error"]["data"]["name"], "outcomeUnknown")
            reader.heard("bookmark")
            main.succeed("lists")
            second.succeed("replicate", list="plans", epoch=epoch, live=False)
            self.bench.outcome = "done"
            second.succeed("replicate", list="plans", epoch=epoch, live=True)
            main.succeed("deleteList", list="plans")
            second.heard("remove")

    def act_of_mirrors(self) -> None:
        main = self.main
        name = self.new_list()
        with self.bench.peers(1) as [other]:
            main.succeed("mirror", list=name, of="build:jobs")
            other.fail("mirrorExists", "mirror", list=name, of="build:jobs")
            other.fail("permissionDenied", "transact", list=name, operations=[{"op": "appendItems", "items": [{"id": "c"}]}])
            main.succeed("lists")
            main.succeed("status")

    def act_of_administration(self) -> None:
        main = self.main
        main.succeed("reload")
        self.configuration.write_text("engineWaitMax: 1\nsocket: /nowhere\nviewTermsMax: 5\n")
        main.succeed("reload")
        self.configuration.write_text("engineWaitMax: none\n")
        main.fail("invalidConfiguration", "reload")
        main.succeed("setSchemas", list="tasks", schemas={"todo": True}, others="refuse", existing="keep")
        main.succeed("setAccess", list="tasks", mode="0640")
        main.succeed("backup")
        main.heard("restore")
        main.succeed("restore", list="saved", operations=[], more=True)
        main.succeed("restore", more=False)
