"""The settings of track(), and what it tells the application."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .tracking_limits import TrackingLimits

if TYPE_CHECKING:
    from .spool import Spool

#: Why events were dropped. `full`: the buffer was. `refused`: the service found them invalid.
#: `unserializable`: they are no JSON. `quota`: the plan's events are used up for more than 23 hours.
#: `closed`: tracked after close(), or not sent in its time. `unconfirmed`: they were sent, no response came
#: in time, and they may be stored. `damaged`: their file on the disk was changed.
DropReason = Literal["full", "refused", "unserializable", "quota", "closed", "unconfirmed", "damaged"]

LOGGER = logging.getLogger("annals_sdk")


@dataclass(frozen=True)
class Drop:
    reason: DropReason
    events: list[Any]
    #: The last failure, if there was one.
    error: Exception | None


@dataclass(frozen=True)
class Retry:
    error: Exception
    attempt: int
    #: Seconds until the next attempt.
    delay: float


@dataclass(frozen=True)
class Stall:
    """Nothing was stored or dropped for a while, because attempts fail."""

    #: Of the last failure: `authentication_error`, for example.
    type: str | None
    status: int | None
    #: Events that wait in the buffer.
    waiting: int


def log_drop(drop: Drop) -> None:
    why = "" if drop.error is None else f": {drop.error}"
    LOGGER.error("%d events were dropped (%s)%s", len(drop.events), drop.reason, why)


def log_stall(stall: Stall) -> None:
    status = "" if stall.status is None else f", status {stall.status}"
    what = f"{stall.type or 'unknown error'}{status}"
    LOGGER.warning("%d events are waiting to be sent, attempts fail (%s)", stall.waiting, what)


@dataclass(frozen=True)
class Tracking:
    #: Called for each dropped event. By default, the count and the reason are logged as an error.
    on_drop: Callable[[Drop], None] = log_drop
    #: Called for each failed attempt that will be repeated.
    on_retry: Callable[[Retry], None] | None = None
    #: Called after 10 seconds without progress, and then each minute. By default, it is logged as a warning.
    on_stall: Callable[[Stall], None] = log_stall
    #: The buffer's bound.
    max_events: int = 10_000
    max_bytes: int = 32 * 1024 * 1024
    #: A bound that several clients share, in place of the two above.
    limits: TrackingLimits | None = None
    #: A batch is sent once it has this many events or bytes: at most 1,000 and 4 MB.
    batch_events: int = 500
    batch_bytes: int = 1_000_000
    #: The longest that an event waits for others, in seconds.
    max_wait: float = 1.0
    #: Keeps events in files, so that a process that is killed loses none. It has a bound of its own.
    spool: Spool | None = None


def tell(callback: Callable[..., Any] | None, *args: Any) -> Any:
    """Calls a callback of the application. What it raises changes nothing, and is logged."""
    if callback is None:
        return None
    try:
        return callback(*args)
    except Exception:
        LOGGER.exception("a callback of annals_sdk raised an exception")
        return None
