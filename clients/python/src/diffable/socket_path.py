"""Where a daemon listens, and whether what stands there is to be trusted."""

from __future__ import annotations

import errno
import os
import pwd
import socket
import stat
from typing import Callable, List, Mapping, Optional, Set

from .errors import NoDaemon, UntrustedSocket

SYSTEM = "/run/diffabled/diffabled.sock"


def find(
    named: Optional[str] = None, environment: Mapping[str, str] = os.environ,
    is_socket: Optional[Callable[[str], bool]] = None, is_left: Optional[Callable[[str], bool]] = None,
) -> str:
    """The one that was named, otherwise `$DIFFABLED_SOCKET`, otherwise the user's own daemon if it has a socket, otherwise
    the system's. A socket of the user's that a daemon has left behind does not stand before the system's."""
    if named is not None:
        return os.fspath(named)
    if path := environment.get("DIFFABLED_SOCKET"):
        return path
    usual = [SYSTEM]
    if directory := environment.get("XDG_RUNTIME_DIR"):
        usual.insert(0, f"{directory}/diffabled/diffabled.sock")
    sockets = [path for path in usual if (is_socket or _is_socket)(path)]
    if not sockets:
        raise NoDaemon.without_socket(usual)
    # Who has no choice hears from connecting that nobody listens.
    if len(sockets) == 1:
        return sockets[0]
    return next((path for path in sockets if not (is_left or _is_left)(path)), sockets[0])


def trusted(path: str) -> str:
    """The path to connect to, free of symbolic links, which somebody could turn elsewhere meanwhile.

    The socket, its directory and all directories above it belong to root, the user or whom the system's daemon runs as, and
    nobody else can write in any of them; for root also to whoever the socket belongs to. In a directory with the sticky bit,
    like /tmp, others cannot take away what is not theirs.
    """
    real = os.path.realpath(path)
    try:
        owner = os.stat(real).st_uid
    except OSError:
        # A socket that is not there is nobody's.
        return path
    own = os.geteuid()
    trusted_users: Set[int] = {0, own}
    if own == 0:
        trusted_users.add(owner)
    if owner not in trusted_users and (daemon := _user_id("diffabled")) is not None:
        trusted_users.add(daemon)
    if owner not in trusted_users:
        raise UntrustedSocket(
            path,
            f"it belongs to the user {owner}, and not to you, root or the daemon's user; start a daemon of your own, or "
            "ask that user to name you a socket of the system's daemon",
        )
    for directory in _directories_above(real):
        status = os.stat(directory)
        if status.st_uid not in trusted_users:
            raise UntrustedSocket(
                path,
                f"{directory} belongs to the user {status.st_uid}, who could put another socket there; let the daemon "
                "listen in a directory of your own or of root's",
            )
        if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            raise UntrustedSocket(
                path,
                f"others can write in {directory} (mode {status.st_mode & 0o7777:o}), and so put another socket there; "
                f"take that away (chmod go-w {directory})",
            )
    return real


def _directories_above(path: str) -> List[str]:
    directories = []
    while path != "/":
        path = os.path.dirname(path)
        directories.append(path)
    return directories


def _user_id(name: str) -> Optional[int]:
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return None


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _is_left(path: str) -> bool:
    """Whether nobody listens there, asked without waiting. One that is not to be trusted is not asked: whoever connects will
    hear of it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        trial.setblocking(False)
        try:
            trial.connect(trusted(path))
        except OSError as error:
            return error.errno == errno.ECONNREFUSED
        except UntrustedSocket:
            return False
    return False
