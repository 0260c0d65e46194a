"""The JSON of what a caller gives."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any
from uuid import UUID


def json_of(value: Any) -> bytes:
    """Raises ValueError or TypeError for what JSON lacks, such as NaN and half of a surrogate pair."""
    return _ENCODER.encode(value).encode()


def _encodable(value: Any) -> str:
    """Times and UUIDs as text. A time without an offset is ambiguous, and refused."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError("a datetime needs a timezone")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"a {type(value).__name__} is not JSON")


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_encodable)
