"""The bound of what track() buffers, of one client or of several that share it."""

from __future__ import annotations

import threading

from .process_end import forget_at_fork

_MAX_EVENTS = 10_000
_MAX_BYTES = 32 * 1024 * 1024


class TrackingLimits:
    """By default 10,000 events and 32 MiB of JSON."""

    def __init__(self, max_events: int = _MAX_EVENTS, max_bytes: int = _MAX_BYTES) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._reset()
        forget_at_fork(self)

    def _reset(self) -> None:
        self._condition = threading.Condition()
        self._events = 0
        self._bytes = 0

    def add(self, size: int) -> bool:
        """Counts an event. False if there is no space for it."""
        with self._condition:
            if self._events >= self._max_events or self._bytes + size > self._max_bytes:
                return False
            self._events += 1
            self._bytes += size
            return True

    def remove(self, events: int, size: int) -> None:
        """Stops counting events that are stored or dropped."""
        with self._condition:
            self._events -= events
            self._bytes -= size
            self._condition.notify_all()

    def ready(self, timeout: float | None = None) -> bool:
        """Waits until at most half is used. False if it is not after this time."""
        with self._condition:
            return self._condition.wait_for(self._has_space, timeout)

    def _has_space(self) -> bool:
        return self._events <= self._max_events / 2 and self._bytes <= self._max_bytes / 2
