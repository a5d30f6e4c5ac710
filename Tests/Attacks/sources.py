"""Sources that the attacker has prepared for feeds of another user."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from daemon import BINARIES, MEBIBYTE, Daemon, is_reached
from lines import Client, line
from paths import folder
from trial import Attack, Trial
from users import ATTACKER, Child, Teller

# The most memory of diffable-feed, in MiB.
FEED_MAX = 512
# A limit by the kernel, so that a fault does not take the machine's memory.
FEED_CEILING = 6 << 30


def _peak(daemon: Daemon, directory: Path, feeds: str, seconds: float, until_list: str | None = None) -> tuple[int, str, bool]:
    """Runs feeds as root. Returns their peak memory, their log, and whether a list has appeared."""
    file = directory / "feeds.yaml"
    file.write_text(feeds)
    log = directory / "feeds.log"
    with log.open("w") as output:
        program = subprocess.Popen(
            ["prlimit", f"--as={FEED_CEILING}", BINARIES / "diffable-feed", "--config", file, "--socket", daemon.path],
            stderr=output, stdout=output, stdin=subprocess.DEVNULL, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
    peak, appeared = 0, False
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end and program.poll() is None:
            with contextlib.suppress(OSError):
                for row in Path(f"/proc/{program.pid}/status").read_text().splitlines():
                    if row.startswith("VmHWM:"):
                        peak = max(peak, int(row.split()[1]) * 1024)
            if until_list:
                client = Client(daemon.path)
                appeared = client.error(line("snapshot", list=until_list)) is None
                client.close()
                if appeared:
                    break
            time.sleep(0.05)
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()
    return peak, log.read_text(errors="replace"), appeared


def _recursive_view(trial: Trial) -> None:
    """Databases whose views return endless or very long rows."""
    seconds = 3 if trial.is_brief else 12
    views = {
        "endless": "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, id AS text FROM n",
        "wide": "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 100000) "
                "SELECT id, printf('%.*c', 1000000, 'x') AS text FROM n",
        "blob": "SELECT 1 AS id, hex(zeroblob(400000000)) AS text",
        "busy": "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 1 AS text FROM n WHERE id < 0",
    }
    with trial.daemon(with_victim=False) as daemon:
        trial.check(is_reached(daemon), "root's clients use the daemon")
        for name, view in views.items():
            if trial.is_brief and name != "wide":
                continue
            with folder(0, 0o755) as directory:
                path = directory / "hostile.db"
                with sqlite3.connect(path) as database:
                    database.execute(f"CREATE VIEW mail AS {view}")
                database.close()
                os.chown(path, ATTACKER, ATTACKER)
                feeds = f"- list: mail\n  sqlite: {path}\n  query: SELECT id, text FROM mail\n"
                peak, _, _ = _peak(daemon, directory, feeds, seconds)
                for program, taken in (("diffable-feed", peak), ("the daemon", daemon.memory())):
                    trial.check(taken < FEED_MAX * MEBIBYTE,
                                f"{program} takes {taken / MEBIBYTE:.0f} of {FEED_MAX} MiB for the view {name}")


def _special_files(trial: Trial) -> None:
    """A FIFO and devices in place of databases."""
    with trial.daemon(with_victim=False) as daemon, folder(0, 0o777) as directory, folder(0, 0o755) as own:
        trial.check(is_reached(daemon), "root's clients use the daemon")
        fifo = directory / "fifo.db"
        os.mkfifo(fifo, 0o666)
        for name, target in (("null", "/dev/zero"), ("tty", "/dev/ptmx")):
            os.symlink(target, directory / f"{name}.db")

        def wait_for_reader(teller: Teller) -> None:
            """Opens the FIFO for writing, which succeeds only if another process reads it."""
            teller.tell("ready")
            while True:
                try:
                    os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
                except OSError:
                    time.sleep(0.002)
                    continue
                teller.tell("opened")
                return

        child = trial.attacker(wait_for_reader)
        child.told()
        feeds = "".join(f"- list: hostile.{name}\n  sqlite: {directory}/{name}.db\n  query: SELECT 1 AS id\n  every: 1s\n"
                        for name in ("fifo", "null", "tty")) + "- list: good\n  command: [echo, one]\n  from: lines\n  every: 1s\n"
        _, said, appeared = _peak(daemon, own, feeds, 3, until_list="good")
        trial.check(appeared, f"a feed beside hostile sources runs: {said[-300:]}")
        _peak(daemon, own, feeds, 1 if trial.is_brief else 4)
        trial.check(not child.has_ended(), "a FIFO in place of a database is not opened")


def _raced_directory(trial: Trial) -> None:
    """Swaps a folder of a directory feed with a link to a folder of root."""
    def swap(teller: Teller, directory: Path, secret: Path) -> None:
        os.chdir(directory)
        os.mkdir("real")
        os.rename("real", "sub")
        os.symlink(secret, "hidden")
        teller.tell("ready")
        while True:
            for number in range(200):
                os.rename("sub", "aside")
                os.rename("hidden", "sub")
                os.rename("sub", "hidden")
                os.rename("aside", "sub")
                if number % 20 == 0:
                    os.utime("sub")

    with trial.daemon(with_victim=False) as daemon, folder(ATTACKER, 0o755) as directory, folder(0, 0o700) as own:
        trial.check(is_reached(daemon), "root's clients use the daemon")
        (own / "the-secret-name").write_text("x")
        child: Child = trial.attacker(lambda teller: swap(teller, directory, own))
        child.told()
        feeds = f"- list: watched\n  directory: {{path: {directory}, depth: 3, hidden: true}}\n"
        end = time.monotonic() + 15
        found = False
        runs = 0
        while time.monotonic() < end and not found:
            _peak(daemon, own, feeds, 1)
            runs += 1
            client = Client(daemon.path)
            reply = client.reply(line("snapshot", list="watched"))
            client.close()
            found = "the-secret-name" in str(reply)
        trial.check(not found, f"in {runs} runs, the feed of a directory shows a name behind a link: {found}")


ATTACKS = [
    Attack("hostile views of a database", _recursive_view, f"feeds below {FEED_MAX} MiB"),
    Attack("special files as sources", _special_files, "none is opened"),
    Attack("a directory that becomes a link", _raced_directory, "no name behind it", False),
]
