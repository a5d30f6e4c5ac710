"""Links and files of the attacker in paths that other users' programs open."""

import contextlib
import importlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon import BINARIES, REPOSITORY, is_reached, run
from lines import line
from trial import Attack, Trial
from users import ATTACKER, VICTIM, Teller, as_user


@contextmanager
def folder(user: int = 0, mode: int = 0o755) -> Iterator[Path]:
    """A folder that belongs to a user, in a folder that belongs to root."""
    outer = Path(tempfile.mkdtemp(prefix="attack-paths-"))
    outer.chmod(0o755)
    inner = outer / "f"
    inner.mkdir()
    os.chown(inner, user, user)
    inner.chmod(mode)
    try:
        yield inner
    finally:
        shutil.rmtree(outer, ignore_errors=True)


def _swap(teller: Teller, directory: Path, good: str) -> None:
    """Swaps a link between the real socket's folder and one of the attacker, and counts the clients that send to the latter."""
    evil = directory / "evil"
    evil.mkdir()
    evil.chmod(0o755)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(evil / "socket"))
    os.chmod(evil / "socket", 0o666)
    listening.listen(4096)
    caught: list[int] = []

    def accept() -> None:
        while True:
            connection, _ = listening.accept()
            with contextlib.suppress(OSError):
                connection.settimeout(0.3)
                # A client that checks the server's credentials closes the connection before the first byte.
                if connection.recv(1):
                    caught.append(1)
            connection.close()

    threading.Thread(target=accept, daemon=True).start()
    os.symlink(good, directory / "link")
    teller.tell("ready")
    end = time.monotonic() + 0.5
    while True:
        for target in (str(evil), good, str(directory / "missing")):
            os.symlink(target, directory / "new")
            os.rename(directory / "new", directory / "link")
        if time.monotonic() > end:
            teller.tell(len(caught))
            end = time.monotonic() + 0.5


def _swapped_links(trial: Trial) -> None:
    """Clients connect through a link that the attacker swaps constantly."""
    count = 20 if trial.is_brief else 400

    # Imported as root: other users may be unable to read the interpreter's modules.
    sys.path.insert(0, str(REPOSITORY / "clients/python/src"))
    diffable = importlib.import_module("diffable")

    def connect(path: str) -> None:
        """Connects with the Python client."""
        end = time.monotonic() + (3 if trial.is_brief else 30)
        for _ in range(10 * count):
            with contextlib.suppress(diffable.DiffableError, OSError):
                diffable.Client(path, patience=0, reply_timeout=1).status()
            if time.monotonic() > end:
                break

    # A client checks the path of this socket, and may then connect to another one.
    with trial.daemon(with_victim=False, socket_owner=0) as daemon, folder(ATTACKER) as directory:
        child = trial.attacker(lambda teller: _swap(teller, directory, str(daemon.directory)))
        child.told()
        path = f"{directory}/link/socket"
        # Root is left out, because it connects to the sockets of all users.
        for _ in range(count):
            run("diffablectl", "status", "--socket", path, user=VICTIM)
        as_user(VICTIM, lambda: connect(path))
        begin = time.monotonic()
        caught = 0
        while time.monotonic() < begin + 1:
            caught = child.told()
        trial.check(caught == 0, f"{caught} clients spoke to the attacker's socket")


def _other_socket(trial: Trial) -> None:
    """The attacker listens on a socket in a directory that everybody can write to."""
    def serve(teller: Teller, path: str) -> None:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(path)
        os.chmod(path, 0o666)
        listening.listen()
        teller.tell("ready")
        connection, _ = listening.accept()
        teller.tell(len(connection.recv(100)))

    with folder(ATTACKER, 0o777) as directory:
        child = trial.attacker(lambda teller: serve(teller, f"{directory}/socket"))
        child.told()
        os.chown(directory, 0, 0)
        done = run("diffablectl", "status", "--socket", f"{directory}/socket", user=VICTIM, patience=10)
        trial.check(done.returncode != 0 and "is not used" in done.stderr,
                    f"a socket that others can replace is refused: {done.stderr[:200]}")


def _state_directory(trial: Trial) -> None:
    """Root starts a daemon with a state directory that the attacker has prepared."""
    secret = b"root's own file\n"

    def start(state: Path, *options: str) -> tuple[int | None, str]:
        """The exit status, or None if the daemon serves."""
        path = state.parent / "socket"
        path.unlink(missing_ok=True)
        program = subprocess.Popen(
            [BINARIES / "diffabled", "--state-directory", state, "--socket", path, "--config", "/dev/null", *options],
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, text=True)
        end = time.monotonic() + (1 if trial.is_brief else 2)
        try:
            while program.poll() is None and not path.exists() and time.monotonic() < end:
                time.sleep(0.01)
            return program.poll(), ""
        finally:
            program.kill()
            program.communicate()

    def names() -> list[str]:
        """The files that a daemon creates."""
        with folder(0, 0o700) as directory:
            state = directory / "state"
            state.mkdir(mode=0o700)
            start(state)
            return sorted(os.listdir(state))

    files = names()
    trial.check(bool(files), f"a daemon makes {', '.join(files)}")
    for name in ["witness"] if trial.is_brief else files:
        for options in ([], ["--repair"]):
            with folder(ATTACKER, 0o755) as directory, folder(0, 0o700) as own:
                target = own / "file"
                target.write_bytes(secret)
                state = directory / "state"
                state.mkdir(mode=0o700)
                os.symlink(target, state / name)
                os.lchown(state / name, ATTACKER, ATTACKER)
                os.chown(state, ATTACKER, ATTACKER)
                status, _ = start(state, *options)
                trial.check(status not in (None, 0), f"a state directory of another user, with a link {name}, is refused")
                trial.check(target.read_bytes() == secret and os.listdir(own) == ["file"],
                            f"root's file behind the link {name} is kept")
    for mode, owner, what in (
            (0o777, 0, "that everybody may write"), (0o770, 0, "that a group may write"), (0o700, ATTACKER, "of another user")):
        with folder(0, 0o755) as directory:
            state = directory / "state"
            state.mkdir()
            os.chown(state, owner, ATTACKER)
            state.chmod(mode)
            status, _ = start(state)
            trial.check(status not in (None, 0), f"a state directory {what} is refused (exit status {status})")
    with folder(ATTACKER, 0o755) as directory, folder(0, 0o700) as own:
        os.symlink(own, directory / "state")
        os.lchown(directory / "state", ATTACKER, ATTACKER)
        status, _ = start(directory / "state")
        trial.check(status not in (None, 0) and not os.listdir(own),
                    f"a link of another user to a directory of root is refused (exit status {status})")


