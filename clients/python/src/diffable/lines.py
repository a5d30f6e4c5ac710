"""Values to lines and back."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, Union

from .errors import NotSendable, Unintelligible

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encoded(value: object) -> bytes:
    """The value as compact JSON. Raises `NotSendable` with the place of a value that cannot be sent."""
    try:
        return _encoder.encode(value).encode()
    except (TypeError, ValueError, RecursionError) as error:
        objection = _objection(value, "", 0)
        # The encoder and its message are internal.
        raise NotSendable(objection or f"the value cannot be sent: {error}") from None


def copied(value: Any) -> Any:
    """The value as it is sent, independent of later changes by the caller. Raises `NotSendable`."""
    return json.loads(encoded(value))


def decoded(line: Union[bytes, bytearray]) -> Dict[str, Any]:
    """The object in a line."""
    try:
        try:
            message = json.loads(line)
        except json.JSONDecodeError:
            raise
        except ValueError:
            # Python rejects integers of more than some thousand digits.
            message = json.loads(line, parse_int=float)
    except (ValueError, RecursionError):
        raise Unintelligible(f"a line of {len(line)} bytes, which begins with {bytes(line[:40])!r}") from None
    if not isinstance(message, dict):
        raise Unintelligible(f"a line without a message, {bytes(line[:40])!r}")
    return message


def _objection(value: object, path: str, depth: int) -> str:
    """The objection to a value that cannot be sent, with its place; empty if there is none."""
    where = f" at {path}" if path else ""
    if depth > 200:
        return f"the value cannot be sent: it has more than 200 levels, or contains itself{where[:60]}: use fewer levels"
    if value is None or isinstance(value, (bool, int)):
        return ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value}{where} cannot be sent: use a finite number, or None"
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return (
                f"the text{where} has half a character (a lone surrogate), and cannot be sent: {value!a:.60}. Replace it, for "
                "example with .encode(errors='replace').decode()"
            )
        return ""
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, (str, int, float, bool)) and key is not None:
                return f"a member's name{where} cannot be sent, because it is not a string: {key!r:.60}. Use a string"
            if found := _objection(key, f"{path}/{key}", depth + 1) or _objection(member, f"{path}/{key}", depth + 1):
                return found
        return ""
    if isinstance(value, (list, tuple)):
        for index, element in enumerate(value):
            if found := _objection(element, f"{path}/{index}", depth + 1):
                return found
        return ""
    return (
        f"a {type(value).__name__}{where} cannot be sent: use dict, list, str, int, float, bool or None "
        f"(it is {value!r:.60})"
    )
