"""Creates, deletes and renames lists while earlier changes are not on disk yet."""

import os
import random
import socket
import time

from daemon import Daemon
from lines import Client, Flood, items, line
from trial import Attack, Trial
from users import ATTACKER, PATIENCE, Failure, Teller, as_user

NAMES = 6


def _one_name(trial: Trial) -> None:
    """Creates and deletes a list with the same name thousands of times on one connection."""
    def body(path: str) -> int:
        client = Client(path, 10)
        requests = [line("createList", list="a.x"), line("deleteList", list="a.x")] * 500
        client.send(b"".join(requests))
        return sum(b'"error"' in client.receive()[:60] for _ in requests)

    with trial.daemon(with_victim=False) as daemon:
        failed = sum(as_user(ATTACKER, lambda: body(daemon.path)) for _ in range(10 if trial.is_brief else 40))
        trial.check(failed == 0, f"{failed} requests of one user to create and delete a list fail")
        _check_storage(trial, daemon)


def _check_storage(trial: Trial, daemon: Daemon) -> None:
    failures = [row for row in daemon.log().splitlines() if " critical: " in row or " error: " in row]
    trial.check(not failures, f"the log has {failures[:1]}")
    trial.check(daemon.is_running(), "the daemon still runs")
    if daemon.is_running():
        with_root = daemon.client()
        trial.check(with_root.error(line("createList", list="of.root")) is None, "root can create a list")


def _random_request(chance: random.Random) -> bytes:
    def name() -> str:
        return f"a.{chance.randrange(NAMES)}"

    kind = chance.choices(
        ["create", "volatile", "leased", "delete", "never", "undelete", "rename", "change", "apply", "undo", "mode", "subscribe",
         "schemas", "lists", "propose"], [6, 2, 1, 6, 1, 3, 3, 4, 2, 1, 1, 1, 1, 0.3, 1])[0]
    match kind:
        case "create":
            return line("createList", list=name(), ifAbsent=chance.random() < 0.3)
        case "volatile":
            return line("createList", list=name(), durability="volatile")
        case "leased":
            return line("createList", list=name(), lease="connection")
        case "delete":
            return line("deleteList", list=name())
        case "never":
            return line("deleteList", list=name(), keep="never")
        case "undelete":
            return line("undeleteList", list=name(), **({"as": name()} if chance.random() < 0.5 else {}))
        case "rename":
            return line("renameList", list=name(), to=name())
        case "change":
            return line("transact", list=name(), requestKey=str(chance.randrange(100)), operations=[
                {"op": "appendItems", "items": [{"id": f"i{chance.randrange(10**9)}", "content": chance.random()}]}])
        case "apply":
            snapshot = items(chance.choice([0, 3, 300]), 60, f"r{chance.randrange(9)}.")
            return line("apply", list=name(), section="s", snapshot=snapshot,
                        **({"lease": "connection"} if chance.random() < 0.3 else {}))
        case "undo":
            return line("undo", list=name())
        case "mode":
            return line("setAccess", list=name(), mode=chance.choice(["0600", "0644", "0666"]))
        case "subscribe":
            return line("subscribe", list=name(), ifAbsent="wait", once=True)
        case "schemas":
            return line("setSchemas", list=name(), schemas={chance.choice("ab"): {}})
        case "propose":
            return line("propose", list=name(), operations=[{"op": "deleteAllItems"}])
        case _:
            return line("lists", deleted=True)


def _random_lives(trial: Trial) -> None:
    """Sends random requests about lists on connections that end at random, and compares the lists before and after a restart."""
    seed = int(os.environ.get("DIFFABLED_SEED") or random.randrange(1 << 31))
    # Small limits, so that the daemon purges deleted lists and history too.
    configuration = "deletedLengthMax: 40000\nhistoryLengthMax: 20000\npastLengthMax: 100000\n"

    def live(teller: Teller, path: str, number: int, seconds: float) -> None:
        chance = random.Random(f"{seed} {number}")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            count = chance.choice([20, 500, 2000])
            flood = Flood(path, chance.choice([1, 4]), lambda _: b"".join(_random_request(chance) for _ in range(count)))
            flood.run(lambda told: None, min(chance.choice([0.05, 0.3, 2]), max(0.01, end - time.monotonic())))
        teller.tell("done")

    with trial.daemon(configuration, with_victim=False) as daemon:
        for turn in range(1 if trial.is_brief else 4):
            children = [trial.attacker(lambda teller: live(teller, daemon.path, 3 * turn + number, trial.seconds))
                        for number in range(3)]
            for child in children:
                child.told(PATIENCE)
            trial.stop()
            daemon.rest()
            _check_storage(trial, daemon)
            if not daemon.is_running():
                break
            before = _seen(daemon)
            daemon.end()
            daemon.start()
            after = _seen(daemon)
            trial.check(before == after, f"seed {seed}: lists before and after a restart: {before} and {after}")
            daemon.client().result(line("deleteList", list="of.root", keep="never"))


def _seen(daemon: Daemon) -> list[tuple[str, int, int]]:
    """The durable lists with their revisions and items."""
    return [(entry["list"], entry["revision"], entry["items"]) for entry in daemon.client().result(line("lists"))["lists"]
            if entry["durability"] == "durable"]


def _out_of_band(trial: Trial) -> None:
    """Sends bytes out of band, between requests and alone."""
    def body(path: str) -> None:
        for first in (b"", b"ping\n"):
            client = Client(path)
            client.socket.send(first)
            for _ in range(3):
                time.sleep(0.1)
                client.socket.send(b"\n", socket.MSG_OOB)
            client.socket.send(b"ping\n")
            for _ in range(2 if first else 1):
                client.reply(b"")

    with trial.daemon() as daemon:
        try:
            as_user(ATTACKER, lambda: body(daemon.path))
        except Failure as failure:
            trial.check(False, f"a client that sends bytes out of band is served: {failure}")


ATTACKS = [
    Attack("bytes out of band", _out_of_band, "the daemon still runs"),
    Attack("a list made and deleted thousands of times", _one_name, "no error"),
    Attack("random lives of lists", _random_lives, "no error, nothing lost"),
]