def _output_files(trial: Trial) -> None:
    """Root writes a backup to a path where the attacker has put a link."""
    with trial.daemon(with_victim=False) as daemon, folder(0, 0o1777) as directory, folder(0, 0o700) as own:
        trial.check(is_reached(daemon), "root's clients use the daemon")
        target = own / "file"
        target.write_text("kept")
        for name, aim in (("to-a-file", target), ("to-nothing", own / "new")):
            os.symlink(aim, directory / name)
            os.lchown(directory / name, ATTACKER, ATTACKER)
            for options in ([], ["--force"]):
                run("diffablectl", "backup", "--socket", daemon.path, *options, str(directory / name))
        trial.check(target.read_text() == "kept", "a backup does not follow a link to a file of root's")
        trial.check(not (own / "new").exists(), "a backup does not create a file behind a link")


EDITOR = """#!/bin/sh
for file; do :; done
as_attacker() { setpriv --reuid USER --regid USER --clear-groups sh -c "$1" "$file"; }
as_attacker 'cat "$0"' >/dev/null 2>&1 && touch READ
as_attacker 'd=${0%/*}; mv "$d" "$d.old" && mkdir "$d" && echo "\\"forged\\"" >"$0"' 2>/dev/null && touch EDITED
exit 0
"""


def _edited_file(trial: Trial) -> None:
    """$TMPDIR of `diffablectl edit` is a directory that everybody can write to."""
    with trial.daemon(with_victim=False) as daemon, folder(0, 0o777) as directory:
        trial.check(is_reached(daemon), "root's clients use the daemon")
        client = daemon.client()
        client.result(line("createList", list="of.root", durability="volatile"))
        client.result(line("transact", list="of.root", operations=[
            {"op": "appendItems", "items": [{"id": "a", "content": "mine"}]}]))
        client.close()
        editor = directory.parent / "editor"
        # Replaces its file as the attacker.
        edited, read = directory.parent / "edited", directory.parent / "read"
        editor.write_text(EDITOR.replace("USER", str(ATTACKER)).replace("READ", str(read)).replace("EDITED", str(edited)))
        editor.chmod(0o755)
        done = run("diffablectl", "edit", "of.root", "a", "--socket", daemon.path,
                   environment={"TMPDIR": str(directory), "EDITOR": str(editor), "VISUAL": str(editor), "TERM": "dumb"})
        content = daemon.client().result(line("snapshot", list="of.root"))["snapshot"]["sections"][0]["items"][0]["content"]
        trial.check(done.returncode != 0 or edited.exists(), "the other user replaced the editor's file, or nothing was edited")
        trial.check(content == "mine", f"the edited item is {content!r} after another user has put a file in place of the editor's")
        trial.check(not read.exists(), "another user cannot read the editor's file")


def _feeds_file(trial: Trial) -> None:
    """Root runs diffable-feed with a file that the attacker can write to."""
    with trial.daemon(with_victim=False) as daemon, folder(ATTACKER, 0o755) as directory, folder(0, 0o755) as own:
        trial.check(is_reached(daemon), "root's clients use the daemon")
        marker = own / "marker"
        text = f"- list: x\n  command: [touch, {marker}]\n  every: 1s\n"
        for name, owner, mode in (("of-attacker.yaml", ATTACKER, 0o644), ("for-everybody.yaml", 0, 0o666)):
            place = (directory if owner else own) / name
            place.write_text(text)
            os.chown(place, owner, owner)
            place.chmod(mode)
            done = run("diffable-feed", "--config", str(place), "--socket", daemon.path, "--once", "x", patience=20)
            trial.check(not marker.exists(), f"root runs a command of the file {name} (exit status {done.returncode})")
            marker.unlink(missing_ok=True)



ATTACKS = [
    Attack("swapped links before the socket", _swapped_links, "nobody speaks to it"),
    Attack("a socket of somebody else", _other_socket, "refused", False),
    Attack("a hostile state directory", _state_directory, "refused, nothing overwritten"),
    Attack("links in place of a backup", _output_files, "not followed"),
    Attack("the editor's file", _edited_file, "not replaced"),
    Attack("a hostile feeds.yaml", _feeds_file, "refused"),
]
