"""The one error of calls: an error response of the service, or why no response came.

It never holds the API key, nor an event.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

#: The types of the interface; those of a call without a response are in the last line.
OF_THE_SERVICE = frozenset(
    {
        "authentication_error",
        "scope_error",
        "plan_feature_unavailable",
        "plan_limit_exceeded",
        "not_found",
        "validation_error",
        "rate_limit_exceeded",
        "server_error",
    }
)

#: Types by status, for a response that does not come from the service: from a proxy, for example.
_BY_STATUS = {
    400: "validation_error",
    401: "authentication_error",
    403: "scope_error",
    404: "not_found",
    408: "timeout_error",
    413: "validation_error",
    422: "validation_error",
    429: "rate_limit_exceeded",
}

#: The first status of responses that leave open whether the request had its effect.
_UNKNOWN_FROM = 500


@dataclass(frozen=True)
class ErrorDetail:
    """A field of the request that is wrong, such as `events[3].actor.id`, and why."""

    field: str
    message: str


class NotSent(OSError):
    """Raised by a transport when nothing of the request was written, such as after a refused connection."""


class AnnalsError(Exception):
    """Why a call failed. `type` is that of the interface, or `connection_error` or `timeout_error`."""

    def __init__(
        self,
        type: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        details: tuple[ErrorDetail, ...] = (),
        is_unsent: bool = False,
    ) -> None:
        super().__init__(message)
        self.type = type
        #: The HTTP status; None if there was no response.
        self.status = status
        #: Quote it when you report a problem.
        self.request_id = request_id
        #: Seconds that the service asks to wait.
        self.retry_after = retry_after
        self.details = details
        #: Nothing of the request was written, so it had no effect.
        self.is_unsent = is_unsent

    @property
    def is_refused(self) -> bool:
        """Whether the request certainly had no effect: it was never written, or refused."""
        return self.is_unsent or (self.status is not None and self.status < _UNKNOWN_FROM)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (str(self), self.__dict__)


def _rebuilt(message: str, members: dict[str, Any]) -> AnnalsError:
    error = AnnalsError(members["type"], message)
    error.__dict__.update(members)
    return error


def error_of(status: int, headers: Mapping[str, str], body: bytes, now: float) -> AnnalsError:
    """The error that a response says. `now` is in seconds since 1970."""
    error = _error_in(body)
    type = error.get("type")
    message = error.get("message")
    return AnnalsError(
        type if type in OF_THE_SERVICE else _BY_STATUS.get(status, "server_error"),
        message if isinstance(message, str) else f"the response has the status {status}",
        status=status,
        request_id=headers.get("x-request-id"),
        retry_after=_delay_of(headers.get("retry-after"), now),
        details=_details_of(error.get("details")),
    )


def _error_in(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    # A route for clients of OpenTelemetry has the message next to a gRPC code.
    error = value.get("error")
    return error if isinstance(error, dict) else {"message": value.get("message")}


def _details_of(details: Any) -> tuple[ErrorDetail, ...]:
    if not isinstance(details, list):
        return ()
    objects = [each for each in details if isinstance(each, dict)]
    return tuple(ErrorDetail(str(each.get("field", "")), str(each.get("message", ""))) for each in objects)


def _delay_of(header: str | None, now: float) -> float | None:
    """Retry-After is a number of seconds or, from a proxy, a date."""
    if header is None:
        return None
    try:
        delay = float(header)
    except ValueError:
        try:
            delay = parsedate_to_datetime(header).timestamp() - now
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, delay) if isfinite(delay) else None
