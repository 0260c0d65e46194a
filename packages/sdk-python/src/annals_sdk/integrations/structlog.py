"""A structlog processor that records what is marked as audit:

log.info("invoice.update", audit={"target": {"type": "invoice", "id": "inv_9"}})
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from .request_audit import Tracks


class AuditProcessor:
    """Takes `audit` out of a log entry. The entry's event is the action, unless `audit` has one."""

    def __init__(self, annals: Tracks) -> None:
        self._annals = annals

    def __call__(self, _: Any, __: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        audit = entry.pop("audit", None)
        if isinstance(audit, dict):
            self._annals.track({"action": entry.get("event"), **audit})
        return entry
