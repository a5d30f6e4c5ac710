"""The errors, as exceptions. Each message names the problem and the remedy.

`Refused` and its subclasses are the daemon's own errors; docs/protocol-errors.md lists them by name.
"""

from __future__ import annotations

import os
from typing import Optional, Sequence

from . import _errors
from ._errors import *
from .refused import DiffableError, Refused

__all__ = [
    "ConnectionLost", "DiffableError", "HandlerEnded", "NoDaemon", "NoReply", "NotSendable", "Refused", "SocketNotPermitted",
    "Unintelligible", "UntrustedSocket",
]
__all__ += _errors.__all__

# A restart shows whether the change was stored.
_errors.StorageFailed.leaves_outcome_open = True
# Nothing was done, and the daemon may be back soon.
_errors.ShuttingDown.is_healed_by_reconnecting = True

_OPEN_OUTCOME = "Whether an unanswered change was made is not known: look at the list before trying again"


class NoDaemon(DiffableError):
    """No socket was named, and there is none at the usual paths; or no process listens on the socket."""

    is_healed_by_reconnecting = True

    @classmethod
    def without_socket(cls, paths: Sequence[str]) -> NoDaemon:
        unset = "$XDG_RUNTIME_DIR is not set, so a daemon of your own cannot be found. " if len(paths) == 1 else ""
        return cls(
            f"no daemon is running: there is no socket at {' or '.join(paths)}. {unset}Start one with `diffabled`, "
            "or name the socket of a running one with Client(socket=…) or $DIFFABLED_SOCKET"
        )

    @classmethod
    def own_stopped(cls, path: Optional[str], state: str) -> NoDaemon:
        if path is None:
            return cls(
                f"$XDG_RUNTIME_DIR is not set, so the socket of your own daemon, with its state in {state}, cannot be found; "
                f"nothing was sent to the system's daemon. Set the variable, usually to /run/user/{os.getuid()}, or name a "
                "socket with Client(socket=…) or $DIFFABLED_SOCKET"
            )
        return cls(
            f"your own daemon is not running: nobody listens at {path}, and its state is in {state}. Nothing was sent to the "
            "system's daemon. Start yours with `systemctl --user start diffabled` or `diffabled`, or name a socket with "
            "Client(socket=…) or $DIFFABLED_SOCKET"
        )

    @classmethod
    def without_listener(cls, path: str, reason: str) -> NoDaemon:
        start = f"`diffabled --socket {path}`"
        if path == "/run/diffabled/diffabled.sock":
            start = "`sudo systemctl start diffabled.socket`"
        elif path == f"{os.environ.get('XDG_RUNTIME_DIR')}/diffabled/diffabled.sock":
            start = "`systemctl --user start diffabled` or `diffabled`"
        return cls(
            f"no daemon answers at {path} ({reason}). Start one with {start}, "
            "or name another with Client(socket=…) or $DIFFABLED_SOCKET"
        )


class SocketNotPermitted(DiffableError):
    """The daemon's socket exists, but this user may not use it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"this user may not connect to the socket {path}: ask its owner to allow it (chgrp, chmod), or name another socket "
            "with Client(socket=…) or $DIFFABLED_SOCKET"
        )


class UntrustedSocket(DiffableError):
    """An untrusted user may have created the socket; nothing was sent to it."""

    def __init__(self, path: str, objection: str) -> None:
        super().__init__(
            f"the socket {path} cannot be trusted, and nothing was sent to it: {objection}, or name another socket "
            "with Client(socket=…) or $DIFFABLED_SOCKET"
        )


class ConnectionLost(DiffableError):
    """The daemon closed the connection."""

    is_healed_by_reconnecting = True
    leaves_outcome_open = True

    def __init__(self, path: str) -> None:
        super().__init__(
            f"the daemon at {path} closed the connection. {_OPEN_OUTCOME}"
        )


class NoReply(DiffableError):
    """The daemon sent nothing for so long that the connection was given up."""

    is_healed_by_reconnecting = True
    leaves_outcome_open = True

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__(
            f"the daemon at {path} has said nothing for {seconds:g} s: it may hang. See what it says with "
            "`systemctl status diffabled` (your own daemon: `systemctl --user status diffabled`), and restart it if it is "
            f"stuck. {_OPEN_OUTCOME}"
        )


def retried(error: DiffableError) -> str:
    """The message for the log of a client that retries by itself, and so finds out whether a change was made."""
    return str(error).replace(f". {_OPEN_OUTCOME}", "")


class Unintelligible(DiffableError):
    """This version of the client does not understand the daemon's message."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"this client does not understand what the daemon sent: {what}. Check that both have the same version"
        )


class NotSendable(DiffableError, ValueError):
    """A value in a request has no JSON form. Nothing was sent."""


class HandlerEnded(DiffableError):
    """Another handler replaced this one, the list was deleted, or this user lost the right to handle its requests."""

    def __init__(self, list_name: str, reason: str) -> None:
        self.list = list_name
        self.reason = reason
        remedy = {
            "replaced": "another program took its place (`replace`); stop one of the two",
            "permissionDenied": "this user may not change the list any more; its owner or root can allow it again",
        }.get(reason, "register it again to go on")
        super().__init__(f'the handler of the list "{list_name}" has ended ({reason}): {remedy}')
