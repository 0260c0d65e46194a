"""For the tests of an application: `recorder()` takes events in place of a client, and sends nothing."""

from __future__ import annotations

from typing import Any

from .context import with_context
from .json_text import json_of


class Recorder:
    """Has `track()` and the methods around it. `events` are what was tracked."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    @property
    def actions(self) -> list[str]:
        return [event["action"] for event in self.events]

    def track(self, event: Any) -> bool:
        """Raises for what is no JSON, so that a test finds it."""
        filled = dict(with_context(event))
        json_of(filled)
        self.events.append(filled)
        return True

    def ready(self, timeout: float | None = None) -> bool:
        return True

    def flush(self, timeout: float | None = None) -> bool:
        return True

    def close(self, timeout: float | None = None) -> None:
        pass


def recorder() -> Recorder:
    return Recorder()
