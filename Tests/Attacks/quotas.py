"""Lists, connections and disk space that one user takes from others."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from daemon import Daemon
from lines import Client, Flood, items, line
from trial import Attack, Skipped, Trial
from users import ATTACKER, DAEMON, NEWCOMER, SUBORDINATES, VICTIM, Failure, as_user

# Replaces /etc/subuid in a mount namespace of the daemon's own.
BOUND = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/subuid && exec "$@"']


def _create_many(path: str, most: int) -> int:
    """Creates lists, and returns their number."""
    client = Client(path)
    count = 0
    for begin in range(0, most, 100):
        client.send(b"".join(line("createList", list=f"{os.getuid()}.{number}", durability="volatile")
                             for number in range(begin, begin + 100)))
        for _ in range(100):
            count += b'"result"' in client.receive()[:60]
    return count


def _can_create(path: str, user: int) -> bool:
    return bool(as_user(user, lambda: Client(path).error(line("createList", list=f"one.of.{user}", durability="volatile")) is None))


def _fill_lists(trial: Trial, daemon: Daemon) -> int:
    total = int(as_user(ATTACKER, lambda: _create_many(daemon.path, 1100)))
    for user in SUBORDINATES:
        total += int(as_user(user, lambda: _create_many(daemon.path, 1100)))
    trial.check(_can_create(daemon.path, NEWCOMER), f"a new user can create a list beside {total} of one user's ids")
    trial.check(_can_create(daemon.path, 0), f"root can create a list beside {total} of one user's ids")
    return total


def _lists(trial: Trial) -> None:
    """Thirteen user ids create as many lists as they can, which are more than there may be."""
    with trial.daemon("listsMax: 2000\n", with_victim=False) as daemon:
        _fill_lists(trial, daemon)


def _subordinate_lists(trial: Trial) -> None:
    """The same with an /etc/subuid that gives the ids to one user."""
    with tempfile.NamedTemporaryFile("w", suffix="subuid") as file:
        file.write(f"{ATTACKER}:{SUBORDINATES.start}:65536\n")
        file.flush()
        os.chmod(file.name, 0o644)
        before = [*BOUND, file.name]
        if subprocess.run([*before, "true"], check=False, capture_output=True).returncode:
            raise Skipped("no mount namespace can be made here")
        with trial.daemon(with_victim=False, before=before) as daemon:
            alone = int(as_user(ATTACKER, lambda: _create_many(daemon.path, 1100)))
            total = _fill_lists(trial, daemon)
            trial.check(total == 0, f"subordinate ids create {total} lists more than the {alone} of their owner")


def _connections(trial: Trial) -> None:
    """Thirteen user ids open as many connections as they can."""
    with trial.daemon(descriptors=1200) as daemon:
        for user in [ATTACKER, *SUBORDINATES]:
            child = trial.attacker(lambda teller: Flood(daemon.path, 200, lambda number: b"", lambda number: b"ping\n").run(
                teller.tell), user)
            child.told()
        for user, name in ((NEWCOMER, "a new user"), (VICTIM, "another user"), (0, "root")):
            trial.check(bool(as_user(user, lambda: _gets_in(daemon.path))), f"{name} gets a connection")


def _gets_in(path: str) -> bool:
    with contextlib.suppress(Exception):
        return "result" in Client(path, 5).reply(line("ping"))
    return False


def _disk(trial: Trial) -> None:
    """A user fills the file system of the state directory."""
    directory = Path(tempfile.mkdtemp(prefix="attack-disk-"))
    try:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "none", directory], check=False,
                          capture_output=True).returncode:
            raise Skipped("no file system can be mounted here")
        os.chown(directory, DAEMON, DAEMON)
        try:
            _fill_disk(trial, directory)
        finally:
            subprocess.run(["umount", "--lazy", directory], check=False)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _fill_disk(trial: Trial, directory: Path) -> None:
    def fill(path: str) -> str:
        client = Client(path)
        client.result(line("createList", list="a.full"))
        for turn in range(100):
            error = client.error(line("transact", list="a.full", operations=[
                {"op": "appendItems", "items": items(900, 600, f"f{turn}.")}]))
            if error:
                return error
        raise Failure("the disk does not fill up")

    def delete(path: str) -> None:
        Client(path).result(line("deleteList", list="a.full", keep="never"))

    def durable(path: str) -> str | None:
        return Client(path).error(line("transact", list="victim.tasks", operations=[
            {"op": "reconfigureItems", "items": [{"id": "a", "content": "after"}]}]))

    with trial.daemon(state=directory) as daemon:
        error = as_user(ATTACKER, lambda: fill(daemon.path))
        trial.check(error in ("noSpace", "tooLarge"), f"the user who fills the disk is refused with {error}")
        trial.check(_can_create(daemon.path, VICTIM), "another user can create a volatile list")
        trial.check(as_user(VICTIM, lambda: Client(daemon.path).error(line("snapshot", list="victim.tasks"))) is None,
                    "another user can read")
        refused = as_user(VICTIM, lambda: durable(daemon.path))
        trial.check(refused in (None, "noSpace"), f"another user's durable change is refused with {refused}")
        as_user(ATTACKER, lambda: delete(daemon.path))
        again = as_user(VICTIM, lambda: durable(daemon.path))
        trial.check(again is None, f"when the list is deleted, another user's change is refused with {again}")
        daemon.end()
        daemon.start()
        kept = as_user(VICTIM, lambda: b"after" in Client(daemon.path).reply(line("snapshot", list="victim.tasks"))["result"]
                       ["snapshot"]["sections"][0]["items"][0]["content"].encode())
        trial.check(bool(kept), "after a restart the change is there")


ATTACKS = [
    Attack("lists of many ids", _lists, "a new user and root create a list"),
    Attack("lists of subordinate ids", _subordinate_lists, "they count for their owner"),
    Attack("connections of many ids", _connections, "a new user and root get in"),
    Attack("a full disk", _disk, "refused, read, freed again"),
]
