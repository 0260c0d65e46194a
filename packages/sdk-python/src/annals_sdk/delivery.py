"""Sends one batch until it has an outcome: attempts under one idempotency key, backoff, warnings without
progress. Called by tracker.py. It must never send a batch again under another key, and never after the
service may have forgotten its key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from .batch import Batch, faulty_in
from .clock import Clock
from .errors import AnnalsError
from .retry import retry_delay
from .tracking_options import Drop, Retry, Stall, Tracking, tell

#: The service remembers a key for 24 hours from the first attempt that it stored.
KEY_LIFETIME_S = 23 * 60 * 60.0

#: The first warning comes after this time without progress, the others after the time below.
_STALLED_S = 10.0
_WARN_AGAIN_S = 60.0

#: A time that is so near has come: seconds since 1970 have no more digits than that.
EPSILON_S = 1e-5

#: Stores a batch in one attempt: its body, and its key.
Send = Callable[[bytes, str], object]

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    """`refused`: nothing is stored. `left`: the client was closed, and the batch may be stored."""

    kind: Literal["stored", "refused", "quota", "unconfirmed", "left"]
    error: AnnalsError | None = None

    @property
    def faulty(self) -> set[int]:
        return set() if self.error is None else faulty_in(self.error)


class Owner(Protocol):
    """The tracker, as far as a delivery knows it."""

    @property
    def buffered(self) -> int: ...

    def must_end(self) -> bool: ...

    def pause(self, seconds: float) -> None:
        """Waits, but perhaps not all of this time."""


class Delivery:
    def __init__(
        self, send: Send, clock: Clock, random: Callable[[], float], options: Tracking, owner: Owner
    ) -> None:
        self._send = send
        self._clock = clock
        self._random = random
        self._options = options
        self._owner = owner
        self._warn_at = 0.0

    def progress(self) -> None:
        """Starts the time until the next warning again."""
        self._warn_at = self._clock.now() + _STALLED_S

    def report(self, drop: Drop) -> None:
        tell(self._options.on_drop, drop)

    def deliver(self, batch: Batch) -> Outcome:
        """Raises OSError if the batch is in a file that cannot be renamed."""
        error: AnnalsError | None = None
        attempt = 0
        while not self._owner.must_end():
            began = self._clock.now()
            if _is_over(batch, began):
                return Outcome("unconfirmed", error)
            batch.begin(began)
            attempt += 1
            error = self._attempt(batch)
            batch.is_in_flight = False
            if error is None:
                return Outcome("stored")
            batch.error = error
            if not error.is_refused and batch.unknown_since is None:
                batch.unknown_since = began
            if error.type == "validation_error":
                return Outcome("refused", error)
            if batch.unknown_since is None:
                batch.refused()
            delay = retry_delay(error, attempt, self._random())
            is_quota = error.type == "plan_limit_exceeded" and delay > KEY_LIFETIME_S
            if is_quota and batch.unknown_since is None and not batch.is_patient:
                return Outcome("quota", error)
            if _is_over(batch, self._clock.now() + delay):
                return Outcome("unconfirmed", error)
            self._wait(delay, error, attempt)
        return Outcome("left", error)

    def repeat(self, call: Callable[[], T]) -> T | None:
        """Repeats a call until it has a result. None once the client is closed, or without the right."""
        attempt = 0
        while not self._owner.must_end():
            attempt += 1
            try:
                return call()
            except AnnalsError as error:
                if error.type in ("scope_error", "not_found"):
                    return None
                self._wait(retry_delay(error, attempt, self._random()), error, attempt)
        return None

    def once(self, call: Callable[[], T]) -> T | None:
        try:
            return call()
        except AnnalsError:
            return None

    def _attempt(self, batch: Batch) -> AnnalsError | None:
        batch.is_in_flight = True
        try:
            self._send(batch.body, batch.key)
        except AnnalsError as error:
            return error
        except Exception as error:
            return AnnalsError("connection_error", f"the attempt failed: {type(error).__name__}")
        return None

    def _wait(self, delay: float, error: AnnalsError, attempt: int) -> None:
        """Warns on the way if there is no progress, so that a wrong key or address is noticed."""
        if self._owner.must_end():
            return
        tell(self._options.on_retry, Retry(error, attempt, delay))
        until = self._clock.now() + delay
        while not self._owner.must_end():
            now = self._clock.now()
            if until - now <= EPSILON_S:
                return
            if self._warn_at - now > EPSILON_S:
                self._owner.pause(min(until, self._warn_at) - now)
                continue
            self._warn_at = now + _WARN_AGAIN_S
            tell(self._options.on_stall, Stall(error.type, error.status, self._owner.buffered))


def _is_over(batch: Batch, now: float) -> bool:
    return batch.unknown_since is not None and now - batch.unknown_since > KEY_LIFETIME_S
