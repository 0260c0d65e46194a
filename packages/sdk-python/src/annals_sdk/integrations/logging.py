"""A handler of `logging` that records what is marked as audit:

logger.info("invoice.update", extra={"audit": {"target": {"type": "invoice", "id": "inv_9"}}})
"""

from __future__ import annotations

import logging

from .request_audit import Tracks


class AuditHandler(logging.Handler):
    """Ignores records without `audit`. The message is the action, unless `audit` has one."""

    def __init__(self, annals: Tracks) -> None:
        super().__init__()
        self._annals = annals

    def emit(self, record: logging.LogRecord) -> None:
        audit = getattr(record, "audit", None)
        if isinstance(audit, dict):
            self._annals.track({"action": record.getMessage(), **audit})
