"""The clock of the driver: it moves only when a command moves it, from one wait of the client to the next."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime

START = "2026-01-31T09:30:00Z"


def _ms_of(time: str) -> int:
    return round(datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp() * 1_000)


@dataclass(eq=False)
class _Wait:
    due: int
    condition: threading.Condition


class DriverClock:
    def __init__(self, is_paused: bool = False, start: str | None = None) -> None:
        """One that is paused ends waits, but shows no other time."""
        self.ms = _ms_of(start or START)
        self._shown = self.ms if is_paused else None
        self._lock = threading.Lock()
        self._waits: list[_Wait] = []

    @property
    def is_waited_for(self) -> bool:
        with self._lock:
            return bool(self._waits)

    def now(self) -> float:
        return (self.ms if self._shown is None else self._shown) / 1_000

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
