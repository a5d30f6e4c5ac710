"""Usage: swap_links.py DIRECTORY SOCKET

Makes names in DIRECTORY lead to a daemon's SOCKET and to a server of its own by turns, as fast as it can: `link` is a link to
either or is missing, and `folder/socket` is one or the other because `folder` is a link or a directory. Prints `ready`, and
`heard` for each byte that a client sends to its own server.
"""

import os
import socket
import sys
import threading

directory, daemon = sys.argv[1:]
os.chdir(directory)
own = f"{directory}/own/socket"
os.mkdir("own")
server = socket.socket(socket.AF_UNIX)
server.bind(own)
os.chmod(own, 0o777)
server.listen(4_096)


def listen() -> None:
    while True:
        connection = server.accept()[0]
        with connection:
            connection.settimeout(0.5)
            try:
                if connection.recv(1):
                    print("heard", flush=True)
            except OSError:
                pass


def lead(name: str, target: str) -> None:
    os.symlink(target, "new")
    os.rename("new", name)


threading.Thread(target=listen, daemon=True).start()
os.mkdir("moved")
print("ready", flush=True)
while os.getppid() != 1:
    lead("link", daemon)
    lead("link", own)
    lead("link", "missing")
    os.symlink(os.path.dirname(daemon), "folder")
    os.unlink("folder")
    os.rename("own", "folder")
    os.rename("folder", "own")
