"""Sends the calls of the SDK: headers, timeouts, retries, errors, hooks.

It never repeats a call that may have had its effect and is not safe to repeat.
"""

from __future__ import annotations

import builtins
import gzip
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import random as system_random
from typing import Any
from urllib.parse import urlsplit

from .calls import Call, query_of
from .clock import SYSTEM_CLOCK, Clock
from .errors import AnnalsError, NotSent, error_of
from .http_transport import HttpTransport, Request, Response, Sends
from .json_text import json_of
from .retry import is_temporary, retry_delay
from .tracking_options import tell

_MIN_COMPRESSED_BYTES = 1_024
#: Higher levels take several times as long for some percent.
_GZIP_LEVEL = 6
_FAILED_FROM = 300


@dataclass(frozen=True)
class Attempt:
    """An attempt of a call, which is about to begin."""

    operation: str
    method: str
    #: Without the query.
    path: str
    #: Starts at 1.
    attempt: int


@dataclass(frozen=True)
class AttemptResult:
    status: int | None
    request_id: str | None
    error: AnnalsError | None
    #: Seconds.
    duration: float


@dataclass(frozen=True)
class Observation:
    """What a hook adds to an attempt, and what it is told of its end."""

    headers: Mapping[str, str] = field(default_factory=dict)
    end: Callable[[AttemptResult], None] | None = None


Observe = Callable[[Attempt], "Observation | None"]


@dataclass(frozen=True)
class TransportOptions:
    base_url: str
    api_key: str | Callable[[], str]
    timeout: float = 30.0
    max_retries: int = 4
    max_retry_delay: float = 90.0
    observe: Observe | None = None
    transport: Sends | None = None
    clock: Clock = SYSTEM_CLOCK
    random: Callable[[], float] = system_random


class Transport:
    def __init__(self, options: TransportOptions) -> None:
        url = urlsplit(options.base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError("base_url must be an http or https URL")
        if not options.api_key:
            raise ValueError("api_key is missing")
        self._options = options
        self._base_url = options.base_url.rstrip("/")
        self._own = HttpTransport()
        self._send_request: Sends = options.transport or self._own

    def close(self) -> None:
        """Closes idle connections. The next call opens another one."""
        self._own.close()

    def json(self, call: Call) -> Any:
        """The body of the response; None if it has none."""
        return self._send(call, _json_in)

    def data(self, call: Call) -> Any:
        """The member `data` of the body."""
        return self.json(call)["data"]

    def text(self, call: Call) -> str:
        return self.bytes(call).decode()

    def bytes(self, call: Call) -> builtins.bytes:
        content: builtins.bytes = self._send(call, lambda response: response.read())
        return content

    def response(self, call: Call) -> Response:
        """The response itself, whose body is read by the caller."""

        def kept(response: Response) -> Response:
            response.bound_each_read(call.timeout or self._options.timeout)
            return response

        result: Response = self._send(call, kept)
        return result

    def attempt(self, call: Call, body: builtins.bytes | None, attempt: int = 1) -> Any:
        """One attempt, of what `encoded` returned. Raises AnnalsError."""
        return self._attempt(call, body, attempt, _json_in)

    def _send(self, call: Call, read: Callable[[Response], Any]) -> Any:
        body = None if call.body is None else encoded(json_of(call.body))
        retries = self._options.max_retries if call.max_retries is None else call.max_retries
        is_repeatable = call.method != "POST" or call.idempotency_key is not None
        may_be_done = False
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._attempt(call, body, attempt, read)
            except AnnalsError as error:
                # The attempt before deleted it, and its response did not arrive.
                if call.method == "DELETE" and may_be_done and error.type == "not_found":
                    return None
                may_be_done = may_be_done or not error.is_refused
                delay = retry_delay(error, attempt, self._options.random())
                is_allowed = is_temporary(error) and (is_repeatable or error.is_refused)
                if not is_allowed or attempt > retries or delay > self._options.max_retry_delay:
                    raise
            self._wait(delay)

    def _wait(self, seconds: float) -> None:
        clock = self._options.clock
        until = clock.now() + seconds
        condition = threading.Condition()
        with condition:
            while (left := until - clock.now()) > 0:
                clock.wait(condition, left)

    def _attempt(
        self, call: Call, body: builtins.bytes | None, attempt: int, read: Callable[[Response], Any]
    ) -> Any:
        options = self._options
        observe = options.observe
        seen: Observation | None = tell(observe, Attempt(call.operation, call.method, call.path, attempt))
        started = options.clock.now()
        response: Response | None = None
        failure: AnnalsError | None = None
        try:
            request = self._request_of(call, body, seen.headers if seen else {})
            response = self._responded(request)
            if response.status < _FAILED_FROM:
                return _read_of(request, response, read)
            text = _read_of(request, response, lambda each: each.read())
            raise error_of(response.status, response.headers, text, options.clock.now())
        except AnnalsError as error:
            failure = error
            raise
        finally:
            if seen is not None and seen.end is not None:
                status = response.status if response else None
                request_id = response.headers.get("x-request-id") if response else None
                took = options.clock.now() - started
                tell(seen.end, AttemptResult(status, request_id, failure, took))

    def _responded(self, request: Request) -> Response:
        try:
            return self._send_request(request)
        except Exception as error:
            raise _error_of(error, request) from error

    def _request_of(self, call: Call, body: builtins.bytes | None, headers: Mapping[str, str]) -> Request:
        all_headers = {**headers, "authorization": f"Bearer {self.key()}"}
        if body is not None:
            all_headers["content-type"] = call.media_type
        if body is not None and body.startswith(_GZIP_MAGIC):
            all_headers["content-encoding"] = "gzip"
        if call.idempotency_key is not None:
            all_headers["idempotency-key"] = call.idempotency_key
        url = f"{self._base_url}/v1{call.path}{query_of(call.query)}"
        return Request(call.method, url, all_headers, body, call.timeout or self._options.timeout)

    def key(self) -> str:
        """The key of the next attempt. Without one nothing is written."""
        key = self._options.api_key
        if isinstance(key, str):
            return key
        try:
            return key()
        except Exception as error:
            message = f"the API key cannot be had: {type(error).__name__}"
            raise AnnalsError("connection_error", message, is_unsent=True) from error


#: No JSON begins so.
_GZIP_MAGIC = b"\x1f\x8b"


def encoded(body: bytes) -> bytes:
    """Compressed, unless it is short."""
    if len(body) < _MIN_COMPRESSED_BYTES:
        return body
    return gzip.compress(body, _GZIP_LEVEL, mtime=0)


def _json_in(response: Response) -> Any:
    body = response.read()
    return None if body == b"" else json.loads(body)


def _read_of(request: Request, response: Response, read: Callable[[Response], Any]) -> Any:
    try:
        return read(response)
    except Exception as error:
        response.close()
        raise _error_of(error, request) from error


def _error_of(error: Exception, request: Request) -> AnnalsError:
    is_unsent = isinstance(error, NotSent)
    cause = error.__cause__ if is_unsent else error
    if isinstance(cause, TimeoutError):
        message = f"no response within {request.timeout:g} s"
        return AnnalsError("timeout_error", message, is_unsent=is_unsent)
    reason = str(error) or type(error).__name__
    return AnnalsError("connection_error", f"no response: {reason}", is_unsent=is_unsent)
