"""A batch of events and what is known of its attempts. Made by tracker.py."""

from __future__ import annotations

import json
import re
from collections import deque
from typing import Any, Literal, NamedTuple

from .calls import new_key
from .errors import AnnalsError
from .transport import encoded

_MAX_BATCH_EVENTS = 1_000
_MAX_BATCH_BYTES = 4_000_000

_NAMED = re.compile(r"events\[(\d+)\]")


class Item(NamedTuple):
    #: The event as JSON.
    text: bytes
    #: When it was tracked.
    at: float

    @property
    def event(self) -> Any:
        return json.loads(self.text)


class EventQueue:
    """The events that are in no batch yet."""

    def __init__(self, batch_events: int, batch_bytes: int) -> None:
        self.batch_events = max(1, min(batch_events, _MAX_BATCH_EVENTS))
        self.batch_bytes = min(batch_bytes, _MAX_BATCH_BYTES)
        self._items: deque[Item] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._items)

    @property
    def first_at(self) -> float:
        return self._items[0].at

    @property
    def is_batch_ready(self) -> bool:
        return len(self._items) >= self.batch_events or self._bytes >= self.batch_bytes

    def add(self, item: Item) -> None:
        self._items.append(item)
        self._bytes += len(item.text)

    def cut(self) -> list[Item]:
        """Takes the events of the next batch."""
        items: list[Item] = []
        size = 0
        while self._items and len(items) < self.batch_events:
            size += len(self._items[0].text)
            if items and size > self.batch_bytes:
                break
            items.append(self._items.popleft())
            self._bytes -= len(items[-1].text)
        return items

    def take_all(self) -> list[Item]:
        items = list(self._items)
        self._items.clear()
        self._bytes = 0
        return items


#: `gone`: another process sends the batch. `replaced`: others have its events.
Begun = Literal["begun", "gone", "replaced"]


class Batch:
    """In memory. Those in files have more to do when their state changes."""

    is_spooled = False
    is_own = True

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.count = len(items)
        self.key = new_key()
        self.attempts = 0
        self.is_in_flight = False
        #: When the first attempt began after which the batch may be stored.
        self.unknown_since: float | None = None
        self.error: AnnalsError | None = None
        self._body: bytes | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether it may be stored."""
        return self.is_in_flight or self.unknown_since is not None

    @property
    def body(self) -> bytes:
        if self._body is None:
            self._body = encoded(b'{"events":[%s]}' % b",".join(item.text for item in self.items))
        return self._body

    def begin(self, now: float) -> Begun:
        """Called before each attempt."""
        return "begun"

    def done(self) -> None:
        """The batch is stored."""

    def dropped(self, reason: str) -> None:
        """The batch is not sent again."""

    def failed(self, error: AnnalsError, began: float) -> None:
        self.error = error
        if not error.is_refused and self.unknown_since is None:
            self.unknown_since = began

    def parted(self, error: AnnalsError) -> tuple[list[Item], list[Batch]]:
        """The events that the service refused, and batches of the others. If it named none, two halves."""
        matches = [_NAMED.match(detail.field) for detail in error.details]
        named = {int(match[1]) for match in matches if match}
        refused = [item for at, item in enumerate(self.items) if at in named]
        if not refused and len(self.items) > 1:
            half = (len(self.items) + 1) // 2
            return [], [Batch(self.items[:half]), Batch(self.items[half:])]
        valid = [item for at, item in enumerate(self.items) if at not in named] if refused else []
        return refused or self.items, [Batch(valid)] if valid else []
