"""Guarantee: an outbox works over psycopg, psycopg2, SQLAlchemy and Django, and its command records exactly
what was committed, though it is killed.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from annals_sdk import Annals, outbox
from annals_sdk.outbox import Outbox
from conftest import Answer, Received, Server, stored
from outbox_database import (
    REFUSED,
    URL,
    WAITING,
    commit,
    connect,
    drain,
    outbox_of,
    refusing,
    roll_back,
    rows,
)

SOURCE = str(Path(__file__).parents[1] / "src")

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2"])
def test_drivers(server: Server, driver: str) -> None:
    server.answer = refusing("a2", True)
    module = pytest.importorskip(driver)
    connection = module.connect(URL)
    for action in ["a1", "a2", "a3"]:
        outbox.add(connection, {"action": action, "metadata": {"percent": "100 %s %"}})
    connection.commit()
    outbox.add(connection, {"action": "left"})
    connection.rollback()
    connection.close()
    drain(Outbox(Annals(server.url, "k"), lambda: module.connect(URL), producer="billing"))
    assert server.actions == [["a1", "a2", "a3"], ["a1", "a3"]]
    assert rows(REFUSED) == [("a2", "refused")]
    events = server.received[1].body["events"]
    assert [event["context"]["producer"]["n"] for event in events] == [1, 3]


async def add_later(url: str) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy.ext.asyncio")
    engine = sqlalchemy.create_async_engine(url)
    async with sqlalchemy.AsyncSession(engine) as session, session.begin():
        await session.run_sync(outbox.add, {"action": "async"})
    await engine.dispose()


def test_it_adds_over_sqlalchemy_and_cursors(server: Server) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")
    orm = pytest.importorskip("sqlalchemy.orm")
    sqlalchemy_url = re.sub("^postgres(ql)?:", "postgresql+psycopg:", URL)
    engine = sqlalchemy.create_engine(sqlalchemy_url)
    with engine.begin() as connection:
        outbox.add(connection, {"action": "connection"})
    with orm.Session(engine) as session, session.begin():
        outbox.add(session, {"action": "session", "metadata": {"percent": "100 %s %"}})
    with orm.Session(engine) as session:
        outbox.add(session, {"action": "left"})
        session.rollback()
    with connect() as connection, connection.cursor() as cursor:
        outbox.add(cursor, {"action": "cursor"})
    asyncio.run(add_later(sqlalchemy_url))
    drain(Outbox(Annals(server.url, "k"), engine.raw_connection))
    engine.dispose()
    assert server.actions == [["connection", "session", "cursor", "async"]]
    assert server.received[0].body["events"][1]["metadata"] == {"percent": "100 %s %"}


async def add_to(url: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    async with await psycopg.AsyncConnection.connect(url) as connection:
        outbox.add(connection, {"action": "unawaited"})


def test_a_connection_of_asyncio_is_refused() -> None:
    with pytest.raises(TypeError, match="of asyncio"):
        asyncio.run(add_to(URL))


DJANGO = """
import sys
from urllib.parse import urlsplit
import django
from django.conf import settings
url = urlsplit(sys.argv[1])
place = {"HOST": url.hostname, "PORT": url.port, "USER": url.username, "PASSWORD": url.password or ""}
engine = {"ENGINE": "django.db.backends.postgresql", "NAME": url.path[1:], **place}
settings.configure(DATABASES={"default": engine})
django.setup()
from django.db import connection, transaction
from annals_sdk import outbox
with transaction.atomic(), connection.cursor() as cursor:
    outbox.add(connection, {"action": "connection"})
    outbox.add(cursor, {"action": "cursor"})
try:
    with transaction.atomic():
        outbox.add(connection, {"action": "left"})
        raise RuntimeError
except RuntimeError:
    pass
"""


def test_it_adds_over_django() -> None:
    pytest.importorskip("django")
    settings = {**os.environ, "PYTHONPATH": SOURCE}
    subprocess.run([sys.executable, "-c", DJANGO, URL], env=settings, check=True, timeout=60)
    assert rows(WAITING) == [("connection",), ("cursor",)]


def test_the_command_sends_until_sigterm(server: Server) -> None:
    commit("a1")
    settings = {"ANNALS_URL": server.url, "ANNALS_KEY": "k", "PYTHONPATH": SOURCE}
    command = [sys.executable, "-m", "annals_sdk", "outbox", "--producer", "billing"]
    relay = subprocess.Popen(command, env={**os.environ, **settings}, stderr=subprocess.PIPE, text=True)
    while rows(WAITING):
        assert relay.poll() is None
        time.sleep(0.01)
    relay.send_signal(signal.SIGTERM)
    _, errors = relay.communicate(timeout=30)
    assert (relay.returncode, errors, server.actions) == (0, "", [["a1"]])
    assert server.received[0].body["events"][0]["context"]["producer"]["n"] == 1


def test_killed_relays_record_exactly_what_was_committed(server: Server) -> None:
    seen: set[str] = set()
    recorded: list[str] = []
    lock = threading.Lock()

    def answer(received: Received) -> Answer:
        with lock:
            key = received.headers["idempotency-key"]
            if key not in seen:
                seen.add(key)
                recorded.extend(event["action"] for event in received.body["events"])
            return None if len(server.received) % 4 == 0 else stored(received)

    server.answer = answer
    settings = {"ANNALS_URL": server.url, "ANNALS_KEY": "k", "PYTHONPATH": SOURCE}
    command = [sys.executable, "-m", "annals_sdk", "outbox"]
    committed: list[str] = []
    for kill in range(3):
        relay = subprocess.Popen(command, env={**os.environ, **settings}, stderr=subprocess.DEVNULL)
        for at in range(30):
            (roll_back if at % 3 == 2 else commit)(f"a{kill}.{at}")
            committed += [] if at % 3 == 2 else [f"a{kill}.{at}"]
        while len(server.received) == 2 * kill:
            time.sleep(0.01)
        relay.kill()
        relay.wait()
        with connect() as connection:
            connection.execute("UPDATE annals_outbox SET claimed_at = '2026-01-01' WHERE batch IS NOT NULL")
    drain(outbox_of(server))
    assert recorded == committed
