"""What is behind track(): one thread sends the batches of a buffer, one after the other, so that events are
stored in the order in which they were tracked.

It never loses an event without naming it to on_drop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from .batch import Batch
from .buffer import Buffer, BufferDeps, MemoryBuffer
from .clock import Clock
from .delivery import EPSILON_S, Delivery, Send
from .json_text import json_of
from .process_end import close_at_exit, forget_at_fork, leave_at_exit, notice_fork
from .tracking_options import Drop, DropReason, Tracking

CLOSE_TIMEOUT_S = 10.0

#: The thread ends after this time without events.
_IDLE_S = 30.0


def utc_text(seconds: float) -> str:
    time = datetime.fromtimestamp(seconds, timezone.utc)
    return time.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


class Tracker:
    def __init__(
        self,
        send: Send,
        clock: Clock,
        random: Callable[[], float],
        options: Tracking,
        make_buffer: Callable[[BufferDeps], Buffer] = MemoryBuffer,
    ) -> None:
        self._clock = clock
        self._options = options
        self._make_buffer = make_buffer
        self._delivery = Delivery(send, clock, random, options, self)
        self._is_closed = False
        self._reset()
        forget_at_fork(self)
        if self._buffer.keep_s is not None:
            # What other processes have left is sent without an event of this one.
            close_at_exit(self)
            with self._work:
                self._has_sender()

    def _reset(self) -> None:
        """Begins without events, as after a fork: those of the parent are the parent's."""
        before: Buffer | None = getattr(self, "_buffer", None)
        if before is not None:
            before.forget()
        lock = threading.RLock()
        #: What the thread waits for, and what flush() and close() wait for.
        self._work = threading.Condition(lock)
        self._done = threading.Condition(lock)
        self._buffer: Buffer = self._make_buffer(
            BufferDeps(
                options=self._options,
                clock=self._clock,
                done=self._done,
                report=self._report,
                repeat=self._delivery.repeat,
                once=self._delivery.once,
                pause=self.pause,
            )
        )
        self._tracked = 0
        #: Events up to this one do not wait for others.
        self._hurry_to = 0
        self._sender: threading.Thread | None = None
        #: What is not sent then is dropped. Set by close().
        self._ends_at: float | None = None
        self._is_over = False

    @property
    def buffered(self) -> int:
        """Events that are neither stored nor dropped yet."""
        return self._buffer.events

    def track(self, event: Any) -> bool:
        """False if the event was dropped, which on_drop is told."""
        notice_fork()
        now = self._clock.now()

        def text_of(producer: dict[str, Any] | None) -> bytes:
            # The time of the event, and not that of its arrival.
            text = {**event, "occurred_at": event.get("occurred_at") or utc_text(now)}
            if producer is not None:
                text["context"] = {**(event.get("context") or {}), "producer": producer}
            return json_of(text)

        with self._work:
            reason: DropReason | None = "closed" if self._is_closed else self._add(text_of, now)
        if reason is not None:
            self._report(Drop(reason, [event], None))
        return reason is None

    def _add(self, text_of: Callable[[dict[str, Any] | None], bytes], now: float) -> DropReason | None:
        reason = self._buffer.add(text_of, now)
        if reason is not None:
            return reason
        self._tracked += 1
        if self._buffer.events == 1:
            self._delivery.progress()
            close_at_exit(self)
        if self._buffer.is_due:
            self._clock.wake(self._work)
        self._has_sender()
        return None

    def ready(self, timeout: float | None = None) -> bool:
        """Waits until the buffer is at most half full. False if it is not after this time."""
        return self._buffer.ready(timeout)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every event tracked so far is stored or dropped. False if it is not after this time."""
        notice_fork()
        with self._work:
            target = self._hurry_to = self._tracked
            self._clock.wake(self._work)
            if self._sender is threading.current_thread():
                return False
            runs_here = not self._is_done(target) and not self._has_sender()
        if runs_here:
            self._run(idle=0)
        with self._work:
            return self._done.wait_for(lambda: self._is_done(target), timeout)

    def close(self, timeout: float | None = None) -> None:
        """Takes no more events, stores what is buffered, and drops what is not stored after this time."""
        notice_fork()
        until = self._clock.now() + (CLOSE_TIMEOUT_S if timeout is None else timeout)
        with self._work:
            self._is_closed = True
            self._ends_at = until
            self._clock.wake(self._work)
            if self._sender is threading.current_thread():
                return
            runs_here = not self._is_done(self._tracked) and not self._has_sender()
            sender = self._sender
        if runs_here:
            self._run(idle=0)
        with self._work:
            while not self._is_done(self._tracked) and (left := until - self._clock.now()) > EPSILON_S:
                self._clock.wait(self._done, left)
            self._is_over = True
            drops = self._buffer.leave()
            self._clock.wake(self._work)
            self._clock.wake(self._done)
        for drop in drops:
            self._report(drop)
        leave_at_exit(self)
        if sender is not None and not drops:
            sender.join(1)

    def must_end(self) -> bool:
        return self._is_over or (self._ends_at is not None and self._clock.now() >= self._ends_at)

    def pause(self, seconds: float) -> None:
        """Waits, but perhaps not all of this time."""
        with self._work:
            limits = [seconds, self._buffer.keep_s, self._ends_at and self._ends_at - self._clock.now()]
            left = min(limit for limit in limits if limit is not None)
            if not self._is_over and left > EPSILON_S:
                self._clock.wait(self._work, left)
            self._buffer.keep()

    def _is_done(self, target: int) -> bool:
        return self._is_over or (self._buffer.settled >= target and self._buffer.is_flushed)

    def _report(self, drop: Drop) -> None:
        with self._work:
            self._buffer.dropped(len(drop.events))
        self._delivery.report(drop)

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
            while self._sender is threading.current_thread():
                self._buffer.take_over()
                batch = self._take(idle)
                if batch is not None:
                    self._buffer.send(batch, self._delivery.deliver)
                    self._delivery.progress()
        finally:
            with self._work:
                if self._sender is threading.current_thread():
                    self._sender = None

    def _take(self, idle: float) -> Batch | None:
        """The next batch. None: it is time to look for others, or this thread is no longer the sender."""
        with self._work:
            while not self.must_end():
                is_hurried = self._is_closed or self._buffer.settled < self._hurry_to
                found = self._buffer.next(is_hurried, self._clock.now())
                if isinstance(found, Batch):
                    return found
                if found is not None:
                    self.pause(found)
                    continue
                self._clock.wake(self._done)
                if self._is_closed or idle == 0:
                    break
                if self._buffer.keep_s is not None:
                    self._work.wait(self._buffer.keep_s)
                    self._buffer.keep()
                    return None
                if not self._work.wait(idle) and self._buffer.events == 0:
                    break
            self._sender = None
            if self._buffer.events == 0:
                leave_at_exit(self)
            return None
