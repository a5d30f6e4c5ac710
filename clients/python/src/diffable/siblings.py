"""An order in which elements are found, inserted and removed in about the same time for any length.

The members are in chunks of some hundred. Each knows its chunk, so that its index is found without a search through all of
them.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Generic, Iterable, Iterator, List, Optional, Sequence, TypeVar, Union, overload


class Member:
    """An element of an order."""

    __slots__ = ("_chunk",)
    _chunk: Optional[_Chunk]


class _Chunk:
    __slots__ = ("members",)

    def __init__(self, members: List[Any]) -> None:
        self.members = members
        for member in members:
            member._chunk = self


M = TypeVar("M", bound=Member)


class Siblings(Sequence[M], Generic[M]):
    """Members in order. `insert` and `remove` move some hundred pointers; an index costs a step for each chunk."""

    __slots__ = ("_chunks", "_count")

    #: The length above which a chunk is split.
    LENGTH_MAX = 512

    def __init__(self, members: Iterable[M] = ()) -> None:
        self._chunks: List[_Chunk] = []
        self._count = 0
        self.insert(list(members), after=None)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[M]:
        return chain.from_iterable(chunk.members for chunk in self._chunks)

    @overload
    def __getitem__(self, index: int) -> M: ...
    @overload
    def __getitem__(self, index: slice) -> List[M]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[M, List[M]]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._count)
            return [self[place] for place in range(start, stop, step)]
        place = index + self._count if index < 0 else index
        if 0 <= place < self._count:
            for chunk in self._chunks:
                if place < len(chunk.members):
                    member: M = chunk.members[place]
                    return member
                place -= len(chunk.members)
        raise IndexError(f"index {index} is out of range: the count is {self._count}")

    def index(self, member: Any, start: int = 0, stop: Optional[int] = None) -> int:
        place = 0
        for chunk in self._chunks:
            if member._chunk is chunk:
                place += int(chunk.members.index(member))
                if start <= place < (self._count if stop is None else stop):
                    return place
                break
            place += len(chunk.members)
        raise ValueError("the element is not in this sequence")

    def __contains__(self, member: object) -> bool:
        return isinstance(member, Member) and any(member._chunk is chunk for chunk in self._chunks)

    def insert(self, members: List[M], after: Optional[M]) -> None:
        """`after=None` is the front."""
        if not members:
            return
        self._count += len(members)
        if not self._chunks:
            self._chunks = self._parted(members)
            return
        if after is None:
            chunk, place = self._chunks[0], 0
        else:
            chunk = self._chunk_of(after)
            place = chunk.members.index(after) + 1
        chunk.members[place:place] = members
        if len(chunk.members) <= self.LENGTH_MAX:
            for member in members:
                member._chunk = chunk
        else:
            number = self._chunks.index(chunk)
            self._chunks[number : number + 1] = self._parted(chunk.members)

    def append(self, members: List[M]) -> None:
        self.insert(members, after=self._chunks[-1].members[-1] if self._chunks else None)

    def before(self, member: M) -> Optional[M]:
        """The member before this one; None at the front."""
        chunk = self._chunk_of(member)
        place = chunk.members.index(member)
        if place > 0:
            found: M = chunk.members[place - 1]
            return found
        number = self._chunks.index(chunk)
        return self._chunks[number - 1].members[-1] if number > 0 else None

    def remove(self, member: M) -> None:
        chunk = self._chunk_of(member)
        chunk.members.remove(member)
        member._chunk = None
        self._count -= 1
        if not chunk.members:
            self._chunks.remove(chunk)

    def _parted(self, members: List[M]) -> List[_Chunk]:
        """Half full, so that they have room."""
        length = self.LENGTH_MAX // 2
        return [_Chunk(members[start : start + length]) for start in range(0, len(members), length)]

    @staticmethod
    def _chunk_of(member: M) -> _Chunk:
        if member._chunk is None:
            raise ValueError("the element is not in this sequence")
        return member._chunk
