"""The client for asyncio."""

from __future__ import annotations

from typing import AsyncIterator, Literal, Optional, Sequence

from .asynchronous import AsyncNetwork
from .following import FollowedList
from .handling import HandlerRequest, Handling
from .leasing import Leasing
from .listing import FollowedLists, ListsUpdate
from .mirror import Update
from .requests import Requests
from .typed import JSON, Operation, RequestKind, View


class AsyncRequest(HandlerRequest):
    async def answer(self, result: JSON = None, *, operations: Optional[Sequence[Operation]] = None) -> None:
        """As `Request.answer`."""
        await self._answer(result, operations)

    async def refuse(self, reason: str) -> None:
        """As `Request.refuse`."""
        await self._refuse(reason)

    async def fail(self, reason: str) -> None:
        """As `Request.fail`."""
        await self._fail(reason)


class AsyncFollowing(FollowedList, AsyncIterator[Update]):
    """`async for update in client.follow("tasks")`. End it with `async with`, or `close`."""

    async def __anext__(self) -> Update:
        update = await self.next()
        if update is None:
            raise StopAsyncIteration
        return update

    async def __aenter__(self) -> AsyncFollowing:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncFollowingLists(FollowedLists, AsyncIterator[ListsUpdate]):
    """`async for update in client.follow_lists()`. End it with `async with`, or `close`."""

    async def __anext__(self) -> ListsUpdate:
        update = await self.next()
        if update is None:
            raise StopAsyncIteration
        return update

    async def __aenter__(self) -> AsyncFollowingLists:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncHandler(Handling[AsyncRequest], AsyncIterator[AsyncRequest]):
    """`async with client.handle("tasks", ["perform"]) as handler: async for request in handler: …`."""

    async def __anext__(self) -> AsyncRequest:
        request = await self.next()
        if request is None:
            raise StopAsyncIteration
        return request

    async def __aenter__(self) -> AsyncHandler:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncLease(Leasing):
    """Like `Lease`, for `async with`, with methods to await, one at a time."""

    async def __aenter__(self) -> AsyncLease:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncClient(Requests):
    """A client for asyncio.

        async with AsyncClient() as client:
            await client.publish("tasks", [{"id": "milk", "text": "Buy milk"}])
            async for update in client.follow("tasks"):
                print(update.revision, len(update.state))
    """

    def __init__(
        self, socket: Optional[str] = None, *, name: Optional[str] = None, patience: float = 10,
        reply_timeout: Optional[float] = 60,
    ) -> None:
        super().__init__(AsyncNetwork(), socket, name, patience, reply_timeout)

    def follow(
        self, list: str, view: Optional[View] = None, *, if_absent: Literal["error", "wait"] = "error",
        min_interval: Optional[float] = None, most_recent: bool = False, not_older_than: Optional[int] = None,
    ) -> AsyncFollowing:
        """As `Client.follow`."""
        return AsyncFollowing(
            self._connections, list, view, if_absent, min_interval, most_recent, not_older_than)

    def follow_lists(self, content: bool = False, *, min_interval: Optional[float] = None) -> AsyncFollowingLists:
        """As `Client.follow_lists`."""
        return AsyncFollowingLists(self._connections, content, min_interval)

    def handle(
        self, list: str, requests: Sequence[RequestKind], actions: Optional[Sequence[str]] = None, *, replace: bool = False,
        follow: bool = True,
    ) -> AsyncHandler:
        """As `Client.handle`."""
        return AsyncHandler(AsyncRequest, self._connections, list, requests, actions, replace, follow)

    def lease(self) -> AsyncLease:
        """As `Client.lease`."""
        return AsyncLease(self._connections, self._patience)

    async def close(self) -> None:
        """Closes the idle connections. Loops, handlers and leases are closed separately."""
        self._connections.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
