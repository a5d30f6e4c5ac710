"""What goes wrong, as exceptions. Each message says what is wrong and what to do about it.

`Refused` and its subclasses are the daemon's own answers; docs/protocol.md lists them by name.
"""

from __future__ import annotations

from typing import Any, ClassVar, Dict, Mapping, Optional, Sequence, Type


class DiffableError(Exception):
    """Everything that this package raises."""

    #: Whether it only says that there is no daemon at the moment, so that trying again later is of use.
    is_healed_by_reconnecting: ClassVar[bool] = False
    #: Whether an unanswered change may have been made.
    leaves_outcome_open: ClassVar[bool] = False


class NoDaemon(DiffableError):
    """No socket was named, and none stands where daemons usually listen; or nobody listens at it."""

    is_healed_by_reconnecting = True

    @classmethod
    def without_socket(cls, paths: Sequence[str]) -> NoDaemon:
        unset = "$XDG_RUNTIME_DIR is not set, so a daemon of your own cannot be found. " if len(paths) == 1 else ""
        return cls(
            f"no daemon is running: there is no socket at {' or '.join(paths)}. {unset}Start one with `diffabled`, "
            "or name its socket with Client(socket=…) or $DIFFABLED_SOCKET"
        )

    @classmethod
    def own_stopped(cls, path: Optional[str], state: str) -> NoDaemon:
        if path is None:
            return cls(
                f"you have a daemon of your own, with its state in {state}, and $XDG_RUNTIME_DIR, which says where it "
                "listens, is not set; nothing was sent to the system's daemon. Set it, or name a socket with "
                "Client(socket=…) or $DIFFABLED_SOCKET"
            )
        return cls(
            f"your own daemon is not running: nobody listens at {path}, and its state is in {state}. Nothing was sent to the "
            "system's daemon. Start yours with `systemctl --user start diffabled` or `diffabled`, or name a socket with "
            "Client(socket=…) or $DIFFABLED_SOCKET"
        )

    @classmethod
    def without_listener(cls, path: str, reason: str) -> NoDaemon:
        return cls(
            f"no daemon answers at {path} ({reason}). Start one with `diffabled --socket {path}`, "
            "or name another with Client(socket=…) or $DIFFABLED_SOCKET"
        )


class SocketNotPermitted(DiffableError):
    """A daemon's socket stands there, and this user may not use it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"the socket {path} is there, but this user may not connect to it: look at its owner, group and mode, "
            "or name another with Client(socket=…) or $DIFFABLED_SOCKET"
        )


class UntrustedSocket(DiffableError):
    """Somebody who is not to be trusted may have put the socket there; nothing was sent to it."""

    def __init__(self, path: str, objection: str) -> None:
        super().__init__(
            f"the socket {path} is not used: {objection}, or name another socket with Client(socket=…) "
            "or $DIFFABLED_SOCKET"
        )


class ConnectionLost(DiffableError):
    """The daemon has gone away."""

    is_healed_by_reconnecting = True
    leaves_outcome_open = True

    def __init__(self, path: str) -> None:
        super().__init__(
            f"the daemon at {path} closed the connection. Whether an unanswered change was made is not known: "
            "look at the list before trying again"
        )


class NoReply(DiffableError):
    """The daemon has said nothing for so long that the connection was given up."""

    is_healed_by_reconnecting = True
    leaves_outcome_open = True

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__(
            f"the daemon at {path} has said nothing for {seconds:g} s: it may hang. See what it says with "
            "`systemctl status diffabled`, and restart it if it is stuck. Whether an unanswered change was made is "
            "not known: look at the list before trying again"
        )


class Unintelligible(DiffableError):
    """What the daemon sent makes no sense to this version of the client."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the daemon sent what this client does not understand: {what}. Are both of the same version?"
        )


class NotSendable(DiffableError, ValueError):
    """A value that was to be sent has no JSON form. Nothing was sent."""


class HandlerEnded(DiffableError):
    """The list is answered for by somebody else from now on, or this user may not any more."""

    def __init__(self, list_name: str, reason: str) -> None:
        self.list = list_name
        self.reason = reason
        remedy = {
            "replaced": "another program took its place (`replace`); end one of the two",
            "permissionDenied": "this user may not change the list any more; its owner or root can allow it again",
        }.get(reason, "register it again to go on")
        super().__init__(f'the handler of the list "{list_name}" has ended ({reason}): {remedy}')


