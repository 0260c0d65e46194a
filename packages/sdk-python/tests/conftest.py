"""A server whose answers a test writes, and which keeps every request. A database with an outbox."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


#: A status, headers, and a body for JSON or bytes. None cuts the connection.
Answer = tuple[int, dict[str, str], Any] | None


def stored(received: Received) -> Answer:
    return 201, {}, {"data": []}


def failed(status: int, type: str, **headers: str) -> Answer:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, names, {"error": {"type": type, "message": f"{type} of a test"}}


@dataclass
class Server:
    url: str
    answer: Callable[[Received], Answer] = stored
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    #: Closes each connection after a response that does not say so.
    is_closing: bool = False

    @property
    def actions(self) -> list[list[str]]:
        batches = [each.body["events"] for each in self.received if each.body]
        return [[event["action"] for event in batch] for batch in batches]


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def setup(self) -> None:
            super().setup()
            made.connections += 1

        def log_message(self, *_: Any) -> None:
            pass

        def _handle(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.headers.get("content-encoding") == "gzip":
                content = gzip.decompress(content)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(content) if content else None
            received = Received(self.command, self.path, headers, body)
            made.received.append(received)
            answer = made.answer(received)
            if answer is None:
                self.close_connection = True
                return
            status, more, value = answer
            text = value if isinstance(value, bytes) else b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            for name, each in more.items():
                self.send_header(name, each)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            self.close_connection = self.close_connection or made.is_closing

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _handle

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    made = Server(f"http://127.0.0.1:{http.server_address[1]}")
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    http.shutdown()
    http.server_close()


@pytest.fixture
def database() -> Iterator[Any]:
    """A connection to the database, with empty tables of an outbox."""
    from annals_sdk.outbox import SCHEMA
    from outbox_database import TABLES, URL, connect

    if not URL:
        pytest.skip("DATABASE_URL is not set")
    with connect() as connection:
        connection.execute(f"DROP TABLE IF EXISTS {TABLES}")
        connection.execute(SCHEMA)
        connection.commit()
        yield connection
