"""The protocol's JSON (docs/protocol-operations.md, docs/protocol-views.md) as types: views, operations, items.

At runtime all of them are plain dicts and lists.
"""

from __future__ import annotations

from typing import Literal

from . import _protocol

JSON = _protocol.JSON

View = _protocol.View
Condition = _protocol.Condition
Operation = _protocol.Operation
ItemDict = _protocol.Item
SectionDict = _protocol.Section
SnapshotDict = _protocol.Snapshot

Method = _protocol.Method
RequestKind = _protocol.HandledKind
Durability = _protocol.Durability
Cause = Literal["initial", "changes", "history", "epoch", "reload", "deleted"]
