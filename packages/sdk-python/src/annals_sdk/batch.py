"""A batch of events and what is known of its attempts. Made by buffers, sent by delivery.py."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from .errors import AnnalsError
from .transport import encoded


class Batch:
    #: Waits for the next month of the plan.
    is_patient = False

    def __init__(self, key: str, texts: list[bytes]) -> None:
        self.key = key
        #: The events as JSON.
        self.texts = texts
        #: When the first attempt began after which the batch may be stored.
        self.unknown_since: float | None = None
        self.is_in_flight = False
        self.error: AnnalsError | None = None
        self._body: bytes | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether it may be stored."""
        return self.is_in_flight or self.unknown_since is not None

    @property
    def body(self) -> bytes:
        if self._body is None:
            self._body = body_of(self.texts)
        return self._body

    def begin(self, now: float) -> None:
        """Called before each attempt."""

    def refused(self) -> None:
        """Called after an attempt, if certainly none has stored the batch."""


_NAMED = re.compile(r"events\[(\d+)\]")


def faulty_in(error: AnnalsError) -> set[int]:
    """The indexes of the events that the service named."""
    matches = [_NAMED.match(detail.field) for detail in error.details]
    return {int(match[1]) for match in matches if match}


def body_of(texts: Sequence[bytes]) -> bytes:
    """The body of a request, compressed unless it is short."""
    return encoded(b'{"events":[%s]}' % b",".join(texts))


def events_of(texts: Sequence[bytes]) -> list[Any]:
    return [json.loads(text) for text in texts]


def parts_of(texts: Sequence[bytes], faulty: set[int]) -> tuple[list[bytes], list[list[bytes]]]:
    """Parts a refused batch: the events at fault, and what is sent next. If none was named, two halves."""
    refused = [text for at, text in enumerate(texts) if at in faulty]
    if not refused and len(texts) > 1:
        half = (len(texts) + 1) // 2
        return [], [list(texts[:half]), list(texts[half:])]
    rest = [text for at, text in enumerate(texts) if at not in faulty] if refused else []
    return refused or list(texts), [rest] if rest else []
