"""The base classes of all errors. `errors` has the others."""

from __future__ import annotations

from typing import Any, ClassVar, Dict, Mapping, Optional, Type


class DiffableError(Exception):
    """The base class of all exceptions of this package."""

    #: Whether no daemon is running at the moment, so that a later attempt can succeed.
    is_healed_by_reconnecting: ClassVar[bool] = False
    #: Whether a change without a reply may have been made.
    leaves_outcome_open: ClassVar[bool] = False


class Refused(DiffableError):
    """The daemon refused the request. The list is unchanged."""

    #: The name of the error in docs/protocol-errors.md, for a subclass.
    error_name: ClassVar[str] = ""
    _classes: ClassVar[Dict[str, Type[Refused]]] = {}

    def __init__(self, name: str, message: str, code: int = 0, about: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.name = name
        self.code = code
        about = about or {}
        #: Why, in one word, if the error has several causes; docs/protocol-errors.md lists them, and a newer daemon can send others.
        self.reason: Optional[str] = about.get("reason")
        #: The list, section, item or operation (counted from zero) that the error is about, if there is one.
        self.list: Optional[str] = about.get("list")
        self.section: Optional[str] = about.get("section")
        self.item: Optional[str] = about.get("item")
        self.operation: Optional[int] = about.get("operation")
        #: The list's revision now.
        self.revision: Optional[int] = about.get("revision")
        #: The name of the exceeded limit, and its value.
        self.limit: Optional[str] = about.get("limit")
        self.max: Optional[int] = about.get("max")

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        Refused._classes[cls.error_name] = cls

    @staticmethod
    def of(name: str, message: str, code: int = 0, about: Optional[Mapping[str, Any]] = None) -> Refused:
        """The exception with that name; a newer daemon may have names that are unknown here."""
        return Refused._classes.get(name, Refused)(name, message, code, about)

    @staticmethod
    def from_error(error: Mapping[str, Any]) -> Refused:
        data = error.get("data") or {}
        message = str(error.get("message", "the daemon gave no reason"))
        # The caller has never seen the line.
        message = message.removesuffix(f" (at byte {data.get('offset')})")
        return Refused.of(data.get("name", ""), message, error.get("code", 0), data)
