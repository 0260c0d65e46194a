"""Guarantee: an event that is added to a transaction is stored once if it is committed, and never if it is
rolled back, though relays end, responses are lost and events refused. The control: an insert outside of the
transaction records what was rolled back. PostgreSQL is real: DATABASE_URL names a database for the tests.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from annals_sdk import AnnalsError, Drop, outbox
from annals_sdk.tracking_options import LOGGER
from conftest import Answer, Received, Server, failed, stored
from outbox_database import (
    NEVER,
    REFUSED,
    WAITING,
    commit,
    connect,
    drain,
    outbox_of,
    refusing,
    roll_back,
    rows,
)

pytestmark = pytest.mark.usefixtures("database")


def keys(server: Server) -> list[str]:
    return list(dict.fromkeys(each.headers["idempotency-key"] for each in server.received))


def test_what_is_committed_is_recorded_once_and_what_is_rolled_back_never(server: Server) -> None:
    commit("a1", "a2")
    roll_back("b1")
    commit("a3")
    drain(outbox_of(server))
    assert (server.actions, rows(WAITING)) == ([["a1", "a2", "a3"]], [])


def test_the_control_outside_of_the_transaction_it_is_recorded(server: Server) -> None:
    def outside(_: Any, event: Any) -> None:
        with connect() as connection:
            outbox.add(connection, event)

    roll_back("b1", add=outside)
    drain(outbox_of(server))
    assert server.actions == [["b1"]]


def test_an_event_that_is_no_json_fails_its_transaction() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"), connect() as connection:
        outbox.add(connection, {"action": "a", "metadata": {"value": float("nan")}})
    assert rows(WAITING) == []


def test_a_lost_response_the_same_rows_under_the_same_key(server: Server) -> None:
    answers: list[Answer] = [None, None]

    def answer(received: Received) -> Answer:
        commit("a3") if not answers[1:] and answers else None
        return answers.pop(0) if answers else stored(received)

    server.answer = answer
    commit("a1", "a2")
    drain(outbox_of(server))
    assert server.actions == [["a1", "a2"], ["a1", "a2"], ["a1", "a2"], ["a3"]]
    assert len(keys(server)) == 2


def test_after_a_minute_another_relay_sends_the_batch_under_its_key(server: Server, database: Any) -> None:
    commit("a1")
    end = threading.Event()

    def answer(_: Received) -> Answer:
        end.set()
        return None

    server.answer = answer
    outbox_of(server).send_batch(end)
    commit("a2")
    following = outbox_of(server)
    # One batch is in flight.
    assert not following.send_batch(NEVER)
    database.execute("UPDATE annals_outbox SET claimed_at = now() - interval '61 s' WHERE batch IS NOT NULL")
    database.commit()
    server.answer = stored
    drain(following)
    assert server.actions == [["a1"], ["a1"], ["a2"]]
    assert len(keys(server)) == 2


def test_a_relay_without_success_warns(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    # A worker of Celery, in another test, has set that of the root.
    caplog.set_level("WARNING", LOGGER.name)
    answers = [failed(500, "server_error", retry_after="0")] * 6
    server.answer = lambda received: answers.pop() if answers else stored(received)
    commit("a1")
    outbox_of(server).send_batch(NEVER)
    assert (len(keys(server)), len(server.received)) == (1, 7)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_an_outage_without_a_request_leaves_the_rows_without_a_batch() -> None:
    commit("a1")
    with pytest.raises(AnnalsError, match="cannot connect"):
        outbox_of("http://127.0.0.1:1").send_batch(NEVER)
    assert rows("SELECT batch FROM annals_outbox") == [(None,)]


def test_refused_rows_are_moved_by_name(server: Server) -> None:
    server.answer = refusing("a2", True)
    drops: list[Drop] = []
    commit("a1", "a2", "a3")
    drain(outbox_of(server, on_drop=drops.append))
    assert server.actions == [["a1", "a2", "a3"], ["a1", "a3"]]
    assert rows(REFUSED) == [("a2", "refused")]
    assert [drop.reason for drop in drops] == ["refused"]


def test_a_refusal_without_a_name_is_halved(server: Server) -> None:
    server.answer = refusing("a3", False)
    commit("a1", "a2", "a3", "a4")
    drain(outbox_of(server))
    assert (rows(REFUSED), rows(WAITING)) == ([("a3", "refused")], [])


def test_the_end_of_the_life_of_a_key(server: Server, database: Any) -> None:
    commit("a1")
    old = f"{round((time.time() - 24 * 3600) * 1000)}-x"
    database.execute("UPDATE annals_outbox SET batch = %s, claimed_at = '2026-01-01'", [old])
    database.commit()
    drain(outbox_of(server))
    assert (server.actions, rows(REFUSED)) == ([], [("a1", "unconfirmed")])


def test_batches_have_bounds(server: Server) -> None:
    commit("a1", "a2", "a3")
    with connect() as connection:
        for action in ["b1", "b2"]:
            outbox.add(connection, {"action": action, "metadata": {"text": "x" * 250}})
    drain(outbox_of(server, batch_events=2, batch_bytes=300))
    assert server.actions == [["a1", "a2"], ["a3"], ["b1"], ["b2"]]


def test_two_relays_send_each_event_once_and_in_order(server: Server) -> None:
    stop = threading.Event()
    relays = [threading.Thread(target=outbox_of(server, batch_events=3).run, args=(stop,)) for _ in range(2)]
    for relay in relays:
        relay.start()
    for at in range(20):
        commit(f"a{at}")
    while rows(WAITING):
        stop.wait(0.01)
    stop.set()
    for relay in relays:
        relay.join()
    sent = [action for batch in server.actions for action in batch]
    assert sent == [f"a{at}" for at in range(20)]


def test_numbers_of_a_producer_also_after_a_refusal(server: Server) -> None:
    server.answer = refusing("a2", True)
    commit("a1", "a2", "a3")
    roll_back("b1")
    drain(outbox_of(server, producer="billing"))
    commit("a4")
    drain(outbox_of(server, producer="billing"))
    events = [event for each in server.received[1:] for event in each.body["events"]]
    assert [event["context"]["producer"] for event in events] == [
        {"id": "billing", "n": 1, "dropped": 0},
        {"id": "billing", "n": 3, "dropped": 0},
        {"id": "billing", "n": 4, "dropped": 1},
    ]
