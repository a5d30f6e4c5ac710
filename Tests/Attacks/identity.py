"""The identity of clients, and their names in the log."""

import ctypes
import os
import re
import socket
import subprocess
import time
from functools import partial
from pathlib import Path

from daemon import BINARIES, Daemon, run
from lines import Client, encoded, line, repeated
from trial import Attack, Skipped, Trial
from users import ATTACKER, DAEMON, NEWCOMER, VICTIM, Failure, Teller, as_user

GROUP = 60_500


def _shared(daemon: Daemon) -> None:
    """Creates a list of the victim that only a group may read."""
    with_root = daemon.client()
    with_root.result(line("createList", list="of.group", durability="volatile"))
    with_root.result(line("setAccess", list="of.group", owner=VICTIM, group=GROUP, mode="0640"))


def _groups(trial: Trial) -> None:
    """A user leaves a group, or passes a connection to another user."""
    def reads(client: Client) -> bool:
        return client.error(line("snapshot", list="of.group")) is None

    def passed_on(path: str, opener: list[int], user: list[int]) -> bool:
        """Whether a user in some groups can read through a connection that a user in other groups opened."""
        mine, other = socket.socketpair()

        def open_it() -> None:
            client = Client(path)
            client.result(line("ping"))
            socket.send_fds(mine, [b"x"], [client.socket.fileno()])

        def use_it() -> bool:
            _, descriptors, _, _ = socket.recv_fds(other, 1, 1)
            return reads(Client(path, connection=socket.socket(fileno=descriptors[0])))

        as_user(ATTACKER, open_it, opener)
        return bool(as_user(NEWCOMER, use_it, user))

    with trial.daemon(with_victim=False) as daemon:
        _shared(daemon)
        trial.check(as_user(ATTACKER, lambda: reads(Client(daemon.path)), [GROUP]), "a member of the group reads")
        trial.check(not as_user(ATTACKER, lambda: reads(Client(daemon.path))),
                    "a user who has left the group does not, from the next connection on")
        trial.check(passed_on(daemon.path, [GROUP], []), "a connection of a member reads for whoever uses it")
        trial.check(not passed_on(daemon.path, [], [GROUP]), "a connection of somebody else does not read for a member")


def _namespaces(trial: Trial) -> None:
    """A user becomes root in a user namespace."""
    def inside(path: str) -> list[object]:
        try:
            _become_root_of_a_namespace()
        except OSError as error:
            return [str(error)]
        client = Client(path)
        client.result(line("createList", list="made.inside", durability="volatile"))
        owners = [entry["owner"] for entry in client.result(line("lists"))["lists"] if entry["list"] == "made.inside"]
        return [os.getuid(), *owners, *(client.error(request) for request in (
            line("snapshot", list="of.root"), line("snapshot", list="of.group"), line("reload")))]

    with trial.daemon(with_victim=False) as daemon:
        _shared(daemon)
        daemon.client().result(line("createList", list="of.root", durability="volatile"))
        found = as_user(ATTACKER, lambda: inside(daemon.path), [GROUP])
        if len(found) == 1:
            raise Skipped(f"no user namespace can be made here: {found[0]}")
        user, owner, of_root, of_group, reload = found
        trial.check((user, owner) == (0, ATTACKER), f"the user {user} of a namespace creates a list of the user {owner}")
        trial.check(of_root == "noSuchList", f"root of a namespace reads root's list (error: {of_root})")
        trial.check(of_group is None, f"a group that the namespace does not know still counts (error: {of_group})")
        trial.check(reload == "permissionDenied", f"root of a namespace asks to reload (error: {reload})")


def _become_root_of_a_namespace() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    # A process that has changed its user can write its maps only after PR_SET_DUMPABLE. Then CLONE_NEWUSER.
    libc.prctl(4, 1, 0, 0, 0)
    if libc.unshare(0x1000_0000):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")


def _unmapped(trial: Trial) -> None:
    """For a daemon in a user namespace, all users outside of it have the same id. They must not share lists."""
    before = ["unshare", "--user", "--map-root-user"]
    directory = Path(f"/tmp/attack-unmapped-{os.getpid()}")

    def serve(teller: Teller) -> None:
        os.mkdir(directory, 0o755)
        os.chdir(directory)
        environment = {**os.environ, "DIFFABLED_CLIENTS": "everyone"}
        os.execvpe(before[0], [*before, str(BINARIES / "diffabled"), "--socket", f"{directory}/socket", "--state-directory",
                               f"{directory}/state", "--log-level", "error"], environment)

    def creates(path: str) -> str | None:
        client = Client(path, 10)
        try:
            return client.error(line("createList", list=f"of.{os.getuid()}", durability="volatile"))
        except (Failure, OSError):
            return "closed"

    def reads(path: str, name: str) -> str | None:
        try:
            return Client(path, 10).error(line("snapshot", list=name))
        except (Failure, OSError):
            return "closed"

    if subprocess.run([*before, "true"], check=False, capture_output=True).returncode:
        raise Skipped("no user namespace can be made here")
    child = trial.attacker(serve, DAEMON)
    path = f"{directory}/socket"
    end = time.monotonic() + 10
    while not os.path.exists(path):
        if child.has_ended() or time.monotonic() > end:
            return trial.check(True, "the daemon does not start in a user namespace")
        time.sleep(0.05)
    try:
        created = as_user(VICTIM, lambda: creates(path))
        read = as_user(ATTACKER, lambda: reads(path, f"of.{VICTIM}"))
        trial.check(created is not None or read is not None,
                    f"a user creates a list (error: {created}), and another reads it (error: {read})")
    finally:
        trial.stop()
        subprocess.run(["rm", "-rf", str(directory)], check=False)


