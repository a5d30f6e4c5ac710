"""The machine: on which cores programs run, whether other programs are busy, and the resources that a process has used."""

import os
import platform
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SERVER_CORE = 0
CLIENT_CORE = 1 if (os.cpu_count() or 1) > 1 else 0


def scratch(name):
    """A new directory on a real file system, which the caller removes: .build in the repository, or BENCH_SCRATCH."""
    base = Path(os.environ.get("BENCH_SCRATCH") or REPOSITORY / "Benchmarks" / ".build" / "scratch")
    base.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=name + "-", dir=base))


def socket_directory():
    """A short path: a socket's may have 107 bytes."""
    return Path(tempfile.mkdtemp(prefix="bench-"))


def file_system(path):
    """The type of the file system that a path is on, and its device."""
    answer = subprocess.run(["df", "--output=fstype,source", path], capture_output=True, text=True, check=True)
    kind, source = answer.stdout.splitlines()[1].split()
    return f"{kind} on {source}"


def spawn(command, core=None, **options):
    """Starts a process, on one core if asked to."""
    if core is not None:
        # Only then: with it Python copies itself, which takes longer than starting the process.
        options["preexec_fn"] = lambda: os.sched_setaffinity(0, {core})
    return subprocess.Popen([str(word) for word in command], **options)


def stop(process):
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def resident_bytes(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"process {pid} is gone")


def processor_seconds(pid):
    """Returns the CPU time of all threads of a process. The number of its CPU clock is computed from the process's id."""
    return time.clock_gettime((~pid << 3) | 2)


def switches(pid):
    """How often threads of a process waited or were made to, by thread: one that ends takes its number with it."""
    return {
        status.parent.name: sum(
            int(line.split()[1]) for line in status.read_text().splitlines() if "ctxt_switches" in line)
        for status in Path(f"/proc/{pid}/task").glob("*/status")}


def timed(command, **options):
    """Runs a command to its end; its time on the wall and of the processor, in seconds."""
    begin = time.perf_counter()
    process = spawn(command, **options)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}")
    return {"wall": wall, "processor": usage.ru_utime + usage.ru_stime}


def busy_share(seconds):
    """How busy all cores were for a while: 1 is one core."""
    def ticks():
        numbers = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        return sum(numbers[:3]) + sum(numbers[5:8])

    before = ticks()
    time.sleep(seconds)
    return (ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds


class Patience:
    """Waits for a quiet machine and repeats disturbed measurements, for a limited time, so that a run ends."""

    def __init__(self, seconds):
        self.seconds_left = seconds
        self.repeated = 0

    def wait(self):
        while self.seconds_left > 0 and busy_share(0.1) > 0.15:
            self.seconds_left -= 0.1

    def undisturbed(self, measure, is_clean, tries=3):
        """Returns the result of `measure`, repeated if it was disturbed, and whether the last one was clean."""
        for remaining in reversed(range(tries)):
            self.wait()
            begin = time.monotonic()
            result = measure()
            if is_clean(result):
                return result, True
            if remaining == 0 or self.seconds_left <= 0:
                return result, False
            self.repeated += 1
            self.seconds_left -= time.monotonic() - begin


def description():
    model = next(
        (line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")), platform.machine())
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 2**20
    system = next(
        (line.split("=", 1)[1].strip('"') for line in Path("/etc/os-release").read_text().splitlines()
         if line.startswith("PRETTY_NAME=")), platform.system())
    return {
        "machine": f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB",
        "kernel": f"{platform.release()}, {system}",
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": _commit(),
        "versions": _versions(),
    }


def _commit():
    def git(*words):
        return subprocess.run(["git", "-C", REPOSITORY, *words], capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "Sources", "Benchmarks", "Package.swift")
    return git("rev-parse", "--short=10", "HEAD") + (" with changes" if changed else "")


def _versions():
    commands = {
        "redis": ["redis-server", "--version"], "mosquitto": ["mosquitto", "-h"], "jq": ["jq", "--version"],
        "sqlite3": ["sqlite3", "--version"], "fzf": ["fzf", "--version"], "swift": ["swift", "--version"],
    }
    versions = {}
    for name, command in commands.items():
        if found(name if name != "redis" else "redis-server"):
            run = subprocess.run([found(command[0]), *command[1:]], capture_output=True, text=True)
            words = (run.stdout + run.stderr).split("\n", 1)[0].replace("jq-", "").replace("v=", "").split()
            versions[name] = next((word for word in words if word[0].isdigit()), "?")
    return versions


def found(program):
    """Debian keeps some servers where only root looks."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
