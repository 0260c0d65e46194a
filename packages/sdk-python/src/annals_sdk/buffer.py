"""Where tracked events wait: in memory, as here, or in a spool. Used by tracker.py: what says so is called
with its lock, and the rest by its thread without it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .batch import Batch, events_of, parts_of
from .calls import new_key
from .clock import Clock
from .delivery import EPSILON_S, Outcome
from .tracking_limits import TrackingLimits
from .tracking_options import Drop, DropReason, Tracking

_MAX_BATCH_EVENTS = 1_000
_MAX_BATCH_BYTES = 4_000_000

#: The event as JSON, with a number of its producer if it has one. Raises for what JSON lacks.
TextOf = Callable[["dict[str, Any] | None"], bytes]


@dataclass(frozen=True)
class BufferDeps:
    options: Tracking
    clock: Clock
    #: Has the lock of the tracker, and is woken when events are settled.
    done: threading.Condition
    report: Callable[[Drop], None]
    #: Calls the service, until it has a result or once. None if it has none.
    repeat: Callable[[Callable[[], Any]], Any]
    once: Callable[[Callable[[], Any]], Any]
    pause: Callable[[float], None]


class Buffer(Protocol):
    #: Events that are neither stored nor dropped, and own ones that are.
    events: int
    settled: int

    @property
    def keep_s(self) -> float | None:
        """Seconds after which `keep` is called again; None: never."""

    @property
    def is_flushed(self) -> bool:
        """Nothing waits that other processes have left. With the lock."""

    @property
    def is_due(self) -> bool:
        """The last event was the first of a batch, or has completed it. With the lock."""

    def add(self, text_of: TextOf, now: float) -> DropReason | None:
        """None if the event is taken. With the lock."""

    def next(self, is_hurried: bool, now: float) -> Batch | float | None:
        """The next batch, which stays here; or seconds until there is one; or None. With the lock."""

    def send(self, batch: Batch, deliver: Callable[[Batch], Outcome]) -> None:
        """Sends a batch, and does what its outcome asks for."""

    def keep(self) -> None:
        """Called between batches, and while the thread waits."""

    def take_over(self) -> None:
        """Called between batches. It may wait for the service."""

    def ready(self, timeout: float | None) -> bool:
        """Waits for space. Called by any thread."""

    def dropped(self, events: int) -> None:
        """Counts what was dropped. With the lock."""

    def leave(self) -> list[Drop]:
        """Called by close(): what it drops. With the lock."""

    def forget(self) -> None:
        """Called in a child of a fork."""


class Bounds:
    """When a batch is complete."""

    def __init__(self, options: Tracking) -> None:
        self.events = max(1, min(options.batch_events, _MAX_BATCH_EVENTS))
        self.bytes = min(options.batch_bytes, _MAX_BATCH_BYTES)
        self._max_wait = options.max_wait

    def is_full(self, events: int, size: int) -> bool:
        return events >= self.events or size >= self.bytes

    def wait_of(self, first_at: float, now: float) -> float:
        """How long an event still waits for others."""
        left = min(self._max_wait, first_at + self._max_wait - now)
        return left if left > EPSILON_S else 0.0


class MemoryBuffer:
    keep_s = None
    is_flushed = True

    def __init__(self, deps: BufferDeps) -> None:
        options = deps.options
        self._deps = deps
        self._bounds = Bounds(options)
        self._limits = options.limits or TrackingLimits(options.max_events, options.max_bytes)
        self._queue: deque[tuple[bytes, float]] = deque()
        self._queue_bytes = 0
        #: The one that is sent, and what is left of refused ones. They go before the queue.
        self._batches: deque[Batch] = deque()
        self.events = 0
        self.settled = 0

    @property
    def is_due(self) -> bool:
        return len(self._queue) == 1 or self._is_full

    @property
    def _is_full(self) -> bool:
        return self._bounds.is_full(len(self._queue), self._queue_bytes)

    def add(self, text_of: TextOf, now: float) -> DropReason | None:
        try:
            text = text_of(None)
        except Exception:
            return "unserializable"
        if not self._limits.add(len(text)):
            return "full"
        self._queue.append((text, now))
        self._queue_bytes += len(text)
        self.events += 1
        return None

    def next(self, is_hurried: bool, now: float) -> Batch | float | None:
        if not self._batches:
            if not self._queue:
                return None
            left = self._bounds.wait_of(self._queue[0][1], now)
            if left > 0 and not is_hurried and not self._is_full:
                return left
            self._batches.append(Batch(new_key(), self._cut()))
        return self._batches[0]

    def _cut(self) -> list[bytes]:
        texts: list[bytes] = []
        size = 0
        while self._queue and len(texts) < self._bounds.events:
            size += len(self._queue[0][0])
            if texts and size > self._bounds.bytes:
                break
            texts.append(self._queue.popleft()[0])
            self._queue_bytes -= len(texts[-1])
        return texts

    def send(self, batch: Batch, deliver: Callable[[Batch], Outcome]) -> None:
        outcome = deliver(batch)
        with self._deps.done:
            # What close() has dropped is no longer here.
            if outcome.kind == "left" or batch not in self._batches:
                return
            self._batches.remove(batch)
            settled: list[bytes] = batch.texts
            rest: list[list[bytes]] = []
            if outcome.kind == "refused":
                settled, rest = parts_of(batch.texts, outcome.faulty)
            self._batches.extendleft(Batch(new_key(), texts) for texts in reversed(rest))
        if outcome.kind != "stored" and settled:
            self._deps.report(Drop(outcome.kind, events_of(settled), outcome.error))
        self._settle(settled)

    def _settle(self, texts: Sequence[bytes]) -> None:
        self._limits.remove(len(texts), sum(map(len, texts)))
        with self._deps.done:
            self.events -= len(texts)
            self.settled += len(texts)
            self._deps.clock.wake(self._deps.done)

    def keep(self) -> None:
        pass

    def take_over(self) -> None:
        pass

    def ready(self, timeout: float | None) -> bool:
        return self._limits.ready(timeout)

    def dropped(self, events: int) -> None:
        pass

    def leave(self) -> list[Drop]:
        rest = [*self._batches, Batch("", [text for text, _ in self._queue])]
        self._batches.clear()
        self._queue.clear()
        self._queue_bytes = 0
        drops: list[Drop] = []
        for batch in rest:
            self._settle(batch.texts)
            reason: DropReason = "unconfirmed" if batch.is_unknown else "closed"
            if batch.texts:
                drops.append(Drop(reason, events_of(batch.texts), batch.error))
        return drops

    def forget(self) -> None:
        pass