class Refused(DiffableError):
    """The daemon understood and said no; a list it is about is unchanged."""

    #: The name in docs/protocol.md of the refusals that a subclass is for.
    error_name: ClassVar[str] = ""
    _classes: ClassVar[Dict[str, Type[Refused]]] = {}

    def __init__(self, name: str, message: str, code: int = 0, about: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.name = name
        self.code = code
        about = about or {}
        #: What it is about, where it is about one: a list, a section, an item, an operation (counted from zero).
        self.list: Optional[str] = about.get("list")
        self.section: Optional[str] = about.get("section")
        self.item: Optional[str] = about.get("item")
        self.operation: Optional[int] = about.get("operation")
        #: The list's revision now.
        self.revision: Optional[int] = about.get("revision")
        #: Which limit was met, and its value.
        self.limit: Optional[str] = about.get("limit")
        self.max: Optional[int] = about.get("max")

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        cls.error_name = cls.__name__[0].lower() + cls.__name__[1:]
        Refused._classes[cls.error_name] = cls

    @staticmethod
    def of(name: str, message: str, code: int = 0, about: Optional[Mapping[str, Any]] = None) -> Refused:
        """The exception of that name; a newer daemon may have names that are not known here."""
        return Refused._classes.get(name, Refused)(name, message, code, about)

    @staticmethod
    def from_error(error: Mapping[str, Any]) -> Refused:
        data = error.get("data") or {}
        message = str(error.get("message", "the daemon gave no reason"))
        # The place in a line that the caller has never seen.
        message = message.removesuffix(f" (at byte {data.get('offset')})")
        return Refused.of(data.get("name", ""), message, error.get("code", 0), data)


class ParseError(Refused): ...
class InvalidRequest(Refused): ...
class MethodNotFound(Refused): ...
class InvalidParams(Refused): ...
class NoSuchList(Refused): ...
class ListExists(Refused): ...
class NoSuchSection(Refused): ...
class NoSuchItem(Refused): ...
class DuplicateSection(Refused): ...
class DuplicateItem(Refused): ...
class InvalidAnchor(Refused): ...
class OwnDescendant(Refused): ...
class RevisionMismatch(Refused): ...
class RequestKeyReused(Refused): ...
class TooLarge(Refused): ...
class PermissionDenied(Refused): ...
class NoSpace(Refused): ...


class StorageFailed(Refused):
    """The disk failed; whether the change was kept shows after a restart."""

    leaves_outcome_open = True


class NoSuchSubscription(Refused): ...
class NoSuchRevision(Refused): ...


class ShuttingDown(Refused):
    """Nothing was done; the daemon may be back soon."""

    is_healed_by_reconnecting = True


class StorageUnreadable(Refused): ...
class InvalidConfiguration(Refused): ...


class NoHandler(Refused):
    """Nobody answers for that: nothing happened."""


# The daemon's name for it is `refused`.
class ProposalRefused(Refused):
    """The handler said no; the message is its own: nothing happened."""


Refused._classes["refused"] = ProposalRefused
ProposalRefused.error_name = "refused"


class HandlerTimedOut(Refused):
    """No answer came in time; it may still happen."""


class HandlerLost(Refused):
    """The handler's connection ended first; it may have happened."""


class HandlerExists(Refused):
    """Somebody answers for that already: `replace=True` takes its place."""


class NotKept(Refused):
    """The list could not come back, which was required; it was not deleted."""


class MirrorExists(Refused):
    """Another connection mirrors the list."""


class Unreachable(Refused):
    """The list is shared by several hosts, and what keeps it cannot be reached; nothing was changed."""


class OutcomeUnknown(Refused):
    """What keeps the shared list has not answered: send the same again under its request key, here or on another host."""


class NotAttached(Refused):
    """The connection is not what shared lists are kept by."""


class AttachExists(Refused):
    """Another connection is what shared lists are kept by."""


class NotForShared(Refused):
    """That is not possible for lists that several hosts share."""


class NoSuchRequest(Refused):
    """It was answered, or nobody waits for it any more."""


class InvalidContent(Refused):
    """The content is not what the list's schemas ask for."""
