"""Guarantee: each integration records who, what and from where, reads the actor when an action is recorded,
and records nothing that is not marked.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from annals_sdk import Annals, context
from annals_sdk.integrations.asgi import AuditMiddleware
from annals_sdk.integrations.logging import AuditHandler
from annals_sdk.integrations.structlog import AuditProcessor
from annals_sdk.testing import recorder
from conftest import Server

HEADERS = {"user-agent": "test", "x-request-id": "req_1", "authorization": "Bearer secret"}
ACTOR: Any = {"type": "user", "id": "u_1"}


def test_a_context_fills_what_an_event_lacks() -> None:
    annals = recorder()
    with context(actor=ACTOR, tenant="t1"), context(job="j1"):
        annals.track({"action": "a1", "context": {"tenant": "own"}})
        annals.track({"action": "a2", "actor": {"type": "service", "id": "s"}})
    annals.track({"action": "a3"})
    assert annals.events == [
        {"action": "a1", "actor": ACTOR, "context": {"tenant": "own", "job": "j1"}},
        {"action": "a2", "actor": {"type": "service", "id": "s"}, "context": {"tenant": "t1", "job": "j1"}},
        {"action": "a3"},
    ]


def test_a_context_reaches_the_service(server: Server) -> None:
    with Annals(server.url, "k") as annals, context(actor=ACTOR):
        annals.track({"action": "a1"})
    assert server.received[0].body["events"][0]["actor"] == ACTOR


def test_logging_takes_marked_records_only() -> None:
    annals = recorder()
    logger = logging.getLogger("test.audit")
    logger.setLevel(logging.INFO)
    logger.addHandler(AuditHandler(annals))
    logger.info("an ordinary message")
    logger.info("invoice.%s", "update", extra={"audit": {"actor": ACTOR}})
    assert annals.events == [{"action": "invoice.update", "actor": ACTOR}]


def test_structlog_takes_marked_entries_only() -> None:
    structlog = pytest.importorskip("structlog")
    annals = recorder()
    written: list[Any] = []

    def write(_: Any, __: str, entry: Any) -> Any:
        written.append(dict(entry))
        raise structlog.DropEvent

    log = structlog.wrap_logger(None, processors=[AuditProcessor(annals), write])
    log.msg("ordinary")
    log.msg("invoice.update", audit={"actor": ACTOR}, total=1)
    assert annals.events == [{"action": "invoice.update", "actor": ACTOR}]
    assert written == [{"event": "ordinary"}, {"event": "invoice.update", "total": 1}]


def origin(path: str) -> dict[str, Any]:
    return {"ip": "127.0.0.1", "user_agent": "test", "request_id": "req_1", "method": "POST", "path": path}


def test_asgi_reads_the_actor_after_the_login() -> None:
    annals = recorder()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scope["user"] = ACTOR
        scope["state"]["audit"]("invoice.update", metadata={"total": 1})

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/invoices",
        "query_string": b"token=secret",
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in HEADERS.items()],
    }
    asyncio.run(AuditMiddleware(app, annals, lambda scope: scope.get("user"))(scope, None, None))  # type: ignore[arg-type]
    expected = {
        "action": "invoice.update",
        "actor": ACTOR,
        "metadata": {"total": 1},
        "context": origin("/invoices"),
    }
    assert annals.events == [expected]


def test_fastapi_has_it_in_the_state_of_a_request() -> None:
    fastapi = pytest.importorskip("fastapi")
    annals = recorder()
    app = fastapi.FastAPI()
    app.add_middleware(AuditMiddleware, annals=annals)

    async def handle(request: Any) -> None:
        request.state.audit("invoice.update")

    handle.__annotations__["request"] = fastapi.Request
    app.post("/invoices")(handle)
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    scope = {"type": "http", "method": "POST", "path": "/invoices", "raw_path": b"/invoices", "root_path": ""}
    scope |= {"query_string": b"", "headers": headers, "client": ("127.0.0.1", 1), "http_version": "1.1"}
    asyncio.run(app(scope, receive, send))
    assert (sent[0]["status"], annals.events) == (
        200,
        [{"action": "invoice.update", "context": origin("/invoices")}],
    )


def test_flask_reads_the_actor_after_the_login() -> None:
    flask = pytest.importorskip("flask")
    from annals_sdk.integrations.flask import annals_audit

    annals = recorder()
    app = flask.Flask("test")
    annals_audit(app, annals, lambda: flask.g.get("user"))

    def handle() -> str:
        flask.g.user = ACTOR
        flask.g.audit("invoice.update")
        return ""

    app.post("/invoices")(handle)
    app.test_client().post("/invoices?token=secret", headers=HEADERS)
    assert annals.events == [{"action": "invoice.update", "actor": ACTOR, "context": origin("/invoices")}]


def test_django_records_the_user_who_is_logged_in() -> None:
    django = pytest.importorskip("django")
    from django.conf import settings
    from django.test import RequestFactory

    from annals_sdk.integrations.django import annals_audit

    if not settings.configured:
        settings.configure()
        django.setup()
    annals = recorder()

    class User:
        is_authenticated = True
        pk = "u_1"

    def handle(request: Any) -> str:
        request.user = User()
        request.audit("invoice.update")
        return "sync"

    async def handle_later(request: Any) -> str:
        return handle(request)

    request = RequestFactory().post("/invoices?token=secret", headers=HEADERS)
    middleware = annals_audit(annals)
    answers = [middleware(handle)(request), asyncio.run(middleware(handle_later)(request))]
    event = {"action": "invoice.update", "actor": ACTOR, "context": origin("/invoices")}
    assert (answers, annals.events) == (["sync", "sync"], [event, event])


def test_celery_carries_the_context_to_the_task() -> None:
    celery = pytest.importorskip("celery")
    from annals_sdk.integrations.celery import connect

    annals = recorder()
    connect(annals)
    app = celery.Celery("test", broker="memory://", backend="cache+memory://")

    def run() -> None:
        annals.track({"action": "job.run"})

    task = app.task(name="test.task")(run)
    from celery.contrib.testing.worker import start_worker

    with start_worker(app, perform_ping_check=False):
        with context(actor=ACTOR):
            result = task.delay()
        result.get(timeout=30)
        task.delay().get(timeout=30)
    assert annals.events == [{"action": "job.run", "actor": ACTOR}, {"action": "job.run"}]
