"""The requests to a daemon, written once: `AsyncClient` has these methods as they are, `Client` has blocking versions."""

from __future__ import annotations

import secrets
from typing import Any, Dict, Iterable, List, Literal, Mapping, Optional, Sequence, Union

from . import rows as rows_of
from .answers import (
    Access,
    Difference,
    Expanded,
    History,
    ListSummary,
    Outcome,
    Performed,
    Place,
    Revision,
    Snapshot,
    read,
)
from .connection import Connection, new_id, request_line
from .connections import Connections
from .errors import NoSuchList
from .mirror import Window
from .parts import Change
from .rows import Field, Row
from .state import ListState
from .typed import JSON, Durability, Method, Operation, SnapshotDict, View
from .wire import Network


class Requests:
    """The requests of a client.

    - socket: the path of the daemon's socket; by default `$DIFFABLED_SOCKET`, the user's own daemon, the system's.
    - name: the client's name in `history` and the daemon's log; by default the program's name.
    - patience: the seconds for which a request is repeated while there is no daemon. A change is still made only once, because
      it has a request key.
    - reply_timeout: the seconds without any data after which a connection is given up, even though the client has asked whether
      the daemon is alive; None: forever.
    """

    def __init__(
        self, network: Network, socket: Optional[str], name: Optional[str], patience: float,
        reply_timeout: Optional[float],
    ) -> None:
        self._connections = Connections(network, socket, name, reply_timeout)
        self._patience = patience

    # MARK: Reading

    async def ping(self) -> None:
        """Returns when the daemon has replied."""
        await self._read("ping")

    async def status(self) -> Dict[str, Any]:
        """Counts and conditions of the daemon, by their names in docs/protocol-administration.md."""
        return await self._read("status")

    async def lists(self, deleted: bool = False, *, actions: bool = False) -> List[ListSummary]:
        """The lists that you may read; with `deleted=True` the deleted lists that you can restore.

        - actions: whether each list names the actions of its handlers.
        """
        result = await self._read("lists", deleted=deleted or None, actions=actions or None)
        return [read(ListSummary, summary) for summary in result.get("lists", ())]

    async def snapshot(
        self, list: str, at: Optional[int] = None, view: Optional[View] = None, *, most_recent: bool = False,
        not_older_than: Optional[int] = None,
    ) -> Snapshot:
        """The list's current state, or its state at a revision; the whole state, or the part that a view shows.

        For a shared list this is the state on this host, which may be old.

        - most_recent: no older than the newest state of any host at the time of the request.
        - not_older_than: this revision or a later one, which is waited for.
        """
        fresh = _freshness(most_recent, not_older_than)
        result = await self._read("snapshot", list=list, at=at, view=view, **fresh)
        state = ListState._of(result.get("snapshot") or {})
        return read(Snapshot, result, state=state, window=Window.of(result))

    async def history(
        self, list: str, limit: Optional[int] = None, *, most_recent: bool = False,
        not_older_than: Optional[int] = None,
    ) -> History:
        """The changes of the list with their authors and times, newest first. For its freshness, see `snapshot`."""
        fresh = _freshness(most_recent, not_older_than)
        result = await self._read("history", list=list, limit=limit, **fresh)
        return read(History, result, revisions=[read(Revision, one) for one in result.get("revisions", ())])

    async def difference(
        self, list: str, from_revision: int, to_revision: int, *, most_recent: bool = False,
        not_older_than: Optional[int] = None,
    ) -> Difference:
        """The operations that lead from one revision to another, in either direction. For the freshness of the list, see
        `snapshot`."""
        fresh = _freshness(most_recent, not_older_than)
        result = await self._read(
            "difference", list=list, **{"from": from_revision, "to": to_revision}, **fresh)
        made = {"from_revision": result.get("from"), "to_revision": result.get("to")}
        return read(Difference, result, **made)

    async def schemas(self, list: str) -> Dict[str, Any]:
        """The JSON Schema for the content of each kind of item."""
        return await self._read("schemas", list=list)

    # MARK: Lists as a whole

    async def create(
        self, list: str, durability: Optional[Durability] = None, mode: Optional[str] = None, if_absent: bool = False
    ) -> Place:
        """Creates an empty list: "durable" (on disk) or "volatile" (in memory only). With `if_absent=True` an existing list is
        accepted."""
        terms = {"durability": durability, "mode": mode, "ifAbsent": if_absent or None}
        ask = self._read if if_absent else self._ask
        return read(Place, await ask("createList", list=list, **terms))

    async def delete(
        self, list: str, if_revision: Optional[int] = None,
        keep: Optional[Literal["ifPossible", "required", "never"]] = None,
    ) -> None:
        """Deletes the list. It can be restored for a while (`undelete`).

        - keep: "ifPossible", the default; "required": a list that could not be restored is not deleted (`NotKept`); "never":
          the list cannot be restored.
        """
        await self._ask("deleteList", list=list, ifRevision=if_revision, keep=keep)

    async def undelete(self, list: str, as_name: Optional[str] = None, epoch: Optional[str] = None) -> Place:
        """Restores the list with that name that was deleted last, with a new name if one is given.

        - epoch: the epoch of another deleted list with that name, from `lists(deleted=True)`.
        """
        return read(Place, await self._ask("undeleteList", list=list, epoch=epoch, **{"as": as_name}))

    async def rename(self, list: str, to: str, if_revision: Optional[int] = None) -> Place:
        return read(Place, await self._ask("renameList", list=list, to=to, ifRevision=if_revision))

    async def set_access(
        self, list: str, mode: Optional[str] = None, owner: Optional[int] = None, group: Optional[int] = None
    ) -> Access:
        """Changes the list's access: `mode` is a string of octal digits, such as "0640"."""
        return read(Access, await self._ask("setAccess", list=list, mode=mode, owner=owner, group=group))

    async def set_schemas(
        self, list: str, schemas: Mapping[str, JSON], others: Optional[Literal["allow", "refuse"]] = None,
        existing: Optional[Literal["check", "keep"]] = None
    ) -> Dict[str, Any]:
        """Makes the daemon refuse content that violates the schema of its kind.

        - others: "allow" or "refuse": the treatment of kinds without a schema.
        - existing: "check", or "keep" to accept existing items that violate it.
        """
        return await self._ask("setSchemas", list=list, schemas=schemas, others=others, existing=existing)

    # MARK: Changing a list

    async def transact(
        self, list: str, operations: Iterable[Operation], *, if_revision: Optional[int] = None,
        request_key: Optional[str] = None, dry_run: bool = False,
    ) -> Outcome:
        """Applies operations (dicts of docs/protocol-operations.md), all or none. If the connection is lost, the client sends
        them again, and the daemon applies them once.

        - if_revision: refused as `RevisionMismatch` unless the list is at this revision.
        - request_key: your own key, which outlives this process: the same change with the same key is made once.
        - dry_run: returns in `operations` the operations that it would make, and changes nothing.
        """
        terms = {"ifRevision": if_revision}
        change = _change("transact", {"list": list}, terms, operations, request_key, dry_run)
        return await self._send(change, again=True)

    async def publish(
        self, list: str, items: Union[SnapshotDict, Iterable[Row]], *, key: Optional[Field] = None,
        section: Optional[Field] = None, parent: Optional[Field] = None, kind: Optional[Field] = None,
        text: Optional[Field] = None, into: Optional[str] = None, create: bool = True,
        durability: Optional[Durability] = None, reload: bool = False, if_revision: Optional[int] = None,
        request_key: Optional[str] = None, dry_run: bool = False,
    ) -> Outcome:
        """Makes the list equal to the given items; the daemon computes the diff. Creates the list if it is missing.

        - items: rows, each a dict that becomes the content of an item; or a whole snapshot, `{"content": …, "sections": […]}`.
        - key: the member that identifies a row, or a function of the row; by default id, key or name.
        - section, parent, kind: the members with a row's section, parent row and kind.
        - text: the member to show; the rest of the row is left out then.
        - into: replaces the items of this section only; other sections stay.
        - reload: followers redraw everything, without a diff.
        """
        operations, place = _state(list, items, into, key, section, parent, kind, text)
        terms = {"usingReloadData": reload or None, "ifRevision": if_revision}
        change = _change("apply", place, terms, operations, request_key, dry_run)
        try:
            return await self._send(change, again=True)
        except NoSuchList:
            if not create or dry_run:
                raise
        await self.create(list, durability=durability, if_absent=True)
        return await self._send(change, again=True)

    async def undo(
        self, list: str, to: Optional[int] = None, *, steps: Optional[int] = None, if_revision: Optional[int] = None,
        request_key: Optional[str] = None, dry_run: bool = False,
    ) -> Outcome:
        """Undoes the newest change, or a number of changes (`steps`), or restores the revision `to`, by a new change.
        The next undo continues with the change before. The outcome's `undo` has the two revisions."""
        terms = {"to": to, "steps": steps, "ifRevision": if_revision, "dryRun": dry_run or None}
        key = None if dry_run else request_key or _random_key()
        return read(Outcome, await self._read("undo", list=list, requestKey=key, **terms))

    async def redo(
        self, list: str, *, steps: Optional[int] = None, if_revision: Optional[int] = None,
        request_key: Optional[str] = None, dry_run: bool = False,
    ) -> Outcome:
        """Redoes the change that was undone last, or a number of changes (`steps`), by a new change. After any other
        change there is nothing to redo."""
        terms = {"steps": steps, "ifRevision": if_revision, "dryRun": dry_run or None}
        key = None if dry_run else request_key or _random_key()
        return read(Outcome, await self._read("redo", list=list, requestKey=key, **terms))

    # MARK: Handlers

    async def perform(
        self, list: str, action: str, items: Optional[Sequence[str]] = None, *, section: Optional[str] = None,
        arguments: JSON = None, if_revision: Optional[int] = None, timeout: Optional[float] = None,
    ) -> Performed:
        """Asks the list's handler to perform an action, and returns its response. The request is sent at most once.

        - timeout: seconds; by default 30.
        """
        return read(
            Performed,
            await self._ask(
                "perform", list=list, action=action, items=None if items is None else [*items], section=section,
                arguments=arguments, ifRevision=if_revision, timeout=_milliseconds(timeout),
            ),
        )

    async def propose(
        self, list: str, operations: Iterable[Operation], *, if_revision: Optional[int] = None,
        request_key: Optional[str] = None, dry_run: bool = False, timeout: Optional[float] = None,
    ) -> Outcome:
        """Like `transact`, but the list's handler decides first, if there is one: it consents, replaces the operations, or
        refuses (`ProposalRefused`). The request is sent at most once."""
        terms = {
            "ifRevision": if_revision, "requestKey": request_key, "dryRun": dry_run or None, "timeout": _milliseconds(timeout),
        }
        return await self._send(Change("propose", {"list": list}, terms, operations), again=False)

    async def expand(self, list: str, item: str, timeout: Optional[float] = None) -> Expanded:
        """Asks the list's handler to insert an item's children, if it has none. The item's expansion does not change."""
        return read(Expanded, await self._ask("expand", list=list, item=item, timeout=_milliseconds(timeout)))

    # MARK: Sending

    async def request(self, method: str, /, **params: Any) -> Dict[str, Any]:
        """Any method of docs/protocol.md, with its parameters by their names there. The request is sent once."""
        return await self._reply(method, params, again=False)

    async def _ask(self, method: Method, /, **params: Any) -> Dict[str, Any]:
        return await self._reply(method, params, again=False)

    async def _read(self, method: Method, /, **params: Any) -> Dict[str, Any]:
        """For requests that may be repeated."""
        return await self._reply(method, params, again=True)

    async def _reply(self, method: str, params: Mapping[str, Any], again: bool) -> Dict[str, Any]:
        id = new_id()
        # Encoded before the wait for a connection, because the caller may change a parameter during it.
        line = request_line(method, params, id)
        return await self._connections.use(self._patience, lambda connection: connection.reply([line], id), again)

    async def _send(self, change: Change, again: bool) -> Outcome:
        async def work(connection: Connection) -> Dict[str, Any]:
            return await connection.reply(change.lines(connection.limits), change.id)

        return read(Outcome, await self._connections.use(self._patience, work, again))


