"""The clock of the driver: it moves only when a command moves it, from one wait of the client to the next."""

from __future__ import annotations

import threading
from dataclasses import dataclass

#: 2026-01-31T09:30:00Z
START_MS = 1_769_851_800_000


@dataclass(eq=False)
class _Wait:
    due: int
    condition: threading.Condition


class DriverClock:
    def __init__(self, is_paused: bool = False) -> None:
        """One that is paused ends waits, but shows no other time."""
        self.ms = START_MS
        self._is_paused = is_paused
        self._lock = threading.Lock()
        self._waits: list[_Wait] = []

    @property
    def is_waited_for(self) -> bool:
        with self._lock:
            return bool(self._waits)

    def now(self) -> float:
        return (START_MS if self._is_paused else self.ms) / 1_000

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        wait = _Wait(self.ms + round(seconds * 1_000), condition)
        with self._lock:
            self._waits.append(wait)
        while wait in self._waits:
            condition.wait()

    def wake(self, condition: threading.Condition) -> None:
        with self._lock:
            self._waits = [wait for wait in self._waits if wait.condition is not condition]
        condition.notify_all()

    def step(self, until: int) -> bool:
        """Moves to the first wait that is due until then, and ends it. False if none is."""
        with self._lock:
            first = min(self._waits, key=lambda wait: wait.due, default=None)
            if first is None or first.due > until:
                self.ms = until
                return False
            self.ms = max(self.ms, first.due)
            self._waits.remove(first)
        with first.condition:
            first.condition.notify_all()
        return True
