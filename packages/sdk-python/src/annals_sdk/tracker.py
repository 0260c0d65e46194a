"""The buffer of track(): a bounded queue of events, sent in batches by size and by time, one batch after the
other, so that events are stored in the order in which they were tracked. A batch keeps its idempotency key
until it gets a response, so that each event is stored once.

It never loses an event without naming it to on_drop, and never sends a batch again under another key when it
may be stored.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import Any

from .batch import Batch, EventQueue, Item
from .clock import Clock
from .errors import AnnalsError
from .json_text import json_of
from .process_end import close_at_exit, forget_at_fork, leave_at_exit
from .retry import retry_delay
from .spool import SYNC_S, Full, Spool
from .tracking_limits import TrackingLimits
from .tracking_options import LOGGER, Drop, DropReason, Retry, Stall, Tracking, tell

#: The service remembers a key for 24 hours from the first attempt that it stored.
_KEY_LIFETIME_S = 23 * 60 * 60.0

CLOSE_TIMEOUT_S = 10.0

#: The thread ends after this time without events.
_IDLE_S = 30.0

#: The first warning comes after this time without progress, the others after the time below.
_STALLED_S = 10.0
_WARN_AGAIN_S = 60.0

#: A time that is so near has come: seconds since 1970 have no more digits than that.
_EPSILON_S = 1e-5

#: Stores a batch in one attempt: its body, and its key.
Send = Callable[[bytes, str], object]


def utc_text(seconds: float) -> str:
    time = datetime.fromtimestamp(seconds, timezone.utc)
    return time.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


class Tracker:
    def __init__(self, send: Send, clock: Clock, random: Callable[[], float], options: Tracking) -> None:
        self._attempt = send
        self._clock = clock
        self._random = random
        self._options = options
        self._limits = options.limits or TrackingLimits(options.max_events, options.max_bytes)
        self._spool = options.spool
        self._is_closed = False
        self._reset()
        forget_at_fork(self)
        if self._spool is not None and self._spool.has_others():
            with self._work:
                self._has_sender()

    def _reset(self) -> None:
        """Begins without events, as after a fork: those of the parent are the parent's."""
        lock = threading.RLock()
        #: What the thread waits for, and what flush() and close() wait for.
        self._work = threading.Condition(lock)
        self._done = threading.Condition(lock)
        self._queue = EventQueue(self._options.batch_events, self._options.batch_bytes)
        #: What is left of batches that were refused. They go before the queue.
        self._batches: deque[Batch] = deque()
        self._current: Batch | None = None
        self._events = 0
        self._tracked = 0
        self._settled = 0
        #: Events up to this one do not wait for others.
        self._hurry_to = 0
        self._sender: threading.Thread | None = None
        #: What is not sent then is dropped. Set by close().
        self._ends_at: float | None = None
        self._is_over = False
        self._warn_at = 0.0
        self._disk_warn_at = 0.0

    @property
    def buffered(self) -> int:
        """Events that are neither stored nor dropped yet."""
        return self._events

    def track(self, event: Any) -> bool:
        """False if the event was dropped, which on_drop is told."""
        reason: DropReason
        now = self._clock.now()
        try:
            # The time of the event, and not that of its arrival.
            text = json_of({**event, "occurred_at": event.get("occurred_at") or utc_text(now)})
        except Exception:
            return self._refuse("unserializable", event)
        with self._work:
            if self._is_closed:
                reason = "closed"
            elif self._add(Item(text, now)):
                return True
            else:
                reason = "full"
        return self._refuse(reason, event)

    def ready(self, timeout: float | None = None) -> bool:
        """Waits until the buffer is at most half full."""
        spool = self._spool
        if spool is not None:
            with self._work:
                if not self._done.wait_for(lambda: spool.is_half_free, timeout):
                    return False
        return self._limits.ready(timeout)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every event tracked so far is stored or dropped. False if it is not after this time."""
        with self._work:
            target = self._hurry_to = self._tracked
            self._clock.wake(self._work)
            if self._sender is threading.current_thread():
                return False
            runs_here = self._events > 0 and not self._has_sender()
        if runs_here:
            self._run(idle=0)
        with self._work:
            return self._done.wait_for(lambda: self._settled >= target, timeout)

    def close(self, timeout: float | None = None) -> None:
        """Takes no more events, stores what is buffered, and drops what is not stored after this time."""
        until = self._clock.now() + (CLOSE_TIMEOUT_S if timeout is None else timeout)
        with self._work:
            self._is_closed = True
            self._ends_at = until
            self._clock.wake(self._work)
            if self._sender is threading.current_thread():
                return
            runs_here = self._events > 0 and not self._has_sender()
            sender = self._sender
        if runs_here:
            self._run(idle=0)
        with self._work:
            while self._events > 0 and (left := until - self._clock.now()) > _EPSILON_S:
                self._clock.wait(self._done, left)
            rest = self._take_all()
            self._is_over = True
            self._clock.wake(self._work)
            if self._spool is not None:
                self._spool.release()
        for batch in rest:
            self._drop(batch, batch.items, "unconfirmed" if batch.is_unknown else "closed", batch.error)
        leave_at_exit(self)
        if sender is not None and not rest:
            sender.join(1)

    def _add(self, item: Item) -> bool:
        try:
            is_spooled = self._spool is not None and self._spool.add(item)
        except OSError as error:
            self._tell_of_disk(error)
            is_spooled = False
        except Full:
            return False
        if not is_spooled:
            if not self._limits.add(len(item.text)):
                return False
            self._queue.add(item)
        self._events += 1
        self._tracked += 1
        if self._events == 1:
            self._warn_at = item.at + _STALLED_S
            close_at_exit(self)
        if len(self._queue) == 1 or self._queue.is_batch_ready or is_spooled:
            self._clock.wake(self._work)
        self._has_sender()
        return True

    def _tell_of_disk(self, error: OSError) -> None:
        """Events stay in memory then."""
        now = self._clock.now()
        if now >= self._disk_warn_at:
            self._disk_warn_at = now + _WARN_AGAIN_S
            LOGGER.error("the spool cannot be written, events stay in memory: %s", error)

    def _has_sender(self) -> bool:
        """Starts the thread. False where none can start; then flush() and close() send."""
        if self._sender is not None:
            return True
        sender = threading.Thread(target=self._run, name="annals_sdk", daemon=True)
        try:
            sender.start()
        except RuntimeError:
            return False
        self._sender = sender
        return True

    def _run(self, idle: float = _IDLE_S) -> None:
        """Sends batches until there is none for this time."""
        with self._work:
            if self._sender is None:
                self._sender = threading.current_thread()
            if self._sender is not threading.current_thread():
                return
        try:
            while True:
                self._take_over()
                if self._take_next(idle):
                    self._send()
                elif self._spool is None or idle == 0 or self._must_end() or self._is_closed:
                    return
        finally:
            with self._work:
                self._put_back()
                self._sender = None
                if self._events == 0:
                    leave_at_exit(self)

    def _take_over(self) -> None:
        """Claims what processes that are gone have left in the spool."""
        if self._spool is None or self._is_closed:
            return
        try:
            events = self._spool.take_over()
        except OSError as error:
            return self._tell_of_disk(error)
        with self._work:
            self._events += events

    def _put_back(self) -> None:
        if self._current is not None and not self._current.is_spooled:
            self._batches.appendleft(self._current)
        self._current = None

    def _take_next(self, idle: float) -> bool:
        with self._work:
            while not self._must_end():
                if self._batches:
                    self._current = self._batches.popleft()
                    return True
                if self._spool is not None:
                    self._current = self._spool.next()
                    if self._current is not None:
                        return True
                    if self._spool.has_open:
                        self._wait_to_seal(self._spool)
                        continue
                if self._queue:
                    wait = self._options.max_wait
                    left = min(wait, self._queue.first_at + wait - self._clock.now())
                    is_hurried = self._is_closed or self._settled < self._hurry_to
                    if is_hurried or left <= _EPSILON_S or self._queue.is_batch_ready:
                        self._current = Batch(self._queue.cut())
                        return True
                    self._clock.wait(self._work, left)
                elif self._is_closed or (not self._work.wait(idle) and not self._queue):
                    return False
            return False

    def _wait_to_seal(self, spool: Spool) -> None:
        wait = self._options.max_wait
        left = min(wait, spool.open_at + wait - self._clock.now())
        is_hurried = self._is_closed or self._settled < self._hurry_to
        is_ready = spool.is_batch_ready(self._queue.batch_events, self._queue.batch_bytes)
        try:
            if is_hurried or left <= _EPSILON_S or is_ready:
                spool.seal()
            else:
                self._clock.wait(self._work, min(left, SYNC_S))
                spool.sync()
        except OSError as error:
            self._tell_of_disk(error)

    def _must_end(self) -> bool:
        return self._is_over or (self._ends_at is not None and self._clock.now() >= self._ends_at)

    def _take_all(self) -> list[Batch]:
        """What close() drops. The batch in flight may be stored."""
        self._put_back()
        rest = [*self._batches, Batch(self._queue.take_all())]
        self._batches.clear()
        return [batch for batch in rest if batch.items]

    def _send(self) -> None:
        """Sends the current batch until it has an answer, or is dropped."""
        while True:
            with self._work:
                batch = self._current
                if batch is None or self._must_end():
                    return
                began = self._clock.now()
                if not self._begin(batch, began):
                    return
            error = self._error_of(batch)
            with self._work:
                batch.is_in_flight = False
                if self._current is not batch:
                    return
                if error is None:
                    self._current = None
                    batch.done()
                    self._settle(batch, batch.items)
                    return
                batch.failed(error, began)
            delay = retry_delay(error, batch.attempts, self._random())
            if error.type == "validation_error":
                return self._send_valid(batch, error)
            now = self._clock.now()
            is_quota = error.type == "plan_limit_exceeded" and delay > _KEY_LIFETIME_S
            if is_quota and not batch.is_spooled:
                return self._drop_current(batch, "unconfirmed" if batch.is_unknown else "quota")
            if batch.unknown_since is not None and now + delay - batch.unknown_since > _KEY_LIFETIME_S:
                return self._drop_current(batch, "unconfirmed")
            tell(self._options.on_retry, Retry(error, batch.attempts, delay))
            self._wait_to_retry(delay, error)

    def _begin(self, batch: Batch, now: float) -> bool:
        try:
            begun = batch.begin(now)
        except OSError as error:
            # The state of the batch is not on the disk, and its key is the same after a restart.
            self._tell_of_disk(error)
            begun = "begun" if batch.items else "replaced"
        if begun == "begun":
            batch.attempts += 1
            batch.is_in_flight = True
            return True
        self._current = None
        if begun == "gone":
            self._settle(batch, [None] * batch.count)
        return False

    def _error_of(self, batch: Batch) -> AnnalsError | None:
        try:
            self._attempt(batch.body, batch.key)
        except AnnalsError as error:
            return error
        except Exception as error:
            return AnnalsError("connection_error", f"the attempt failed: {type(error).__name__}")
        return None

    def _wait_to_retry(self, delay: float, error: AnnalsError) -> None:
        """Warns on the way if there is no progress, so that a wrong key or address is noticed."""
        until = self._clock.now() + delay
        while True:
            with self._work:
                now = self._clock.now()
                if self._must_end() or until - now <= _EPSILON_S:
                    return
                if self._warn_at - now > _EPSILON_S:
                    self._clock.wait(self._work, min(until, self._warn_at, self._ends_at or until) - now)
                    continue
                self._warn_at = now + _WARN_AGAIN_S
                stall = Stall(error.type, error.status, self._events)
            tell(self._options.on_stall, stall)

    def _send_valid(self, batch: Batch, error: AnnalsError) -> None:
        """Nothing of a refused batch is stored. Drops the events at fault, and sends the others."""
        refused, rest = batch.parted(error)
        with self._work:
            if self._current is not batch:
                return
            self._current = None
            self._batches.extendleft(reversed(rest))
        self._drop(batch, refused, "refused", error)

    def _drop_current(self, batch: Batch, reason: DropReason) -> None:
        with self._work:
            if self._current is not batch:
                return
            self._current = None
        batch.dropped(reason)
        self._drop(batch, batch.items, reason, batch.error)

    def _drop(self, batch: Batch, items: list[Item], reason: DropReason, error: Exception | None) -> None:
        if items:
            tell(self._options.on_drop, Drop(reason, [item.event for item in items], error))
            self._settle(batch, items)

    def _refuse(self, reason: DropReason, event: Any) -> bool:
        tell(self._options.on_drop, Drop(reason, [event], None))
        return False

    def _settle(self, batch: Batch, items: Sequence[Item | None]) -> None:
        if not batch.is_spooled:
            self._limits.remove(len(items), sum(len(item.text) for item in items if item))
        with self._work:
            self._events -= len(items)
            # What another process had tracked is no event that flush() waits for.
            self._settled += len(items) if batch.is_own else 0
            self._warn_at = self._clock.now() + _STALLED_S
            self._clock.wake(self._done)
