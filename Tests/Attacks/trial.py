"""One attack, its measurements and checks."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import victim
from daemon import MEBIBYTE, Daemon
from lines import Client, Flood
from users import ATTACKER, Child, Failure, Teller, as_user
from victim import METHODS, Latencies

# The bound for the 99th percentile: FACTOR times that of the idle daemon, or FLOOR in milliseconds.
FLOOR = 20.0
FACTOR = 3.0
# The bounds of the bounded version, in milliseconds. It runs at the same time as builds and other tests.
BRIEF_MEDIAN, BRIEF_MAX = 400.0, 1000.0
# Memory that the daemon may keep after the attack, in bytes.
KEPT = 64 * MEBIBYTE
# The time until then, in seconds.
RETURNED_WITHIN = 15.0


@dataclass
class Memory:
    before: int
    peak: int = 0
    after: int = 0

    def __str__(self) -> str:
        return "/".join(f"{value / MEBIBYTE:.0f}" for value in (self.before, self.peak, self.after))


@dataclass
class Outcome:
    """The result of an attack, for the report."""

    latencies: Latencies = field(default_factory=dict)
    memory: Memory | None = None
    # Each check: whether it held, and its description.
    checks: list[tuple[bool, str]] = field(default_factory=list)
    skipped: str | None = None
    # Lines for the report, below its table.
    rows: list[str] = field(default_factory=list)
    took: float = 0

    @property
    def has_held(self) -> bool:
        return all(held for held, _ in self.checks)


class Skipped(Exception):
    """The machine lacks something that the attack needs."""


@dataclass
class Attack:
    name: str
    run: Callable[["Trial"], None]
    target: str
    # Whether the bounded version includes it.
    is_brief: bool = True
    # The most by which the daemon's memory may grow, in MiB.
    memory_max: int = 256


class Trial:
    def __init__(self, attack: Attack, is_brief: bool) -> None:
        self.attack, self.is_brief = attack, is_brief
        # The victim's latency before the attack. The bounded version does not measure it.
        self.idle: Latencies = {}
        self.outcome = Outcome()
        self.seconds = 1.0 if is_brief else 6.0
        self.patience = 3.0 if is_brief else 30.0
        self._children: list[Child] = []

    # MARK: The daemon and its users

    @contextmanager
    def daemon(self, configuration: str = "", with_victim: bool = True, **options: Any) -> Iterator[Daemon]:
        """Starts a daemon, and creates the victim's lists."""
        with Daemon(configuration, **options) as daemon:
            try:
                if with_victim:
                    victim.prepare(daemon.path)
                    if not self.is_brief:
                        self.idle = victim.measure(daemon.path, 2, self.patience)
                yield daemon
                self.check(daemon.is_running(), "the daemon still runs")
            finally:
                self.stop()

    def attacker(self, body: Callable[[Teller], None], user: int = ATTACKER) -> Child:
        child = Child(user, body)
        self._children.append(child)
        return child

    def prepare(self, daemon: Daemon, body: Callable[[Client], Any], user: int = ATTACKER) -> Any:
        """Runs a function as the attacker on a connection of its own, before the attack."""
        return as_user(user, lambda: body(Client(daemon.path)))

    def flood(
        self, daemon: Daemon, connections: int, payload: Callable[[int], bytes], user: int = ATTACKER, **options: Any,
    ) -> Child:
        """Starts a flood. Returns when all its connections are open."""
        child = self.attacker(lambda teller: Flood(daemon.path, connections, payload, **options).run(teller.tell), user)
        child.told()
        return child

    def stop(self) -> None:
        """Ends the attackers, which also closes their connections."""
        for child in self._children:
            child.stop()
        self._children = []

    # MARK: Checks

    def check(self, held: bool, what: str) -> None:
        self.outcome.checks.append((held, what))

    @contextmanager
    def memory(self, daemon: Daemon, most: int | None = None) -> Iterator[None]:
        """Measures the daemon's memory before, during and after the attack."""
        most = (most or self.attack.memory_max) * MEBIBYTE
        memory = self.outcome.memory = Memory(daemon.memory())
        daemon.forget_peak()
        yield
        self.stop()
        memory.peak = daemon.peak()
        limit = time.monotonic() + RETURNED_WITHIN
        while (after := daemon.memory()) > memory.before + KEPT and time.monotonic() < limit:
            time.sleep(0.1)
        memory.after = after
        self.check(memory.peak - memory.before <= most,
                   f"memory grew by {(memory.peak - memory.before) / MEBIBYTE:.0f} of {most / MEBIBYTE:.0f} MiB")
        self.check(after - memory.before <= KEPT,
                   f"{(after - memory.before) / MEBIBYTE:.0f} of {KEPT / MEBIBYTE:.0f} MiB are kept")

    def measure(self, daemon: Daemon, seconds: float | None = None, what: str = "") -> Latencies:
        """Measures and checks the victim's latency."""
        try:
            latencies = victim.measure(daemon.path, seconds or self.seconds, self.patience)
        except Failure as failure:
            self.check(False, "the victim is refused: " + str(failure).strip().splitlines()[-1][:200])
            return {}
        self.check_latency(latencies, what)
        return latencies

    def check_latency(self, latencies: Latencies, what: str = "") -> None:
        during = f" during {what}" if what else ""
        for method in METHODS:
            felt = latencies[method]
            if self.is_brief:
                self.check(felt.p50 <= BRIEF_MEDIAN and felt.max <= BRIEF_MAX,
                           f"{method} takes {felt.p50:.0f} of {BRIEF_MEDIAN:.0f} ms (median), "
                           f"{felt.max:.0f} of {BRIEF_MAX:.0f} ms (maximum){during}")
            else:
                bound = max(FLOOR, FACTOR * self.idle[method].p99)
                self.check(felt.p99 <= bound, f"{method} takes {felt.p99:.0f} of {bound:.0f} ms (p99){during}")
        worst = self.outcome.latencies
        for method, felt in latencies.items():
            if method not in worst or felt.p99 > worst[method].p99:
                worst[method] = felt


def carry_out(attack: Attack, is_brief: bool) -> Trial:
    trial = Trial(attack, is_brief)
    begin = time.monotonic()
    try:
        attack.run(trial)
    except Skipped as reason:
        trial.outcome.skipped = str(reason)
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        trial.check(False, f"the attack could not be carried out: {str(failure).strip()[-600:]}")
    finally:
        trial.stop()
    trial.outcome.took = time.monotonic() - begin
    return trial
