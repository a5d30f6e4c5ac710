"""Child processes of other users. The users have ids without accounts."""

import contextlib
import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

# User ids that no distribution uses for accounts.
DAEMON, VICTIM, ATTACKER, NEWCOMER = 60_999, 61_001, 61_666, 61_002
# Subordinate ids of the attacker.
SUBORDINATES = range(610_000, 610_012)
# The timeout for everything that is not measured, in seconds.
PATIENCE = 120.0


class Failure(Exception):
    """An attack could not be carried out."""


def become(user: int, groups: Sequence[int] = ()) -> None:
    """Becomes this user permanently."""
    os.setgroups(list(groups))
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.environ.clear()
    os.environ.update({"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"})


def prefer(priority: int) -> None:
    """Gives this process priority over the attackers, so that the measurements do not depend on the scheduler."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, priority)


def allow_descriptors() -> None:
    """Raises the limit of open files to its maximum."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Child:
    """A process of another user that runs a function, and reports to its parent in lines of JSON."""

    def __init__(self, user: int, body: Callable[["Teller"], None], groups: Sequence[int] = (), priority: int = 0) -> None:
        self.user = user
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            prefer(priority)
            _be_child(user, groups, body, writing)
        os.close(writing)
        self._reading = reading
        self._part = b""
        self._is_over = False

    def told(self, patience: float = PATIENCE) -> Any:
        """The next report of the child. Fails if the child ends first, or after the timeout."""
        end = time.monotonic() + patience
        while b"\n" not in self._part:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._reading], [], [], left)[0]:
                raise Failure(f"the child {self.pid} says nothing")
            more = os.read(self._reading, 1 << 16)
            if not more:
                raise Failure(f"the child {self.pid} has ended")
            self._part += more
        line, _, self._part = self._part.partition(b"\n")
        told = json.loads(line)
        if isinstance(told, dict) and "failure" in told:
            raise Failure(told["failure"])
        return told

    def has_ended(self) -> bool:
        if not self._is_over:
            self._is_over = os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
        return self._is_over

    def stop(self) -> None:
        """Kills the child. Can be called twice."""
        if self._reading < 0:
            return
        if not self.has_ended():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._is_over = True
        os.close(self._reading)
        self._reading = -1


class Teller:
    """Sends reports from a child to its parent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def tell(self, what: Any) -> None:
        data = json.dumps(what).encode() + b"\n"
        while data:
            data = data[os.write(self._descriptor, data):]


def _be_child(user: int, groups: Sequence[int], body: Callable[[Teller], None], writing: int) -> NoReturn:
    teller = Teller(writing)
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        allow_descriptors()
        if user:
            become(user, groups)
        body(teller)
        status = 0
    except BrokenPipeError:
        pass
    except BaseException:
        with contextlib.suppress(OSError):
            teller.tell({"failure": traceback.format_exc()})
    finally:
        os._exit(status)


def as_user(user: int, body: Callable[[], Any], groups: Sequence[int] = (), patience: float = PATIENCE) -> Any:
    """Runs a function as another user, and returns its result."""
    child = Child(user, lambda teller: teller.tell({"result": body()}), groups)
    try:
        return child.told(patience)["result"]
    finally:
        child.stop()
