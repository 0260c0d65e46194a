"""A call of the interface, and how its path and its query are written. Made by resources.py."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

_TILE_WIDTH = 256


@dataclass(frozen=True)
class Call:
    #: Operation id of the OpenAPI document: `create-event`.
    operation: str
    method: str
    path: str
    query: Mapping[str, Any] | None = None
    #: A value for JSON, or JSON.
    body: Any = None
    media_type: str = "application/json"
    #: Makes a POST safe to repeat.
    idempotency_key: str | None = None
    #: Seconds of one attempt; None: the client's.
    timeout: float | None = None
    max_retries: int | None = None


def new_key() -> str:
    return str(uuid.uuid4())


def path_of(id: str) -> str:
    """One step of a path: an id with a slash in it reaches no other route."""
    if id in ("", ".", ".."):
        raise ValueError("an id is missing")
    return quote(id, safe="")


def query_of(query: Mapping[str, Any] | None) -> str:
    pairs: list[str] = []
    for name, value in (query or {}).items():
        if value is None:
            continue
        values = [value] if isinstance(value, (str, int, float)) else list(value)
        # No value of a filter selects nothing: without the parameter it would select everything.
        pairs += [f"{quote(name, safe='')}={quote(_text_of(each), safe='')}" for each in values or [""]]
    return "?" + "&".join(pairs) if pairs else ""


def _text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def tile_index(index: int, width: int | None) -> str:
    """Digits in groups of three, of which only the last has no `x`: `x001/x234/067`, or `000.p/5`."""
    digits = str(index)
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])
    return path if width in (None, _TILE_WIDTH) else f"{path}.p/{width}"


def page_after_epoch(page: Mapping[str, Any]) -> dict[str, Any] | None:
    """The query of the next page of heads, which have no cursor."""
    data = page["data"]
    return {"after_epoch": data[-1]["epoch"]} if page["has_more"] and data else None
