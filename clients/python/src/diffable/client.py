"""The blocking client, for scripts, for threads, and for loops that wait for nothing else."""

from __future__ import annotations

import functools
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Coroutine, Iterator, Literal, Optional, Sequence, TypeVar

from .blocking import BlockingNetwork, StillWaiting, Work, finished
from .following import FollowedList
from .forking import Inheritable
from .handling import HandlerRequest, Handling
from .leasing import Leasing
from .listing import FollowedLists, ListsUpdate
from .mirror import Update
from .readiness import Readiness
from .reception import Reception
from .requests import Requests
from .state import ListState
from .typed import JSON, Operation, RequestKind, View

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def _blocking(method: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> Callable[Concatenate[Any, P], R]:
    """Makes a blocking method from a coroutine method."""

    @functools.wraps(method)
    def call(self: Any, /, *arguments: P.args, **named: P.kwargs) -> R:
        return finished(method(self._requests, *arguments, **named))

    return call


class Client:
    """A client with blocking methods. Threads may share it.

        with Client() as client:
            client.publish("tasks", [{"id": "milk", "text": "Buy milk"}])
            for update in client.follow("tasks"):
                print(update.revision, len(update.state))

    - socket: the path of the daemon's socket; by default `$DIFFABLED_SOCKET`, the user's own daemon, the system's.
    - name: the client's name in `history` and the daemon's log; by default the program's name.
    - patience: the seconds for which a request is repeated while there is no daemon. A change is still made only once.
    - reply_timeout: the seconds without any data after which a connection is given up, even though the client has asked whether
      the daemon is alive; None: forever.
    """

    def __init__(
        self, socket: Optional[str] = None, *, name: Optional[str] = None, patience: float = 10,
        reply_timeout: Optional[float] = 60,
    ) -> None:
        self._requests = Requests(BlockingNetwork(), socket, name, patience, reply_timeout)

    ping = _blocking(Requests.ping)
    status = _blocking(Requests.status)
    lists = _blocking(Requests.lists)
    snapshot = _blocking(Requests.snapshot)
    history = _blocking(Requests.history)
    difference = _blocking(Requests.difference)
    schemas = _blocking(Requests.schemas)
    create = _blocking(Requests.create)
    delete = _blocking(Requests.delete)
    undelete = _blocking(Requests.undelete)
    rename = _blocking(Requests.rename)
    set_access = _blocking(Requests.set_access)
    set_schemas = _blocking(Requests.set_schemas)
    transact = _blocking(Requests.transact)
    publish = _blocking(Requests.publish)
    undo = _blocking(Requests.undo)
    redo = _blocking(Requests.redo)
    perform = _blocking(Requests.perform)
    propose = _blocking(Requests.propose)
    expand = _blocking(Requests.expand)
    request = _blocking(Requests.request)

    def follow(
        self, list: str, view: Optional[View] = None, *, if_absent: Literal["error", "wait"] = "error",
        min_interval: Optional[float] = None, most_recent: bool = False, not_older_than: Optional[int] = None,
    ) -> Following:
        """Iterates the updates of a list: first its state, then each change, until it is deleted. After a lost connection, it
        continues over the next one.

        - view: the part to show, a dict of docs/protocol-views.md: `{"where": …, "search": …, "sort": …, "window": …}`.
        - if_absent: "wait" to wait for a missing list, and to continue when it is deleted and created again.
        - min_interval: the minimal number of seconds between two updates.
        - most_recent, not_older_than: how new the first state must be, as in `snapshot`.
        """
        return Following(
            FollowedList(
                self._requests._connections, list, view, if_absent, min_interval, most_recent, not_older_than))

    def follow_lists(self, content: bool = False, *, min_interval: Optional[float] = None) -> FollowingLists:
        """Iterates the set of lists that you may see: first all of them, then each change. After a lost connection, it
        continues over the next one.

        - content: whether each list has its own content, which contains its title.
        - min_interval: the minimal number of seconds between two updates.
        """
        return FollowingLists(FollowedLists(self._requests._connections, content, min_interval))

    def handle(
        self, list: str, requests: Sequence[RequestKind], actions: Optional[Sequence[str]] = None, *, replace: bool = False,
        follow: bool = True,
    ) -> Handler:
        """Iterates the requests of other clients for a list, so that the program can respond. Use it in `with`, which ends the
        handler with the loop, even after an exception.

        - requests: the kinds to handle: "perform", "propose", "expand".
        - actions: the only actions of `perform` to handle.
        - replace: takes the place of another handler.
        - follow: `state` has the list, including everything that a request names.
        """
        return Handler(Handling(Request, self._requests._connections, list, requests, actions, replace, follow))

    def lease(self) -> Lease:
        """Creates items, sections and lists that are deleted when the `with` is left, when this process ends, and when the
        connection is lost."""
        return Lease(Leasing(self._requests._connections, self._requests._patience))

    def close(self) -> None:
        """Closes the idle connections. Loops, handlers and leases are closed separately."""
        self._requests._connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Loop(Inheritable, Iterator[T]):
    """One thread at a time iterates; any thread may close it."""

    def __init__(self, reception: Reception[T]) -> None:
        super().__init__()
        self._reception = reception
        self._turn = threading.Lock()
        # Unfinished work of a `next` that has timed out.
        self._work: Optional[Work[Optional[T]]] = None
        self._readiness: Optional[Readiness] = None

    def __next__(self) -> T:
        value = self.next()
        assert value is not None
        return value

    def next(self, timeout: Optional[float] = None) -> Optional[T]:
        """Like `next(loop)`, but returns None if nothing arrives within this many seconds; 0 never waits. A part that has
        arrived is kept for the next call. At the end it raises `StopIteration`."""
        until = None if timeout is None else time.monotonic() + max(timeout, 0)
        if not self._turn.acquire(timeout=-1 if timeout is None else min(max(timeout, 0), threading.TIMEOUT_MAX)):
            return None
        try:
            return self._advance(until)
        finally:
            self._turn.release()

    def _advance(self, until: Optional[float]) -> Optional[T]:
        if self._readiness is not None:
            self._readiness.rest()
        if self._work is None or self._reception.is_closed:
            self._work = Work(self._reception.next())
        try:
            value = self._work.finish(until)
        except StillWaiting:
            return None
        finally:
            if self._work.has_ended:
                self._work = None
            if self._readiness is not None:
                self._note_wait(self._readiness)
        if value is None:
            raise StopIteration
        return value

    def _note_wait(self, readiness: Readiness) -> None:
        wait = None if self._work is None else self._work.wait
        if wait is not None:
            readiness.watch(wait)
        # More may have arrived already, or another thread has closed the loop.
        if wait is None or self._reception.is_closed:
            readiness.fire()

    def fileno(self) -> int:
        """A file descriptor for `select`, `poll`, GLib and other event loops. It is readable when `next(timeout=0)` may return
        something or has something to do, such as to connect again. Call that until it returns None. At the end it stays
        readable, and is closed with this object: remove it from the event loop when `next` raises."""
        with self._turn:
            if self._readiness is None:
                self._readiness = Readiness()
            return self._readiness.fileno()

    def close(self) -> None:
        """Ends the loop. Any thread may call it."""
        finished(self._reception.close())
        # Another thread that is in `next` notices by itself.
        if self._turn.acquire(blocking=False):
            try:
                if self._work is not None:
                    self._work.close()
                    self._work = None
            finally:
                self._turn.release()
        if (readiness := self._readiness) is not None:
            readiness.fire()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _leave_to_parent(self) -> None:
        # Another thread of the parent may be in `next`.
        self._turn = threading.Lock()
        self._work = self._readiness = None
        self._reception._leave_to_parent()


class Following(_Loop[Update]):
    """`for update in client.follow("tasks")`. One thread at a time iterates; any thread may set a view, or close it.

    An event loop waits for `fileno`, and takes updates with `next(timeout=0)`. In a child of `os.fork` the loop continues from
    its last state, over a connection of its own.
    """

    def __init__(self, followed: FollowedList) -> None:
        super().__init__(followed)
        self._followed = followed

    @property
    def list(self) -> str:
        return self._followed.list

    @property
    def state(self) -> ListState:
        """The list's state at the last update. The next update changes it in place."""
        return self._followed.state

    @property
    def revision(self) -> int:
        return self._followed.revision

    def set_view(self, view: Optional[View]) -> None:
        """Changes the view. At least one update follows, even if no item changes, as soon as the list exists. Views that are
        set in a row may share an update. `view` is copied."""
        finished(self._followed.set_view(view))

    def __enter__(self) -> Following:
        return self


class FollowingLists(_Loop[ListsUpdate]):
    """`for update in client.follow_lists()`."""

    def __enter__(self) -> FollowingLists:
        return self


class Lease:
    """`with client.lease() as lease: lease.publish("bar", rows, into="left")`. One thread at a time; any thread may close it.

    It has a connection of its own. After that is lost, `ConnectionLost` is raised: make another lease, and create the leased
    things again.
    """

    def __init__(self, leasing: Leasing) -> None:
        self._requests = leasing

    create = _blocking(Leasing.create)
    transact = _blocking(Leasing.transact)
    publish = _blocking(Leasing.publish)
    propose = _blocking(Leasing.propose)
    close = _blocking(Leasing.close)

    @property
    def is_held(self) -> bool:
        """Whether the things are still leased, as far as the client knows. The daemon is not asked."""
        return self._requests.is_held

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Request(HandlerRequest):
    def answer(self, result: JSON = None, *, operations: Optional[Sequence[Operation]] = None) -> None:
        """Consents. `result` is the caller's result; `operations` replace the proposed ones."""
        finished(self._answer(result, operations))

    def refuse(self, reason: str) -> None:
        """Nothing happened: the caller gets the reason, as `ProposalRefused`."""
        finished(self._refuse(reason))

    def fail(self, reason: str) -> None:
        """The request may have been carried out: the caller gets the reason, as `HandlerLost`."""
        finished(self._fail(reason))


class Handler(_Loop[Request]):
    """`with client.handle("tasks", ["perform"]) as handler: for request in handler: …`. One thread iterates; any may respond.
    """

    def __init__(self, handling: Handling[Request]) -> None:
        super().__init__(handling)
        self._handling = handling

    @property
    def list(self) -> str:
        return self._handling.list

    @property
    def state(self) -> ListState:
        """The list's state at the last request, or newer: it has every item that the request names."""
        return self._handling.state

    @property
    def revision(self) -> int:
        return self._handling.revision

    def __enter__(self) -> Handler:
        return self
