"""Finds the socket of a daemon, and checks that it can be trusted."""

from __future__ import annotations

import errno
import os
import pwd
import socket
import stat
import struct
from typing import Callable, List, Mapping, Optional

from .errors import NoDaemon, UntrustedSocket

SYSTEM = "/run/diffabled/diffabled.sock"


def find(
    named: Optional[str] = None, environment: Mapping[str, str] = os.environ,
    is_socket: Optional[Callable[[str], bool]] = None, is_left: Optional[Callable[[str], bool]] = None,
    is_state: Optional[Callable[[str], bool]] = None,
) -> str:
    """The named path, otherwise `$DIFFABLED_SOCKET`, otherwise the user's own daemon, otherwise the system's.

    If the state directory shows that the user has had their own daemon, the system's daemon is not used while the user's own is
    stopped: `NoDaemon` is raised.
    """
    if named is not None:
        return os.fspath(named)
    if path := environment.get("DIFFABLED_SOCKET"):
        return path
    runtime = environment.get("XDG_RUNTIME_DIR")
    user = f"{runtime}/diffabled/diffabled.sock" if runtime else None
    has_socket = is_socket or _is_socket
    if user and has_socket(user) and not (is_left or _is_left)(user):
        return user
    state = _state_directory(environment)
    if state and (is_state or _is_state)(state):
        raise NoDaemon.own_stopped(user, state)
    usual = [user, SYSTEM] if user else [SYSTEM]
    sockets = [path for path in usual if has_socket(path)]
    if not sockets:
        raise NoDaemon.without_socket(usual)
    # For a socket without a listener, connecting fails with the reason.
    return SYSTEM if len(sockets) == 2 and not (is_left or _is_left)(SYSTEM) else sockets[0]


def _state_directory(environment: Mapping[str, str]) -> Optional[str]:
    """The directory in which the user's own daemon keeps its lists."""
    if (directory := environment.get("XDG_STATE_HOME", "")).startswith("/"):
        return f"{directory}/diffabled"
    if (home := environment.get("HOME", "")).startswith("/"):
        return f"{home}/.local/state/diffabled"
    return None


def _is_state(path: str) -> bool:
    """Whether it is a directory of this user that contains more than the positions of mirrors that diffablectl stores there."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return False
    return os.path.exists(f"{path}/lists.sqlite") or not os.path.exists(f"{path}/mirrors")


class TrustedSocket:
    """A socket that only trusted users can have created at its path.

    Trusted users are root, the client's user and the user `diffabled`. Root also trusts the socket's owner. The socket and all
    directories above it belong to trusted users, and no other user can write to them. In a directory with the sticky bit, like
    /tmp, others can create files but not replace them.
    """

    def __init__(self, named: str) -> None:
        """Raises `UntrustedSocket`, or `OSError` if the path cannot be resolved.

        The checks run from the root directory down. Once a directory is known to be trusted, only trusted users can change its
        entries, so no other user can redirect a name after its check.
        """
        self.named = named
        #: The path to connect to, without symbolic links.
        self.path = os.path.realpath(named)
        directories = [_status(directory) for directory in reversed(_directories_above(self.path))]
        status = _status(self.path)
        self._owner = status.st_uid
        if not self._trusts(self._owner):
            raise UntrustedSocket(
                named,
                f"it belongs to the user {self._owner}, and not to you, root or the daemon's user; start a daemon of your own",
            )
        for directory, status in zip(_directories_above(self.path), reversed(directories)):
            if not self._trusts(status.st_uid):
                raise UntrustedSocket(
                    named,
                    f"{directory} belongs to the user {status.st_uid}, who could put another socket there; let the daemon "
                    "listen in a directory of your own or of root's",
                )
            if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
                raise UntrustedSocket(
                    named,
                    f"others can write in {directory} (mode {status.st_mode & 0o7777:o}), and so put another socket there; "
                    f"remove that permission (chmod go-w {directory})",
                )

    def check_server(self, connected: socket.socket) -> None:
        """Raises `UntrustedSocket` if an untrusted user listens there.

        The kernel recorded the user when the server began to listen, so no change to the path matters here.
        """
        _, server, _ = struct.unpack("iII", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if not self._trusts(server):
            raise UntrustedSocket(
                self.named,
                f"the program that listens there runs as the user {server}, and not as you, root or the daemon's user; "
                "start a daemon of your own",
            )

    def _trusts(self, user: int) -> bool:
        own = os.geteuid()
        return user in (0, own) or (own == 0 and user == self._owner) or user == _user_id("diffabled")


def _status(path: str) -> os.stat_result:
    """Raises `OSError` for a link, since links were resolved before: another user has just replaced a file."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    return status


def _directories_above(path: str) -> List[str]:
    """The directories above a file, nearest first."""
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
    """Whether a socket has no listener. Does not wait. False for a socket that is not trusted: connecting reports that."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        trial.setblocking(False)
        try:
            trial.connect(TrustedSocket(path).path)
        except OSError as error:
            return error.errno == errno.ECONNREFUSED
        except UntrustedSocket:
            return False
    return False