HOSTILE = [
    "\nMESSAGE=forged\nPRIORITY=0\n", "\x1b[2J\x1b]0;owned\x07", "a\r2026-01-01T00:00:00Z critical: forged",
    "\u202e\u2028\u0085", "x=1 peerUID=0", '" request=backup peerUID=0 "', "\x00", "\x9b31m"]
LOG_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (trace|debug|info|notice|warning|error|critical): ")


def _log_fields(trial: Trial) -> None:
    """Names and methods that try to forge a log line, or to control the terminal that shows it."""
    def body(path: str, text: str) -> None:
        client = Client(path)
        # Without the characters that a name cannot have.
        name = "".join(character for character in text if character.isprintable() or character > "\x9f")
        for request in (line("hello", name=text), line("hello", name=name), line("snapshot", list=name), line(text), line("backup"),
                        line("createList", list=name, mode=text), line("perform", list=name, action=text), text.encode() + b"\n",
                        encoded({"id": text, "method": "reload"})):
            client.send(request)
        client.socket.shutdown(socket.SHUT_WR)
        while client.receive():
            pass

    with trial.daemon("logLevel: debug\n", with_victim=False) as daemon:
        _shared(daemon)
        # The daemon logs at most ten refusals of a user at once.
        for number, text in enumerate(HOSTILE):
            as_user(ATTACKER + number, partial(body, daemon.path, text))
        log = daemon.log_path.read_bytes().decode(errors="backslashreplace")
        bad = [row for row in log.split("\n")[:-1] if not LOG_LINE.match(row)]
        trial.check(len(log) > 1000, "the log has something")
        trial.check(not bad, f"lines of the log that a client has made: {bad[:3]}")
        controls = [row for row in log.split("\n") if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028]", row)]
        trial.check(not controls, f"lines of the log with control characters: {controls[:3]}")
        unquoted = [re.sub(r'"(\\.|[^"\\])*"', "", row) for row in log.split("\n")]
        forged = [row for row in unquoted if len(re.findall(r"(?:^| )peerUID=", row)) > 1]
        trial.check(not forged, f"lines of the log with two users: {forged[:2]}")


def _log_length(trial: Trial) -> None:
    """Refused requests and connections with long names, as fast as possible. The log must stay short."""
    bad = repeated([line("x" * 60_000), line("snapshot", list="y" * 250), line("backup"), b"\xff" * 5000 + b"\n",
                    line("createList", list="z" * 60_000)], 1 << 19)

    def churn(teller: Teller, path: str) -> None:
        teller.tell("begun")
        while True:
            for _ in range(100):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(path)
                connection.send(b'{"method":"hello","params":{"name":"' + b"n" * 200 + b'"}}\nbackup\n')
                connection.close()

    with trial.daemon(with_victim=False) as daemon:
        trial.flood(daemon, 20, lambda number: bad)
        trial.attacker(lambda teller: churn(teller, daemon.path)).told()
        time.sleep(1)
        before = len(daemon.log())
        seconds = trial.seconds
        time.sleep(seconds)
        rate = (len(daemon.log()) - before) / seconds
        trial.check(rate < 4096, f"the log grows by {rate:.0f} bytes a second")
        trial.check(before < 1 << 17, f"the log begins with {before} bytes")


def _labels(trial: Trial) -> None:
    """Names of lists that try to forge a sample for Prometheus."""
    name = 'a"} 1\\ndiffabled_up 0 #'

    def body(path: str) -> None:
        client = Client(path)
        client.reply(line("hello", name='n"} 1\ndiffabled_forged 1'))
        client.reply(line("createList", list=name, durability="volatile", mode="0644"))
        client.reply(line("subscribe", list=name))

    with trial.daemon(with_victim=False) as daemon:
        as_user(ATTACKER, lambda: body(daemon.path))
        done = run("diffablectl", "status", "--prometheus", environment={"DIFFABLED_SOCKET": daemon.path})
        if done.returncode:
            raise Failure(done.stderr)
        sample = re.compile(r'#|[a-z_]+(\{([a-z_]+="(\\.|[^"\\])*",?)*\})? [-+0-9.e]+$')
        forged = [row for row in done.stdout.splitlines() if not sample.match(row)
                  or row.startswith(("diffabled_up ", "diffabled_forged"))]
        trial.check(not forged, f"samples that a client has made: {forged[:3]}")


ATTACKS = [
    Attack("group changes and passed connections", _groups, "rights of the opener"),
    Attack("user namespaces of clients", _namespaces, "the outer user and groups"),
    Attack("a daemon in a user namespace", _unmapped, "unknown users share nothing"),
    Attack("hostile fields of the log", _log_fields, "no forged line"),
    Attack("the length of the log", _log_length, "4 KiB a second", False),
    Attack("hostile labels", _labels, "no forged sample", False),
]
