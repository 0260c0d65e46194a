"""The client of Annals, an audit log whose events form a hash chain that anyone can verify."""

from typing import TYPE_CHECKING, Any

from .checkpoint import CheckpointError, Cosignature, VerifiedCheckpoint, verify_checkpoint
from .client import Annals
from .clock import Clock
from .context import context
from .diff import diff
from .errors import AnnalsError, ErrorDetail, NotSent
from .http_transport import HttpTransport, Request, Response, Sends
from .pages import AsyncPages, Pages
from .spool import Spool, SpoolStats
from .tracking_limits import TrackingLimits
from .tracking_options import Drop, DropReason, Retry, Stall, Tracking
from .transport import Attempt, AttemptResult, Observation, Observe
from .verify_events import EventCheck, EventFault, EventsCheck, check_event, verify_events
from .webhooks import WebhookError, verify_webhook

if TYPE_CHECKING:
    from .async_client import AsyncAnnals

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Loads AsyncAnnals, and asyncio with it, when it is used."""
    if name == "AsyncAnnals":
        from .async_client import AsyncAnnals

        return AsyncAnnals
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Annals",
    "AnnalsError",
    "AsyncAnnals",
    "AsyncPages",
    "Attempt",
    "AttemptResult",
    "CheckpointError",
    "Clock",
    "Cosignature",
    "Drop",
    "DropReason",
    "ErrorDetail",
    "EventCheck",
    "EventFault",
    "EventsCheck",
    "HttpTransport",
    "NotSent",
    "Observation",
    "Observe",
    "Pages",
    "Request",
    "Response",
    "Retry",
    "Sends",
    "Spool",
    "SpoolStats",
    "Stall",
    "Tracking",
    "TrackingLimits",
    "VerifiedCheckpoint",
    "WebhookError",
    "check_event",
    "context",
    "diff",
    "verify_checkpoint",
    "verify_events",
    "verify_webhook",
]
