"""Proves that the load generator detects a server that loses, repeats or swaps messages."""

import os
import socket
import subprocess
import threading

from machine import socket_directory
from servers import BUILT


def check_generator():
    """Raises when a good server is refused, or a bad one passes."""
    for fault, status in ((None, 0), ("loses", 3), ("repeats", 3), ("swaps", 3)):
        path = socket_directory() / "s"
        listener = socket.create_server(str(path), family=socket.AF_UNIX)
        threading.Thread(target=_serve, args=(listener, fault), daemon=True).start()
        run = subprocess.run(
            [BUILT / "LoadGenerator", "--dialect", "limit", "--socket", path, "--server", str(os.getpid()),
             "--subscribers", "1", "--rate", "1000", "--seconds", "0.2", "--warm-up", "0"],
            capture_output=True, text=True, timeout=60)
        listener.close()
        path.unlink()
        path.parent.rmdir()
        if run.returncode != status:
            raise RuntimeError(
                f"the generator says {run.returncode} of a server that {fault or 'is good'}: {run.stdout}")


def _serve(listener, fault):
    """One subscriber, then one publisher; every fiftieth message is spoiled."""
    subscriber, publisher = (listener.accept()[0] for _ in range(2))
    with subscriber, publisher, publisher.makefile("rb") as lines:
        subscriber.sendall(b"S\n")
        held = b""
        for number, line in enumerate(lines, 1):
            spoiled = [line]
            if number % 50 == 0:
                spoiled = {None: [line], "loses": [], "repeats": [line, line], "swaps": []}[fault]
                held = line if fault == "swaps" else b""
            elif held:
                spoiled, held = [line, held], b""
            subscriber.sendall(b"".join(spoiled))
            publisher.sendall(b"+\n")
