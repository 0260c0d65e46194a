"""Events in the application's own transaction. Rolled back: never recorded. Committed: recorded once. For
PostgreSQL with DB-API (psycopg, psycopg2), Django and SQLAlchemy.
"""

from __future__ import annotations

import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..batch import body_of, faulty_in
from ..client import Annals
from ..context import with_context
from ..errors import AnnalsError
from ..json_text import json_of
from ..retry import retry_delay
from ..tracking_options import LOGGER, Drop, Retry, tell
from . import statements
from .statements import SCHEMA, Marked, Row

if TYPE_CHECKING:
    from .. import models as m

__all__ = ["SCHEMA", "Outbox", "add"]

_KEY_LIFETIME_S = 23 * 60 * 60
_ERROR_LENGTH = 1_000

#: Attempts without success: the first warning comes after some eight seconds, the others after 100.
_WARN_FIRST = 5
_WARN_EACH = 10

T = TypeVar("T")


def add(transaction: Any, event: m.NewEvent) -> None:
    """Adds an event to a transaction that the caller has begun, and commits or rolls back.

    `transaction` is a connection or a cursor of DB-API or Django, or a connection or a session of SQLAlchemy.
    Raises if the event is no JSON.
    """
    given: dict[str, Any] = dict(with_context(event))
    now = datetime.now(timezone.utc).replace(tzinfo=None).isoformat(timespec="microseconds")
    given["occurred_at"] = given.get("occurred_at") or f"{now}Z"
    statements.insert(transaction, json_of(given).decode())


class Outbox:
    """Sends what is committed. Several processes may run it: one batch is in flight.

    `connect` opens a connection of DB-API to the database with the tables, such as
    `lambda: psycopg.connect(dsn)` or `engine.raw_connection`. `producer` is a name: it numbers the committed
    events in `context.producer`, so that `annals-verify --producers` finds missing ones.
    """

    def __init__(
        self,
        annals: Annals,
        connect: Callable[[], Any],
        *,
        producer: str | None = None,
        batch_events: int = 500,
        batch_bytes: int = 1_000_000,
        poll: float = 1.0,
        on_drop: Callable[[Drop], None] | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> None:
        self._annals = annals
        self._connect = connect
        self._connection: Any = None
        self._producer = producer
        self._batch_events = batch_events
        self._batch_bytes = batch_bytes
        self._poll = poll
        self._on_drop = on_drop or _log_drop
        self._on_retry = on_retry
        #: Halved while the service refuses batches without naming an event.
        self._most = batch_events

    def run(self, stop: threading.Event) -> None:
        """Sends until `stop` is set and the attempt under way has ended."""
        attempt = 0
        try:
            while not stop.is_set():
                try:
                    if not self.send_batch(stop):
                        stop.wait(self._poll)
                    attempt = 0
                except Exception as error:
                    self.close()
                    attempt += 1
                    stop.wait(self._delay(error, attempt))
        finally:
            self.close()

    def send_batch(self, stop: threading.Event) -> bool:
        """Sends one batch until it has an outcome. False if there is none to send."""
        marked = self._mark()
        if marked is None:
            return False
        is_unknown = not marked.is_new
        attempt = 0
        while not stop.is_set():
            if is_unknown and time.time() - _time_of(marked.batch) > _KEY_LIFETIME_S:
                self._move(marked, marked.rows, "unconfirmed", None)
                return True
            attempt += 1
            try:
                self._annals.store_batch(body_of([row.text.encode() for row in marked.rows]), marked.batch)
                break
            except AnnalsError as error:
                if error.type == "validation_error":
                    self._keep_refused(marked, error)
                    return True
                # Nothing of it is stored, so its rows need not wait for this relay.
                if error.is_refused and not is_unknown and self._commit(statements.unmark_own, marked):
                    raise
                is_unknown = True
                stop.wait(self._delay(error, attempt))
                self._commit(statements.touch, marked.batch)
        else:
            return True
        self._commit(statements.delete, marked.batch)
        self._most = self._batch_events
        return True

    def _mark(self) -> Marked | None:
        if not self._commit(statements.has_rows):
            return None
        batch = f"{round(time.time() * 1_000)}-{uuid.uuid4()}"

        def mark(connection: Any) -> Marked | None:
            marked = statements.mark(connection, batch, self._most, self._batch_bytes)
            if marked is None or not marked.is_new or self._producer is None:
                return marked
            return replace(marked, rows=statements.number(connection, self._producer, marked.rows))

        return self._commit(mark)

    def _keep_refused(self, marked: Marked, error: AnnalsError) -> None:
        """Nothing of a refused batch is stored. Moves the rows at fault; the others go in another batch."""
        rows = marked.rows
        named = faulty_in(error)
        faulty = [row for at, row in enumerate(rows) if len(rows) == 1 or at in named]
        if faulty:
            self._move(marked, faulty, "refused", error)
        else:
            self._most = (len(rows) + 1) // 2
            self._commit(statements.unmark, marked.batch)

    def _move(
        self,
        marked: Marked,
        rows: Sequence[Row],
        reason: Literal["refused", "unconfirmed"],
        error: AnnalsError | None,
    ) -> None:
        why = str(error or "no response")[:_ERROR_LENGTH]

        def move(connection: Any) -> None:
            statements.refuse(connection, marked.batch, rows, reason, why)
            if self._producer is not None:
                statements.count_dropped(connection, self._producer, len(rows))

        self._commit(move)
        tell(self._on_drop, Drop(reason, [json.loads(row.text) for row in rows], error))

    def _commit(self, work: Callable[..., T], *parameters: Any) -> T:
        """Runs statements in one transaction. After an error the next one has a new connection."""
        if self._connection is None:
            self._connection = self._connect()
            if getattr(self._connection, "autocommit", False):
                self._connection.autocommit = False
        try:
            result = work(self._connection, *parameters)
            self._connection.commit()
            return result
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes its connection. The next batch opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _delay(self, error: Exception, attempt: int) -> float:
        if attempt % _WARN_EACH == _WARN_FIRST:
            LOGGER.warning("the outbox waits, attempts fail: %s", error)
        known = error if isinstance(error, AnnalsError) else AnnalsError("connection_error", str(error))
        delay = retry_delay(known, attempt, random.random())
        tell(self._on_retry, Retry(error, attempt, delay))
        return delay


def _time_of(batch: str) -> float:
    """The id of a batch begins with the time of its first attempt, in milliseconds."""
    return int(batch.partition("-")[0]) / 1_000


def _log_drop(drop: Drop) -> None:
    LOGGER.error("%d events were moved to annals_outbox_refused (%s)", len(drop.events), drop.reason)
