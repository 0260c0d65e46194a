"""Time for retries and for the buffer of track(). Tests give one that they control."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Every wait may end early, so callers look at the time again."""

    def now(self) -> float:
        """Seconds since 1970."""

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Waits for this time, or until `wake`. The caller holds the condition."""

    def wake(self, condition: threading.Condition) -> None:
        """Ends all waits of the condition. The caller holds it."""


class SystemClock:
    def now(self) -> float:
        return time.time()

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        condition.wait(min(seconds, threading.TIMEOUT_MAX))

    def wake(self, condition: threading.Condition) -> None:
        condition.notify_all()


SYSTEM_CLOCK = SystemClock()
