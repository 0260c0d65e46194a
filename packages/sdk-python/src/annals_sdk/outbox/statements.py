"""The statements of the outbox, over the application's PostgreSQL, where Annals has no rows. The SDK for
TypeScript has the same tables and statements.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..json_text import json_of
from .execute import execute
from .member_texts import member_of, with_member

#: For a migration of the application.
SCHEMA = """CREATE TABLE annals_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event json NOT NULL,
  batch text,
  claimed_at timestamptz
);
CREATE INDEX annals_outbox_batch ON annals_outbox (batch) WHERE batch IS NOT NULL;
CREATE TABLE annals_outbox_refused (
  id bigint PRIMARY KEY,
  event json NOT NULL,
  reason text NOT NULL,
  error text NOT NULL,
  refused_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE annals_outbox_producers (
  id text PRIMARY KEY,
  n bigint NOT NULL,
  dropped bigint NOT NULL
);"""


@dataclass(frozen=True)
class Row:
    id: str
    #: The event as JSON.
    text: str


@dataclass(frozen=True)
class Marked:
    batch: str
    #: As text, so that it compares equal to what the table has.
    claimed_at: str
    #: Whether this relay made the batch, and so no other can have sent it.
    is_new: bool
    rows: list[Row]


def insert(transaction: Any, text: str) -> None:
    execute(transaction, "INSERT INTO annals_outbox (event) VALUES (CAST(%s AS json))", [text])


def has_rows(connection: Any) -> bool:
    return execute(connection, "SELECT 1 FROM annals_outbox LIMIT 1").rows != []


def mark(connection: Any, batch: str, max_events: int, max_bytes: int) -> Marked | None:
    """Marks the next rows as a batch, or takes over one that its relay has not touched for a minute.

    None if there is none, or another relay sends one.
    """
    # Of relays that come at once one decides. The lock ends with the transaction, whatever pools connections.
    execute(connection, "SELECT pg_advisory_xact_lock(hashtext('annals_outbox'))")
    before = execute(
        connection,
        """SELECT batch, claimed_at < clock_timestamp() - interval '60 seconds' AS is_left
           FROM annals_outbox WHERE batch IS NOT NULL LIMIT 1""",
    ).rows
    if before and not before[0][1]:
        return None
    name = before[0][0] if before else batch
    if before:
        touch(connection, name)
    else:
        execute(
            connection,
            """UPDATE annals_outbox SET batch = %s::text, claimed_at = statement_timestamp()
               WHERE id IN (
                 SELECT id FROM (
                   SELECT id, row_number() OVER w AS events, sum(octet_length(event::text)) OVER w AS bytes
                   FROM (SELECT id, event FROM annals_outbox ORDER BY id LIMIT %s::int) AS next
                   WINDOW w AS (ORDER BY id)
                 ) AS counted
                 WHERE events = 1 OR bytes <= %s::bigint
               )""",
            [name, max_events, max_bytes],
        )
    rows = execute(
        connection,
        """SELECT id::text, event::text, claimed_at::text FROM annals_outbox
           WHERE batch = %s::text ORDER BY annals_outbox.id""",
        [name],
    ).rows
    if not rows:
        return None
    return Marked(name, rows[0][2], not before, [Row(id, text) for id, text, _ in rows])


def touch(connection: Any, batch: str) -> None:
    """Keeps other relays from taking a batch over."""
    execute(
        connection,
        "UPDATE annals_outbox SET claimed_at = statement_timestamp() WHERE batch = %s::text",
        [batch],
    )


def delete(connection: Any, batch: str) -> None:
    execute(connection, "DELETE FROM annals_outbox WHERE batch = %s::text", [batch])


def unmark(connection: Any, batch: str) -> None:
    """Nothing of the batch is stored: its rows may go under another key."""
    execute(
        connection,
        "UPDATE annals_outbox SET batch = NULL, claimed_at = NULL WHERE batch = %s::text",
        [batch],
    )


def unmark_own(connection: Any, marked: Marked) -> bool:
    """Unmarks it if no other relay has taken it over."""
    result = execute(
        connection,
        """UPDATE annals_outbox SET batch = NULL, claimed_at = NULL
           WHERE batch = %s::text AND claimed_at = %s::timestamptz""",
        [marked.batch, marked.claimed_at],
    )
    return result.count > 0


def refuse(
    connection: Any,
    batch: str,
    rows: Sequence[Row],
    reason: Literal["refused", "unconfirmed"],
    error: str,
) -> None:
    """Moves rows of a batch to the table of refused ones, and unmarks the others, in one statement."""
    ids = _array_of(rows)
    execute(
        connection,
        """WITH moved AS (
             DELETE FROM annals_outbox WHERE batch = %s::text AND id = ANY(%s::bigint[])
             RETURNING id, event
           ), kept AS (
             INSERT INTO annals_outbox_refused (id, event, reason, error)
             SELECT id, event, %s::text, %s::text FROM moved
           )
           UPDATE annals_outbox SET batch = NULL, claimed_at = NULL
           WHERE batch = %s::text AND NOT id = ANY(%s::bigint[])""",
        [batch, ids, reason, error, batch, ids],
    )


def number(connection: Any, producer: str, rows: Sequence[Row]) -> list[Row]:
    """Numbers rows that have no number yet (`context.producer`). Returns all of them, in their order."""
    execute(
        connection,
        """INSERT INTO annals_outbox_producers (id, n, dropped) VALUES (%s::text, 0, 0)
           ON CONFLICT (id) DO NOTHING""",
        [producer],
    )
    [(n, dropped)] = execute(
        connection,
        "SELECT n, dropped FROM annals_outbox_producers WHERE id = %s::text FOR UPDATE",
        [producer],
    ).rows
    numbered: list[Row] = []
    for row in rows:
        context = _context_of(row.text)
        # After a refusal it goes in another batch, and keeps its number.
        if context is not None and _id_in(context) != producer:
            n += 1
            given = json_of({"id": producer, "n": n, "dropped": dropped}).decode()
            in_context = with_member(member_of(row.text, "context") or "null", "producer", given)
            row = Row(row.id, with_member(row.text, "context", in_context))
        numbered.append(row)
    execute(
        connection,
        """UPDATE annals_outbox AS o SET event = numbered.event::json
           FROM json_to_recordset(%s::json) AS numbered (id bigint, event text) WHERE o.id = numbered.id""",
        [json.dumps([{"id": row.id, "event": row.text} for row in numbered])],
    )
    execute(
        connection,
        "UPDATE annals_outbox_producers SET n = %s::bigint WHERE id = %s::text",
        [n, producer],
    )
    return numbered


def count_dropped(connection: Any, producer: str, events: int) -> None:
    execute(
        connection,
        "UPDATE annals_outbox_producers SET dropped = dropped + %s::bigint WHERE id = %s::text",
        [events, producer],
    )


def _context_of(text: str) -> dict[str, Any] | None:
    """None if the event cannot have a number: the service refuses it."""
    try:
        event = json.loads(text, parse_int=str)
    except RecursionError:
        return None
    if not isinstance(event, dict):
        return None
    context = event.get("context")
    if context is None:
        return {}
    return context if isinstance(context, dict) else None


def _id_in(context: dict[str, Any]) -> Any:
    producer = context.get("producer")
    return producer.get("id") if isinstance(producer, dict) else None


def _array_of(rows: Sequence[Row]) -> str:
    """Text that PostgreSQL reads as an array: drivers differ in what they make of a list."""
    ids = ",".join(row.id for row in rows)
    return f"{{{ids}}}"
