"""Leases: things that exist as long as one connection."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

from .answers import Outcome, Place, read
from .connection import Connection, new_id, request_line
from .connections import Connections
from .conversation import RequestID
from .errors import ConnectionLost, Refused
from .parts import Change
from .requests import _milliseconds, _state
from .rows import Field, Row
from .typed import Durability, Operation, SnapshotDict

_LEASE = {"lease": "connection"}


class Leasing:
    """A separate connection, which leases everything that its methods create. One task or thread uses it at a time.

    Requests are never repeated, and a lost connection is not replaced: the leased things are deleted then, and another lease
    has to create them again.
    """

    def __init__(self, connections: Connections, patience: float) -> None:
        self._connections = connections
        self._patience = patience
        self._connection: Optional[Connection] = None
        # The path of its connection.
        self._path = ""
        self._is_closed = False

    @property
    def is_held(self) -> bool:
        """Whether the things are still leased, as far as the client knows. The daemon is not asked."""
        return self._connection is not None and self._connection.is_open()

    async def create(
        self, list: str, durability: Optional[Durability] = None, mode: Optional[str] = None, if_absent: bool = False
    ) -> Place:
        """Creates an empty list, which is deleted with its content when the lease ends. With `if_absent=True` an existing list
        is accepted, and stays."""
        id = new_id()
        terms = {"durability": durability, "mode": mode, "ifAbsent": if_absent or None}
        line = request_line("createList", {"list": list, **terms, **_LEASE}, id)
        return read(Place, await self._reply(lambda connection: [line], id))

    async def transact(
        self, list: str, operations: Iterable[Operation], *, if_revision: Optional[int] = None
    ) -> Outcome:
        """Like `Client.transact`. The inserted items and sections are deleted when the lease ends."""
        return await self._change("transact", {"list": list}, {"ifRevision": if_revision}, [*operations])

    async def publish(
        self, list: str, items: Union[SnapshotDict, Iterable[Row]], *, key: Optional[Field] = None,
        section: Optional[Field] = None, parent: Optional[Field] = None, kind: Optional[Field] = None,
        text: Optional[Field] = None, into: Optional[str] = None, if_revision: Optional[int] = None,
    ) -> Outcome:
        """Like `Client.publish`, in an existing list. The inserted items and sections are deleted when the lease ends."""
        operations, place = _state(list, items, into, key, section, parent, kind, text)
        return await self._change("apply", place, {"ifRevision": if_revision}, operations)

    async def propose(
        self, list: str, operations: Iterable[Operation], *, if_revision: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Outcome:
        """Like `Client.propose`. The inserted items and sections are deleted when the lease ends."""
        terms = {"ifRevision": if_revision, "timeout": _milliseconds(timeout)}
        return await self._change("propose", {"list": list}, terms, [*operations])

    async def close(self) -> None:
        """Ends the lease, which deletes the leased things. Any thread or task may call it."""
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()

    async def _change(
        self, method: str, place: Mapping[str, Any], terms: Mapping[str, Any], operations: List[Operation]
    ) -> Outcome:
        change = Change(method, place, {**terms, **_LEASE}, operations)
        return read(Outcome, await self._reply(lambda connection: change.lines(connection.limits), change.id))

    async def _reply(self, lines: Callable[[Connection], List[bytes]], id: RequestID) -> Dict[str, Any]:
        if self._is_closed:
            raise RuntimeError("the lease has ended: make another one")
        if self._connection is None:
            self._connection = await self._connections.open_within(self._patience)
            self._path = self._connection.path
        connection = self._connection
        if connection.is_inherited:
            raise RuntimeError("the lease belongs to the parent process of this fork: make another lease here")
        if not connection.is_open():
            connection.close()
            raise ConnectionLost(self._path)
        try:
            return await connection.reply(lines(connection), id)
        except Refused as error:
            # After a readable reply, the lease is still valid.
            if error.is_healed_by_reconnecting:
                connection.close()
            raise
        except BaseException:
            # Its reply may still arrive.
            connection.close()
            raise
