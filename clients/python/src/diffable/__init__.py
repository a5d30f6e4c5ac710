"""A client of diffabled: follow live lists, publish them, change them, and handle requests for them.

`Client` blocks, `AsyncClient` is for asyncio; both do the same. docs/python.md is an introduction.
"""

# lines, conversation: bytes to messages
# siblings, state, operations, mirror: the local copy of a list, the operations that change it, updates in parts
# rows, parts: rows as items, and a long change in several lines
# wire, blocking, asynchronous: everything that waits, once for each kind of client
# connection, connections, reception: requests, subscriptions, and lost connections
# requests, following, handling, leasing: the features of a client, over any wire
# client, async_client: the two clients

from .answers import Access, Difference, Expanded, History, ListSummary, Outcome, Performed, Place, Revision, Snapshot
from .async_client import AsyncClient, AsyncFollowing, AsyncHandler, AsyncLease, AsyncRequest
from .client import Client, Following, Handler, Lease, Request
from .errors import (
    AttachExists,
    ConnectionLost,
    DiffableError,
    DuplicateItem,
    DuplicateSection,
    HandlerEnded,
    HandlerExists,
    HandlerLost,
    HandlerTimedOut,
    InvalidAnchor,
    InvalidConfiguration,
    InvalidContent,
    InvalidParams,
    InvalidRequest,
    ListExists,
    MethodNotFound,
    MirrorExists,
    NoDaemon,
    NoHandler,
    NoReply,
    NoSpace,
    NoSuchItem,
    NoSuchList,
    NoSuchRequest,
    NoSuchRevision,
    NoSuchSection,
    NoSuchSubscription,
    NotAttached,
    NotForShared,
    NotKept,
    NotSendable,
    OutcomeUnknown,
    OwnDescendant,
    ParseError,
    PermissionDenied,
    ProposalRefused,
    Refused,
    RequestKeyReused,
    RevisionMismatch,
    ShuttingDown,
    SocketNotPermitted,
    StorageFailed,
    StorageUnreadable,
    TooLarge,
    Unintelligible,
    Unreachable,
    UntrustedSocket,
)
from .mirror import Update, Window
from .operations import DoesNotFit, apply
from .state import Item, ListState, Section
from .typed import Condition, ItemDict, Operation, SectionDict, SnapshotDict, View

__version__ = "0.1.0"

__all__ = [
    "Access", "AsyncClient", "AsyncFollowing", "AsyncHandler", "AsyncLease", "AsyncRequest", "AttachExists", "Client",
    "Condition", "ConnectionLost",
    "Difference", "DiffableError", "DoesNotFit", "DuplicateItem", "DuplicateSection", "Expanded", "Following", "Handler",
    "HandlerEnded", "HandlerExists", "HandlerLost", "HandlerTimedOut", "History", "InvalidAnchor", "InvalidConfiguration",
    "InvalidContent", "InvalidParams", "InvalidRequest", "Item", "ItemDict", "Lease", "ListExists", "ListState", "ListSummary",
    "MethodNotFound", "MirrorExists", "NoDaemon", "NoHandler", "NoReply", "NoSpace", "NoSuchItem", "NoSuchList",
    "NoSuchRequest",
    "NoSuchRevision", "NoSuchSection", "NoSuchSubscription", "NotAttached", "NotForShared", "NotKept", "NotSendable",
    "Operation", "Outcome", "OutcomeUnknown", "OwnDescendant",
    "ParseError", "Performed",
    "PermissionDenied", "Place", "ProposalRefused", "Refused", "RequestKeyReused", "Revision", "RevisionMismatch",
    "Request", "Section", "SectionDict", "ShuttingDown", "Snapshot", "SnapshotDict", "SocketNotPermitted", "StorageFailed",
    "StorageUnreadable", "TooLarge", "Unintelligible", "Unreachable", "UntrustedSocket", "Update", "View", "Window", "apply",
]
