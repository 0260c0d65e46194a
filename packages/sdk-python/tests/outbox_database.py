"""A database with the tables of an outbox, for the tests of it: DATABASE_URL names one, of PostgreSQL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from annals_sdk import Annals, outbox
from annals_sdk.outbox import Outbox
from conftest import Answer, Received, Server, stored

URL = os.environ.get("DATABASE_URL", "")
TABLES = "annals_outbox, annals_outbox_refused, annals_outbox_producers"
REFUSED = "SELECT event->>'action', reason FROM annals_outbox_refused ORDER BY id"
WAITING = "SELECT event->>'action' FROM annals_outbox ORDER BY id"
NEVER = threading.Event()


def connect() -> Any:
    return pytest.importorskip("psycopg").connect(URL)


def rows(statement: str) -> list[Any]:
    with connect() as connection:
        return [tuple(row) for row in connection.execute(statement).fetchall()]


def commit(*actions: str, add: Callable[[Any, Any], None] = outbox.add) -> None:
    with connect() as connection:
        for action in actions:
            add(connection, {"action": action})


def roll_back(*actions: str, add: Callable[[Any, Any], None] = outbox.add) -> None:
    with connect() as connection:
        for action in actions:
            add(connection, {"action": action})
        connection.rollback()


def outbox_of(server: Server | str, **options: Any) -> Outbox:
    url = server if isinstance(server, str) else server.url
    return Outbox(Annals(url, "k"), connect, **{"poll": 0.005, "on_drop": lambda _: None, **options})


def drain(relay: Outbox) -> None:
    while relay.send_batch(NEVER):
        pass
    relay.close()


def refusing(bad: str, is_named: bool) -> Callable[[Received], Answer]:
    def answer(received: Received) -> Answer:
        actions = [event["action"] for event in received.body["events"]]
        if bad not in actions:
            return stored(received)
        details = [{"field": f"events[{actions.index(bad)}].x", "message": "bad"}] if is_named else []
        return 422, {}, {"error": {"type": "validation_error", "message": "m", "details": details}}

    return answer
