"""The latency of another user's requests during an attack."""

import math
import selectors
import time
from dataclasses import dataclass
from typing import Any

from lines import Client, fill, line
from users import VICTIM, Child, Failure, Teller, as_user

METHODS = ("ping", "transact", "snapshot", "search")
ITEMS = 20_000
# The pause between a reply and the next request of the same method, in seconds.
PAUSE = 0.008


def prepare(path: str) -> None:
    """Creates the lists of the victim."""
    def body() -> None:
        client = Client(path)
        fill(client, "victim.long", ITEMS, durability="volatile")
        fill(client, "victim.page", 500, durability="volatile")
        # Other users may follow this list.
        client.result(line("createList", list="victim.tasks", mode="0644"))
        client.result(line("transact", list="victim.tasks", operations=[{"op": "appendItems", "items": [{"id": "a"}]}]))
    as_user(VICTIM, body)


def _requests(number: int) -> dict[str, bytes]:
    return {
        "ping": line("ping"),
        "transact": line("transact", list="victim.tasks",
                         operations=[{"op": "reconfigureItems", "items": [{"id": "a", "content": number}]}]),
        "snapshot": line("snapshot", list="victim.page"),
        # Each search has another word, so that the daemon cannot reuse a result.
        "search": line("snapshot", list="victim.long", view={"search": f"item {number % ITEMS}", "window": {"limit": 10}})}


@dataclass
class Latency:
    """Percentiles for one method, in milliseconds."""

    p50: float
    p99: float
    max: float
    count: int

    @staticmethod
    def of(times: list[float]) -> "Latency":
        times = sorted(times)
        def at(share: float) -> float:
            return 1000 * times[min(len(times) - 1, math.ceil(share * len(times)) - 1)]
        return Latency(at(0.5), at(0.99), 1000 * times[-1], len(times)) if times else Latency(math.inf, math.inf, math.inf, 0)

    def __str__(self) -> str:
        return "/".join(_short(value) for value in (self.p50, self.p99, self.max))


def _short(milliseconds: float) -> str:
    return f"{milliseconds:.1f}" if milliseconds < 10 else f"{milliseconds:.0f}"


Latencies = dict[str, Latency]


def measure(path: str, seconds: float, patience: float) -> Latencies:
    """Measures for some seconds, then waits for missing replies for at most the patience.

    A request without a reply counts with its waiting time.
    """
    child = start(path, seconds, patience)
    try:
        return finish(child, seconds, patience)
    finally:
        child.stop()


def start(path: str, seconds: float, patience: float) -> Child:
    return Child(VICTIM, lambda teller: _ask(path, seconds, patience, teller), priority=-15)


def finish(child: Child, seconds: float, patience: float) -> Latencies:
    told = child.told(seconds + patience + 60)
    return {method: Latency.of(told[method]) for method in METHODS}


def _ask(path: str, seconds: float, patience: float, teller: Teller) -> None:
    """Sends the requests. Each method has its own connection, so that a slow one does not delay the others."""
    times: dict[str, list[float]] = {method: [] for method in METHODS}
    selector = selectors.DefaultSelector()
    clients = {}
    for method in METHODS:
        clients[method] = Client(path, patience + seconds)
        clients[method].socket.setblocking(False)
        selector.register(clients[method].socket, selectors.EVENT_READ, method)
    begin = time.monotonic()
    end = begin + seconds
    # By method: the time when its request was sent, or when the next is due.
    sent: dict[str, float] = {}
    due = {method: begin + PAUSE * number / len(METHODS) for number, method in enumerate(METHODS)}
    number = 0
    while True:
        now = time.monotonic()
        if now >= end and not sent or now >= end + patience:
            break
        for method, moment in list(due.items()):
            if now >= moment and now < end:
                number += 1
                request = _requests(number)[method]
                del due[method]
                sent[method] = time.monotonic()
                clients[method].socket.send(request)
        waits = [moment - time.monotonic() for moment in due.values()] if now < end else []
        for key, _ in selector.select(max(0.0, min([*waits, 0.5]))):
            method = key.data
            chunk = clients[method].socket.recv(1 << 20)
            if not chunk:
                raise Failure(f"the daemon has closed the victim's connection for {method}")
            if b"\n" in chunk:
                times[method].append(time.monotonic() - sent.pop(method))
                due[method] = time.monotonic() + PAUSE
            if b'"error"' in chunk:
                raise Failure(f"the victim's {method} is refused: {chunk[:300]!r}")
    for method, moment in sent.items():
        times[method].append(time.monotonic() - moment)
    told: dict[str, Any] = dict(times)
    teller.tell(told)
