"""How each server is started and stopped. Every run has a new one, with nothing of the run before."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

from machine import REPOSITORY, SERVER_CORE, found, scratch, socket_directory, spawn, stop

BINARIES = Path(os.environ.get("DIFFABLED_BINARIES") or REPOSITORY / ".build" / "release")
DIFFABLED, DIFFABLECTL = BINARIES / "diffabled", BINARIES / "diffablectl"
BUILT = REPOSITORY / "Benchmarks" / ".build" / "release"


def service_environment():
    """Returns the allocator's settings in the unit of the system's daemon, so that measurements use them too."""
    unit = (REPOSITORY / "systemd" / "system" / "diffabled.service").read_text()
    return dict(re.findall(r"^Environment=(GLIBC_TUNABLES)=(.*)$", unit, re.MULTILINE))


class Server:
    """A running one: `pid`, `socket`, and a directory of its own on a real file system."""

    def __init__(self, name, process, path, directory):
        self.name, self.process, self.socket, self.directory = name, process, path, directory
        self.pid = process.pid


def is_available(name):
    program = {"limit": BUILT / "LimitServer", "diffabled": DIFFABLED}.get(name)
    if program:
        return program.exists()
    return found({"redis": "redis-server", "redis-durable": "redis-server"}.get(name, name)) is not None


@contextlib.contextmanager
def running(name, durability="volatile", core=SERVER_CORE, directory=None, environment=None, configuration=""):
    """Starts a server and waits until it takes connections; stops it at the end."""
    sockets = socket_directory()
    own = scratch(name) if directory is None else None
    directory = directory or own
    path = sockets / "s"
    process = None
    try:
        with open(sockets / "log", "wb") as log:
            process = spawn(
                [*_command(name, path, sockets, directory), *configured(sockets, configuration)], core, stdout=log, stderr=log,
                env={**os.environ, **(service_environment() if name == "diffabled" else {}), **(environment or {})})
        _await(path, process, sockets / "log")
        server = Server(name, process, path, directory)
        if name == "diffabled" and durability is not None:
            make_list(server, durability)
        yield server
    finally:
        if process is not None:
            stop(process)
        shutil.rmtree(sockets)
        if own:
            shutil.rmtree(own)


def configured(sockets, text):
    """For diffabled."""
    if not text:
        return []
    (sockets / "diffabled.yaml").write_text(text)
    return ["--config", sockets / "diffabled.yaml"]


def _command(name, path, sockets, directory):
    match name:
        case "limit":
            return [BUILT / "LimitServer", path]
        case "diffabled":
            return [DIFFABLED, "--socket", path, "--state-directory", directory, "--log-level", "error"]
        case "redis":
            return ["redis-server", "--port", "0", "--unixsocket", path, "--dir", directory, "--save", "",
                    "--appendonly", "no"]
        case "redis-durable":
            return ["redis-server", "--port", "0", "--unixsocket", path, "--dir", directory, "--save", "",
                    "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]
        case "mosquitto":
            # It gives up root, and must still reach its socket.
            sockets.chmod(0o777)
            configuration = sockets / "mosquitto.conf"
            configuration.write_text(
                f"listener 0 {path}\nallow_anonymous true\nmax_connections -1\npersistence false\nlog_type error\n")
            return [found("mosquitto"), "-c", configuration]
    raise ValueError(name)


def _await(path, process, log):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            return
        time.sleep(0.005)
    raise RuntimeError(f"{process.args[0]} does not serve: {log.read_text(errors='replace')[-500:]}")


class Client:
    """Lines of JSON to diffabled and back."""

    def __init__(self, server):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(server.socket))
        self.lines = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def request(self, method, **parameters):
        """Returns the result. Drops updates of subscriptions that arrive before it."""
        request = {"id": 1, "method": method, "params": parameters}
        return self.send_line(json.dumps(request, separators=(",", ":")).encode() + b"\n")

    def send_line(self, line):
        """Returns the result, like `request`."""
        self.socket.sendall(line)
        while "method" in (answer := json.loads(self.lines.readline())):
            pass
        if "error" in answer:
            raise RuntimeError(f"{line[:200]}: {answer['error']}")
        return answer["result"]

    def await_group(self, method, subscription):
        """Waits until a subscription has received all lines of an update."""
        while True:
            line = json.loads(self.lines.readline())
            if line["method"] == method and line["params"]["subscription"] == subscription:
                if not line["params"].get("more"):
                    return


def make_list(server, durability):
    """The list that the load generator publishes to."""
    with Client(server) as client:
        client.request("createList", list="load", durability=durability)
        client.request(
            "transact", list="load", operations=[{"op": "appendSections", "sections": [{"id": "s"}]}])


def redis_cli(server, *words, **options):
    return subprocess.run(["redis-cli", "-s", str(server.socket), *words], check=True, **options)
