"""Values to lines and back."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, Union

from .errors import NotSendable, Unintelligible

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encoded(value: object) -> bytes:
    """The value as compact JSON. Raises `NotSendable`, which says where what cannot be sent stands."""
    try:
        return _encoder.encode(value).encode()
    except (TypeError, ValueError, RecursionError) as error:
        objection = _objection(value, "", 0)
        # Neither the encoder nor its words are the caller's business.
        raise NotSendable(objection or f"the value cannot be sent: {error}") from None


def copied(value: Any) -> Any:
    """The value as it is sent, of which the caller can change nothing any more. Raises `NotSendable`."""
    return json.loads(encoded(value))


def decoded(line: Union[bytes, bytearray]) -> Dict[str, Any]:
    """The object that a line has."""
    try:
        try:
            message = json.loads(line)
        except json.JSONDecodeError:
            raise
        except ValueError:
            # Python reads no longer integers than some thousand digits.
            message = json.loads(line, parse_int=float)
    except (ValueError, RecursionError):
        raise Unintelligible(f"a line of {len(line)} bytes, which begins with {bytes(line[:40])!r}") from None
    if not isinstance(message, dict):
        raise Unintelligible(f"a line without a message, {bytes(line[:40])!r}")
    return message


def _objection(value: object, path: str, depth: int) -> str:
    """What cannot be sent, and where; empty when nothing is found."""
    where = f" at {path}" if path else ""
    if depth > 200:
        return f"what is to be sent is nested too deep, or contains itself{where[:60]}"
    if value is None or isinstance(value, (bool, int)):
        return ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value}{where} cannot be sent: use a finite number, or None"
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return f"the text{where} has half a character (a lone surrogate), and cannot be sent: {value!a:.60}"
        return ""
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, (str, int, float, bool)) and key is not None:
                return f"a member's name{where} cannot be sent, as it is no text: {key!r:.60}"
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
