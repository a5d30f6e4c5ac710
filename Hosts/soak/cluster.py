"""The processes of three hosts, as scripts/three-hosts starts them, and what can be done to them and to their network."""

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from gateway import Etcd

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "scripts" / "three-hosts"
HOSTS = (1, 2, 3)
KINDS = ("etcd", "diffabled", "diffabled-etcd")
CLONE_NEWNET = 0x40000000
# How long a change waits for the engine, in seconds: shorter than usual, so that a run sees more ends of waits.
ENGINE_WAIT = 3


def address(host):
    return f"10.77.0.{host}"


class Cluster:
    """Namespaces for as long as this is open; processes as they are asked for."""

    def __init__(self, logs=None, base=None, engine_wait=ENGINE_WAIT):
        self.name = f"so{os.getpid()}"
        self.directory = Path(tempfile.mkdtemp(prefix="soak-hosts-", dir=base))
        self.engine_wait = engine_wait
        self.logs = logs or self.directory
        self.processes = {}
        # Those that were to end.
        self.expected_ends = set()
        self.options = {}
        self.environment = {}
        # Called with each thing that is done.
        self.tell = print
        self.etcd = Etcd([address(host) for host in HOSTS])

    def __enter__(self):
        try:
            self._script("up")
            # From now on this process and what it starts are in the namespace of the switch, which reaches all members.
            with open(f"/var/run/netns/{self.name}-0") as namespace:
                if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), "setns")
            (self.directory / "diffabled.yaml").write_text(f"engineWaitMax: {self.engine_wait}\n")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.kill()
        for process in self.processes.values():
            process.wait()
        subprocess.run([SCRIPT, self.name, "down"], check=False)
        if self.logs == self.directory:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _script(self, *words):
        return subprocess.run([SCRIPT, self.name, *map(str, words)], check=True, capture_output=True, text=True).stdout

    def on(self, host, *words):
        """Runs a command in a host's namespace."""
        return self._script("on", host, *words)

    def etcd_for_reading(self):
        """For another thread."""
        return Etcd([address(host) for host in HOSTS])

    # MARK: Processes

    def start(self, kind, host, *options):
        self.tell(f"{kind} {host} starts")
        more = ["--config", self.directory / "diffabled.yaml", "--log-level", "notice"] if kind == "diffabled" else []
        more += [*self.options.get(kind, []), *options]
        with open(self.logs / f"{kind}{host}.log", "ab") as log:
            self.processes[kind, host] = subprocess.Popen(
                [SCRIPT, self.name, kind, str(host), self.directory, *map(str, more)], stdout=log, stderr=log,
                env={**os.environ, **self.environment.get((kind, host), {})})
        self.expected_ends.discard((kind, host))

    def start_all(self):
        for host in HOSTS:
            self.start("etcd", host)
        for host in HOSTS:
            self.start("diffabled", host)
        for host in HOSTS:
            self.await_daemon(host)
            self.start("diffabled-etcd", host)
        await_condition(lambda: self.etcd.leader() is not None, "a leader of etcd")

    def await_daemon(self, host):
        await_condition(lambda: is_listening(self.socket(host)), f"the daemon on host {host}")

    def socket(self, host):
        return str(self.directory / f"socket{host}")

    def send(self, kind, host, sign):
        self.processes[kind, host].send_signal(sign)

    def kill(self, kind, host):
        self.tell(f"{kind} {host} is killed")
        self.expected_ends.add((kind, host))
        self.send(kind, host, signal.SIGKILL)
        self.processes[kind, host].wait()

    def restart(self, kind, host):
        if self.processes[kind, host].poll() is not None:
            self.start(kind, host)
            if kind == "diffabled":
                self.await_daemon(host)

    def pause(self, host, kinds=KINDS):
        self.tell(f"host {host} stands still: {', '.join(kinds)}")
        for kind in kinds:
            self.send(kind, host, signal.SIGSTOP)

    def go_on(self, host, kinds=KINDS):
        self.tell(f"host {host} goes on: {', '.join(kinds)}")
        for kind in kinds:
            self.send(kind, host, signal.SIGCONT)

    def unexpected_ends(self):
        """Processes that ended by themselves, each with the end of its log."""
        for (kind, host), process in self.processes.items():
            if process.poll() is not None and (kind, host) not in self.expected_ends:
                log = (self.logs / f"{kind}{host}.log").read_text(errors="replace")
                yield f"{kind} on host {host} ended with {process.returncode}: {log[-600:]}"

    def slow_syncs(self, host, milliseconds):
        """Makes each sync of etcd on that host take longer, until the returned process is ended."""
        self.tell(f"syncs on host {host} take {milliseconds} ms more")
        return subprocess.Popen(
            ["strace", "-qq", "-f", "-o", "/dev/null", "-p", str(self.processes["etcd", host].pid), "-e", "trace=fdatasync",
             "-e", f"inject=fdatasync:delay_enter={milliseconds * 1000}"], stderr=subprocess.DEVNULL)

    def save(self):
        """Saves a copy of etcd's data; returns its path."""
        self.tell("a copy of etcd is saved")
        path = self.directory / "copy"
        path.unlink(missing_ok=True)
        self.on(0, "env", "ETCDCTL_API=3", "etcdctl", "--endpoints", f"http://{address(1)}:2379", "snapshot", "save", path)
        return path

    def restore(self, path):
        """Replaces etcd's data with the copy: ends all members and starts them again from it."""
        for host in HOSTS:
            self.kill("etcd", host)
        self.tell("the copy is restored")
        members = ",".join(f"{host}=http://{address(host)}:2380" for host in HOSTS)
        for host in HOSTS:
            folder = self.directory / f"etcd{host}"
            shutil.rmtree(folder)
            self.on(0, "env", "ETCDCTL_API=3", "etcdctl", "snapshot", "restore", path, "--name", host, "--data-dir", folder,
                    "--initial-cluster", members, "--initial-advertise-peer-urls", f"http://{address(host)}:2380")
            self.start("etcd", host)
        await_condition(lambda: self.etcd.leader() is not None, "a leader of etcd")

    # MARK: The network

    def refuse(self, at, source):
        """Makes host `at` drop everything from another host; the other direction still works."""
        self.tell(f"host {at} hears host {source} no more")
        self.on(at, "nft", f"add table inet soak; add chain inet soak in {{ type filter hook input priority 0; }}; "
                           f"add rule inet soak in ip saddr {address(source)} drop")

    def cut(self, host):
        """Cuts a host off from all others, in both directions."""
        for other in HOSTS:
            if other != host:
                self.refuse(host, other)
                self.refuse(other, host)

    def heal(self):
        self.tell("all hear each other again")
        for host in HOSTS:
            self.on(host, "nft", "add table inet soak; delete table inet soak")

    def link(self, host, state):
        self.tell(f"the link of host {host} goes {state}")
        subprocess.run(["ip", "-n", f"{self.name}-0", "link", "set", f"port{host}", state], check=True)


def is_listening(path):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1)
        return connection.connect_ex(path) == 0


def await_condition(is_so, what, patience=60):
    end = time.monotonic() + patience
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(f"no {what} in {patience} s")
        time.sleep(0.02)
