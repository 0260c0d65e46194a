"""Guarantee: calls are repeated only if that is safe, errors say what happened, connections are kept."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from annals_sdk import (
    Annals,
    AnnalsError,
    AsyncAnnals,
    Attempt,
    AttemptResult,
    NotSent,
    Observation,
    Response,
)
from annals_sdk.http_transport import _is_readable
from conftest import Answer, Received, Server, failed


class NoWait:
    """A clock whose waits end at once."""

    def __init__(self) -> None:
        self.time = 1_769_851_800.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    def wait(self, condition: Any, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    def wake(self, condition: Any) -> None:
        condition.notify_all()


def client(server: Server, **options: Any) -> Annals:
    return Annals(server.url, "k", random=lambda: 0.0, clock=NoWait(), **options)


def test_an_event_has_one_key_in_all_attempts(server: Server) -> None:
    answers: list[Answer] = [None, failed(500, "server_error"), (201, {}, {"data": {"id": "evt_1"}})]
    server.answer = lambda _: answers.pop(0)
    event = client(server).events.create({"action": "a1"})
    keys = {each.headers["idempotency-key"] for each in server.received}
    assert (event["id"], len(server.received), len(keys)) == ("evt_1", 3, 1)


def test_a_post_without_a_key_is_repeated_only_if_it_was_refused(server: Server) -> None:
    answers = [failed(429, "rate_limit_exceeded", retry_after="2"), failed(500, "server_error")]
    server.answer = lambda _: answers.pop(0)
    with pytest.raises(AnnalsError) as raised:
        client(server).keys.create({"name": "k", "scopes": ["verify"]})
    assert (raised.value.type, raised.value.status, len(server.received)) == ("server_error", 500, 2)


def test_a_creation_with_a_key_of_the_caller_is_repeated_with_it(server: Server) -> None:
    answers: list[Answer] = [failed(500, "server_error"), (201, {}, {"data": {"id": "key_1"}})]
    server.answer = lambda _: answers.pop(0)
    client(server).keys.create({"name": "k", "scopes": ["verify"]}, idempotency_key="deploy-42")
    assert [each.headers["idempotency-key"] for each in server.received] == ["deploy-42"] * 2


def test_an_error_has_what_the_response_says_and_no_key(server: Server) -> None:
    details = [{"field": "action", "message": "is missing"}]
    error = {"type": "validation_error", "message": "m", "details": details}
    server.answer = lambda _: (422, {"x-request-id": "req_1"}, {"error": error})
    with pytest.raises(AnnalsError, match="m") as raised:
        client(server).events.create({"action": ""})
    shown = raised.value
    assert (shown.type, shown.status, shown.request_id) == ("validation_error", 422, "req_1")
    assert [(each.field, each.message) for each in shown.details] == [("action", "is missing")]
    assert "Bearer" not in repr(vars(shown))


def test_a_refused_connection_is_unsent() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(AnnalsError) as raised:
            Annals(url, "k", max_retries=0).usage.get()
    assert (raised.value.type, raised.value.is_unsent) == ("connection_error", True)


def test_an_attempt_ends_at_its_time_however_slowly_bytes_come() -> None:
    def trickle() -> None:
        with suppress(OSError):
            connection = listening.accept()[0]
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\nx: ")
            for _ in range(300):
                connection.sendall(b"x")
                time.sleep(0.01)
            connection.sendall(b'\r\n\r\n{"data":{}}')

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=trickle, daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(AnnalsError) as raised:
            Annals(url, "k", max_retries=0, timeout=0.1).usage.get()
    assert (raised.value.type, raised.value.is_unsent) == ("timeout_error", False)


def test_a_connection_is_kept_and_one_that_the_server_closed_is_not_used(server: Server) -> None:
    server.answer = lambda _: (200, {}, {"data": {}})
    annals = client(server)
    for _ in range(3):
        annals.usage.get()
    kept = server.connections
    server.is_closing = True
    annals.usage.get()
    [(_, connection)] = annals._transport._own._idle
    while not _is_readable(connection.sock):
        pass
    # It is not repeated, so that it would fail on that connection.
    annals.keys.create({"name": "k", "scopes": ["verify"]})
    assert (kept, server.connections, len(server.received)) == (1, 2, 5)


def test_a_deletion_whose_response_was_lost_has_succeeded(server: Server) -> None:
    answers: list[Answer] = [None, failed(404, "not_found")]
    server.answer = lambda _: answers.pop(0)
    client(server).webhooks.delete("wh_1")
    with pytest.raises(AnnalsError):
        answers.append(failed(404, "not_found"))
        client(server).webhooks.delete("wh_1")


def test_pages_follow_their_cursor_and_a_filter_keeps_its_values(server: Server) -> None:
    def answer(received: Received) -> Answer:
        is_last = "cursor=c2" in received.path
        data = [{"id": "3"}] if is_last else [{"id": "1"}, {"id": "2"}]
        return 200, {}, {"data": data, "has_more": not is_last, "next_cursor": None if is_last else "c2"}

    server.answer = answer
    events = client(server).events
    listed = [each["id"] for each in events.list(action=["a b", "c+*"], actor_id=[], limit=2)]
    assert listed == ["1", "2", "3"]
    assert server.received[0].path == "/v1/events?action=a%20b&action=c%2B%2A&actor_id=&limit=2"
    assert len(events.list().to_list(2)) == 2
    fields = {"field.ip": "10.0.0.0/8", "not.field.a&b": ["5..", "7"]}
    assert len(events.list(not_action="a", fields=fields).to_list(1)) == 1
    by_field = "field.ip=10.0.0.0%2F8&not.field.a%26b=5..&not.field.a%26b=7"
    assert server.received[-1].path == f"/v1/events?not.action=a&{by_field}"


def test_an_id_reaches_no_other_route(server: Server) -> None:
    server.answer = lambda _: (200, {}, {"data": {}})
    client(server).events.get("../keys?x=1")
    assert server.received[0].path == "/v1/events/..%2Fkeys%3Fx%3D1"
    with pytest.raises(ValueError, match="an id is missing"):
        client(server).events.get("..")


def test_the_key_may_be_a_function_and_is_asked_for_each_attempt(server: Server) -> None:
    keys = iter(["old", "new"])
    answers: list[Answer] = [failed(500, "server_error"), (200, {}, {"data": {}})]
    server.answer = lambda _: answers.pop(0)
    Annals(server.url, lambda: next(keys), clock=NoWait()).usage.get()
    assert [each.headers["authorization"] for each in server.received] == ["Bearer old", "Bearer new"]


def test_a_hook_sees_each_attempt_and_what_it_raises_changes_nothing(server: Server) -> None:
    seen: list[Any] = []

    def observe(attempt: Attempt) -> Observation:
        def end(result: AttemptResult) -> None:
            seen.append((attempt.operation, attempt.attempt, result.status))
            raise RuntimeError("of a test")

        return Observation({"traceparent": "t"}, end)

    server.answer = lambda _: (200, {}, {"data": {}})
    client(server, observe=observe).usage.get()
    assert seen == [("get-usage", 1, 200)]
    assert server.received[0].headers["traceparent"] == "t"


def test_a_transport_can_be_given() -> None:
    def refuse(request: Any) -> Response:
        raise NotSent(request.url)

    with pytest.raises(AnnalsError, match="http://x/v1/usage") as raised:
        Annals("http://x", "k", transport=refuse, max_retries=0).usage.get()
    assert raised.value.is_unsent


def test_a_file_is_read_in_pieces(server: Server) -> None:
    content = b"x" * 200_000
    server.answer = lambda _: (200, {"content-type": "text/csv"}, content)
    with client(server).exports.content("exp_1") as response:
        pieces = list(response)
    assert (b"".join(pieces), len(pieces) > 1) == (content, True)


def test_async_calls_and_lists(server: Server) -> None:
    server.answer = lambda _: (200, {}, {"data": [{"id": "1"}], "has_more": False, "next_cursor": None})

    async def run() -> list[Any]:
        async with AsyncAnnals(server.url, "k") as annals:
            return [each["id"] async for each in annals.events.list()]

    assert asyncio.run(run()) == ["1"]


def test_a_proxy_of_the_environment_is_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", server.url.replace("http://", "http://user:p%40ss@"))
    monkeypatch.setenv("no_proxy", "other.invalid")
    server.answer = lambda _: (200, {}, {"data": {}})
    Annals("http://annals.invalid", "k", max_retries=0).usage.get()
    [received] = server.received
    assert (received.path, received.headers["host"]) == ("http://annals.invalid/v1/usage", "annals.invalid")
    assert received.headers["proxy-authorization"] == "Basic dXNlcjpwQHNz"
    with pytest.raises(AnnalsError) as raised:
        Annals("http://other.invalid", "k", max_retries=0).usage.get()
    assert raised.value.is_unsent
