"""Starts a daemon as systemd does: as an unprivileged user, with a socket that root opened."""

import contextlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from lines import Client, line
from users import DAEMON, Failure, become, prefer

REPOSITORY = Path(__file__).resolve().parent.parent.parent
BINARIES = Path(os.environ.get("DIFFABLED_BINARIES") or REPOSITORY / ".build/release").resolve()
MEBIBYTE = 1 << 20


class Daemon:
    """A daemon with a temporary directory of its own."""

    def __init__(self, configuration: str = "", descriptors: int | None = None, state: Path | None = None,
                 before: list[str] | None = None, socket_owner: int = DAEMON) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="attack-"))
        self.directory.chmod(0o755)
        self.state = state or self.directory / "state"
        if not state:
            self.state.mkdir(mode=0o700)
            os.chown(self.state, DAEMON, DAEMON)
        self.path = str(self.directory / "socket")
        self.log_path = self.directory / "log"
        self.configuration = self.directory / "diffabled.yaml"
        self.configuration.write_text(configuration)
        self._descriptors = descriptors
        # A command that runs the daemon, as root, for example in a namespace.
        self._before = before or []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.path)
        os.chmod(self.path, 0o666)
        # Root's clients trust the owner of a socket. Other clients trust the user `diffabled`, which may not exist here.
        os.chown(self.path, socket_owner, socket_owner)
        self._listening.listen(4096)
        self.start()

    def start(self) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._exec()
            finally:
                os._exit(127)
        try:
            with contextlib.closing(Client(self.path, 20)) as client:
                client.result(line("ping"))
        except OSError as error:
            raise Failure(f"the daemon does not start: {error}: {self.log()[-2000:]}") from None

    def _exec(self) -> None:
        os.dup2(self._listening.fileno(), 3)
        os.set_inheritable(3, True)
        log = os.open(self.log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = min(hard, self._descriptors or 65_536)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        os.setsid()
        prefer(-10)
        program = [str(BINARIES / "diffabled"), "--state-directory", str(self.state), "--config", str(self.configuration)]
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
                       "DIFFABLED_CLIENTS": "everyone", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "diffabled"}
        if self._before:
            # exec keeps the process id, so LISTEN_PID is the daemon's.
            command = [*self._before, "sh", "-c", 'LISTEN_PID=$$ exec setpriv --reuid "$0" --regid "$0" --clear-groups "$@"',
                       str(DAEMON), *program]
            os.execvpe(command[0], command, environment)
        become(DAEMON)
        os.execve(program[0], program, {**environment, "LISTEN_PID": str(os.getpid())})

    def __enter__(self) -> "Daemon":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._listening.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def end(self) -> None:
        if self.is_running():
            os.kill(self.pid, signal.SIGTERM)
            limit = time.monotonic() + 20
            while self.is_running():
                if time.monotonic() > limit:
                    os.kill(self.pid, signal.SIGKILL)
                    os.waitpid(self.pid, 0)
                    self.pid = 0
                time.sleep(0.01)

    def is_running(self) -> bool:
        if self.pid and os.waitpid(self.pid, os.WNOHANG)[0] == self.pid:
            self.pid = 0
        return self.pid != 0

    def client(self, patience: float = 60) -> Client:
        """A connection of root."""
        return Client(self.path, patience)

    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    # MARK: Resources

    def _status(self, name: str) -> int:
        try:
            for row in Path(f"/proc/{self.pid}/status").read_text().splitlines():
                if row.startswith(name + ":"):
                    return int(row.split()[1]) * 1024
        except OSError:
            pass
        return 0

    def memory(self) -> int:
        return self._status("VmRSS")

    def peak(self) -> int:
        """The peak since `forget_peak`."""
        return self._status("VmHWM")

    def forget_peak(self) -> None:
        with contextlib.suppress(OSError):
            Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def processor_time(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rest(self) -> None:
        """Waits until the daemon is idle, for at most a minute."""
        end = time.monotonic() + 60
        while self.is_running() and time.monotonic() < end:
            before = self.processor_time()
            time.sleep(0.3)
            if self.processor_time() - before <= 0.01:
                return

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))


def run(program: str, *arguments: str, user: int = 0, patience: float = 60, environment: dict[str, str] | None = None,
        directory: Path | None = None, stdin: str = "", memory: int | None = None) -> subprocess.CompletedProcess[str]:
    """Runs one of our programs as a user, and waits for its end."""
    def prepare() -> None:
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if user:
            become(user)

    return subprocess.run(
        [BINARIES / program, *arguments], preexec_fn=prepare, timeout=patience, input=stdin, capture_output=True, text=True,
        errors="replace", cwd=directory or "/", check=False,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": "/nonexistent", **(environment or {})})


def is_reached(daemon: Daemon) -> bool:
    """Whether root's clients use the daemon. Otherwise the attacks on them would show nothing."""
    return run("diffablectl", "status", "--socket", daemon.path).returncode == 0
