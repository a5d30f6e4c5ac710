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
    is_state: Optional[Callable[[str], bool]] = None,
) -> str:
    """The path that was named, otherwise `$DIFFABLED_SOCKET`, otherwise the user's own daemon, otherwise the system's.

    A user who has had a daemon of their own, and so has its state directory, does not get the system's daemon when their
    own is stopped: `NoDaemon` is raised.
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
    """Where the user's own daemon keeps its lists."""
    if (directory := environment.get("XDG_STATE_HOME", "")).startswith("/"):
        return f"{directory}/diffabled"
    if (home := environment.get("HOME", "")).startswith("/"):
        return f"{home}/.local/state/diffabled"
    return None


def _is_state(path: str) -> bool:
    """Whether it is a directory of this user with more in it than the positions of mirrors that diffablectl keeps there."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return False
    return os.path.exists(f"{path}/lists.sqlite") or not os.path.exists(f"{path}/mirrors")


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
