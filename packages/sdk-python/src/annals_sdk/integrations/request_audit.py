"""Who, what and from where: makes an event of an action in a request. Shared by the web frameworks.

It never records headers that hold credentials, nor the query of the URL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Tracks(Protocol):
    """What of a client the integrations need."""

    def track(self, event: Any) -> bool: ...


class Audit(Protocol):
    """Records an action of the request. False if the buffer dropped it."""

    def __call__(self, action: str, **event: Any) -> bool: ...


def audit_of(
    annals: Tracks, origin: Callable[[], Mapping[str, Any]], actor: Callable[[], Any] | None
) -> Audit:
    """The actor is read when an action is recorded, after the login."""

    def audit(action: str, **event: Any) -> bool:
        known = {name: value for name, value in origin().items() if value is not None}
        who = event.pop("actor", None) or (actor() if actor else None)
        context = {**known, **(event.pop("context", None) or {})}
        return annals.track(
            {**event, **({"actor": who} if who else {}), "action": action, "context": context}
        )

    return audit