def _change(
    method: str, place: Mapping[str, Any], terms: Mapping[str, Any], operations: Iterable[Operation],
    request_key: Optional[str], dry_run: bool,
) -> Change:
    """A change that can be sent again, and is made once."""
    how = {"dryRun": True} if dry_run else {"requestKey": request_key or _random_key()}
    return Change(method, place, {**terms, **how}, operations)


def _state(
    list_name: str, items: Union[SnapshotDict, Iterable[Row]], into: Optional[str], key: Optional[Field],
    section: Optional[Field], parent: Optional[Field], kind: Optional[Field], text: Optional[Field],
) -> Any:
    """Operations that make the state from nothing, and the members that name the list and possibly a section."""
    operations: List[Operation] = []
    if isinstance(items, Mapping):
        if "sections" not in items:
            raise ValueError('a dict must be a snapshot with "sections"; pass rows as a list of dicts')
        if "content" in items:
            operations.append({"op": "reconfigureList", "content": items["content"]})
        sections = [*items["sections"]]
    else:
        sections = rows_of.sections(items, key, section, parent, kind, text)
    if into is None:
        if sections:
            operations.append({"op": "appendSections", "sections": sections})
        return operations, {"list": list_name}
    rows = [item for one in sections for item in one.get("items", ())]
    operations.append({"op": "appendItems", "section": into, "items": rows})
    return operations, {"list": list_name, "section": into}


def _freshness(most_recent: bool, not_older_than: Optional[int]) -> Dict[str, Any]:
    return {"mostRecent": most_recent or None, "notOlderThan": not_older_than}


def _random_key() -> str:
    """128 random bits, so that no two clients ever make the same key."""
    return secrets.token_urlsafe(16)


def _milliseconds(seconds: Optional[float]) -> Optional[int]:
    return None if seconds is None else max(1, round(seconds * 1000))
