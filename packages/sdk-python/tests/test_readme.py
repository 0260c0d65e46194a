"""Guarantee: every block of Python of the README runs, against a server that answers as the service does."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from conftest import Answer, Received, Server

FOLDER = Path(__file__).parents[1]
BLOCKS = re.findall(
    r"(?:<!-- test: (\w+) -->\n)?```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL
)
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


def answer(received: Received) -> Answer:
    if received.path.startswith("/v1/verify"):
        return 200, {}, {"data": {"valid": True}}
    if received.path.startswith("/v1/events/evt"):
        return 404, {}, {"error": {"type": "not_found", "message": "m"}}
    if received.method == "GET":
        return 200, {}, {"data": [], "has_more": False, "next_cursor": None}
    return 201, {}, {"data": {"sequence_number": 1, "hash": "h"}}


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(FOLDER / "src"), "WEBHOOK_SECRET": SECRET, **more}


@pytest.mark.parametrize("code", [code for kind, code in BLOCKS if kind == ""])
def test_a_block_runs(server: Server, code: str) -> None:
    server.answer = answer
    settings = environment(ANNALS_URL=server.url, ANNALS_KEY="k")
    command = [sys.executable, "-W", "error", "-c", code]
    ended = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="DATABASE_URL is not set")
def test_the_outbox_sends_what_it_has_committed(server: Server) -> None:
    psycopg = pytest.importorskip("psycopg")
    [code] = [code for kind, code in BLOCKS if kind == "outbox"]
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        connection.execute("DROP SCHEMA IF EXISTS readme CASCADE; CREATE SCHEMA readme")
    url = os.environ["DATABASE_URL"] + "?options=-csearch_path%3Dreadme"
    settings = environment(ANNALS_URL=server.url, ANNALS_KEY="k", DATABASE_URL=url)
    subprocess.run([sys.executable, "-c", code], env=settings, check=True, timeout=60)
    assert server.actions == [["invoice.update"]]


def test_the_receiver_of_webhooks_takes_what_is_signed() -> None:
    [code] = [code for kind, code in BLOCKS if kind == "webhook"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, env=environment(PORT=str(port)), stderr=subprocess.DEVNULL)
    try:
        body = b'{"event":"webhook.test","data":{}}'
        now = str(int(time.time()))
        key = base64.b64decode(SECRET[len("whsec_") :])
        digest = hmac.new(key, f"wh_evt_1.{now}.".encode() + body, hashlib.sha256).digest()
        headers = {
            "webhook-id": "wh_evt_1",
            "webhook-timestamp": now,
            "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
        }
        assert [status(port, body, headers), status(port, b"{}", headers)] == [204, 400]
    finally:
        process.kill()
        process.wait()


def status(port: int, body: bytes, headers: dict[str, str]) -> int:
    """Repeats until the receiver listens."""
    while True:
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("POST", "/", body, headers)
            return connection.getresponse().status
        except ConnectionRefusedError:
            time.sleep(0.01)
        finally:
            connection.close()
