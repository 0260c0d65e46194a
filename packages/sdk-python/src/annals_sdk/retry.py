"""When a call is repeated, and after how long."""

from __future__ import annotations

from .errors import AnnalsError

_FIRST_DELAY_S = 0.25
_MAX_DELAY_S = 10.0

#: Repeated calls come back spread over this time after the Retry-After that they share.
_SPREAD_S = 1.0

_TEMPORARY = ("connection_error", "timeout_error", "server_error", "rate_limit_exceeded")


def is_temporary(error: AnnalsError) -> bool:
    """Whether the same request may succeed later. A plan's limit lasts for the month."""
    return error.type in _TEMPORARY


def retry_delay(error: AnnalsError, attempt: int, random: float) -> float:
    """Backoff with jitter, in seconds, and never before Retry-After.

    `attempt` counts from 1, `random` is from 0 to 1.
    """
    if error.retry_after is not None:
        return error.retry_after + _SPREAD_S * random
    backoff: float = min(_MAX_DELAY_S, _FIRST_DELAY_S * 2 ** min(attempt - 1, 10))
    return backoff * (0.5 + random / 2)
