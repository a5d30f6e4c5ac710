"""A client of diffabled: follow live lists, publish them, change them, and handle requests for them.

`Client` blocks, `AsyncClient` is for asyncio; both do the same. docs/python.md is an introduction.
"""

# lines, conversation: bytes to messages
# siblings, state, operations, mirror: the local copy of a list, the operations that change it, updates in parts
# rows, parts: rows as items, and a long change in several lines
# wire, blocking, asynchronous: waiting, once for each kind of client
# connection, connections, reception: requests, subscriptions, and lost connections
# requests, following, handling, leasing: the features of a client, over any wire
# client, async_client: the two clients

from . import _errors
from ._errors import *
from .answers import Access, Difference, Expanded, History, ListSummary, Outcome, Performed, Place, Revision, Snapshot
from .async_client import AsyncClient, AsyncFollowing, AsyncFollowingLists, AsyncHandler, AsyncLease, AsyncRequest
from .client import Client, Following, FollowingLists, Handler, Lease, Request
from .errors import (
    ConnectionLost,
    DiffableError,
    HandlerEnded,
    NoDaemon,
    NoReply,
    NotSendable,
    Refused,
    SocketNotPermitted,
    Unintelligible,
    UntrustedSocket,
)
from .listing import ListsUpdate
from .mirror import Update, Window
from .operations import DoesNotFit, apply
from .state import Item, ListState, Section
from .typed import Condition, ItemDict, Operation, SectionDict, SnapshotDict, View

__version__ = "0.1.0"

__all__ = [
    "Access", "apply", "AsyncClient", "AsyncFollowing", "AsyncFollowingLists", "AsyncHandler", "AsyncLease", "AsyncRequest",
    "Client", "Condition", "ConnectionLost", "DiffableError", "Difference", "DoesNotFit", "Expanded", "Following",
    "FollowingLists", "Handler", "HandlerEnded", "History", "Item", "ItemDict", "Lease", "ListsUpdate", "ListState",
    "ListSummary", "NoDaemon", "NoReply", "NotSendable", "Operation",
    "Outcome", "Performed", "Place", "Refused", "Request", "Revision", "Section", "SectionDict", "Snapshot", "SnapshotDict",
    "SocketNotPermitted", "Unintelligible", "UntrustedSocket", "Update", "View", "Window",
]
__all__ += _errors.__all__
