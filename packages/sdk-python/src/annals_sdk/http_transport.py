"""HTTP with the standard library: connections that are kept, proxies of the environment, a bound for the
whole of an attempt. An application can give another callable in its place.

It never follows a redirect, which would show the API key to another host.
"""

from __future__ import annotations

import base64
import http.client
import io
import select
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from .errors import NotSent
from .process_end import forget_at_fork, notice_fork

_CHUNK_BYTES = 65_536

#: Idle connections to keep. A client has one batch in flight, and calls of some threads.
_MAX_IDLE = 8


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    #: Seconds that the attempt may take until the response has begun, and while its body is read whole.
    timeout: float


class Response:
    """A response whose body is read by `read`, at once or in pieces."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes | _Body = b"") -> None:
        self.status = status
        #: Names are in lower case.
        self.headers = {name.lower(): value for name, value in headers.items()}
        self._body: _Body = io.BytesIO(body) if isinstance(body, bytes) else body
        self._each_s: float | None = None

    def read(self, size: int = -1) -> bytes:
        if self._each_s is not None and isinstance(self._body, _KeptBody):
            self._body.extend(self._each_s)
        return self._body.read(size)

    def bound_each_read(self, seconds: float) -> None:
        """Bounds each read, in place of all together: a large file takes as long as it takes."""
        self._each_s = seconds

    def __iter__(self) -> Iterator[bytes]:
        """The body in pieces, so that a large file is never whole in memory."""
        return iter(lambda: self.read(_CHUNK_BYTES), b"")

    def close(self) -> None:
        self._body.close()

    def __enter__(self) -> Response:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Body(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...

    def close(self) -> None: ...


class Sends(Protocol):
    """What sends a request, in one attempt. Raises NotSent if it wrote nothing, TimeoutError, or OSError."""

    def __call__(self, request: Request) -> Response: ...


class HttpTransport:
    """Sends requests over `http.client`. Several threads can use it."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self._context = context
        self._reset()
        forget_at_fork(self)

    def _reset(self) -> None:
        """Connections of the process before a fork are the parent's."""
        self._lock = threading.Lock()
        self._idle: list[tuple[tuple[str, str], _Connection]] = []

    def __call__(self, request: Request) -> Response:
        notice_fork()
        deadline = time.monotonic() + request.timeout
        url = urlsplit(request.url)
        route = (url.scheme, url.netloc)
        connection = self._kept(route)
        if connection is None:
            connection = _connect(url, deadline, self._context_of(url))
        try:
            connection.deadline = deadline
            if connection.sock is not None:
                connection.sock.settimeout(max(0.001, deadline - time.monotonic()))
            target = request.url if connection.is_forwarding else _target_of(url)
            headers = {"accept-encoding": "identity", **connection.extra_headers, **request.headers}
            connection.request(request.method, target, request.body, headers)
            response = connection.getresponse()
        except BaseException as error:
            connection.close()
            if isinstance(error, http.client.HTTPException):
                raise ConnectionError(str(error) or type(error).__name__) from error
            raise
        body = _KeptBody(self, route, connection, response)
        return Response(response.status, dict(response.getheaders()), body)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def __del__(self) -> None:
        self.close()

    def _kept(self, route: tuple[str, str]) -> _Connection | None:
        """A connection that the server has not closed meanwhile."""
        while True:
            with self._lock:
                at = next((at for at, (to, _) in enumerate(self._idle) if to == route), None)
                if at is None:
                    return None
                connection = self._idle.pop(at)[1]
            if connection.sock is not None and not _is_readable(connection.sock):
                return connection
            connection.close()

    def _keep(self, route: tuple[str, str], connection: _Connection) -> None:
        with self._lock:
            if len(self._idle) < _MAX_IDLE:
                self._idle.append((route, connection))
                return
        connection.close()

    def _context_of(self, url: SplitResult) -> ssl.SSLContext | None:
        if url.scheme == "https" and self._context is None:
            self._context = ssl.create_default_context()
        return self._context


def _is_readable(sock: Any) -> bool:
    """Whether the server has closed a connection, or sent what nobody asked for."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


class _Connection(http.client.HTTPConnection):
    deadline = 0.0
    is_forwarding = False
    extra_headers: Mapping[str, str] = {}

    def response_class(  # type: ignore[override]
        self, sock: Any, *args: Any, **options: Any
    ) -> http.client.HTTPResponse:
        return http.client.HTTPResponse(_Timed(sock, self), *args, **options)  # type: ignore[arg-type]


class _SecureConnection(http.client.HTTPSConnection, _Connection):
    pass


class _Timed:
    """A socket whose reads end at the deadline of the connection's attempt, however slowly bytes come."""

    def __init__(self, sock: Any, connection: _Connection) -> None:
        self._sock = sock
        self._connection = connection

    def makefile(self, mode: str) -> io.BufferedReader:
        raw = self._sock.makefile(mode, buffering=0)
        return io.BufferedReader(_TimedReader(self._sock, raw, self._connection))


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: Any, raw: Any, connection: _Connection) -> None:
        self._sock = sock
        self._raw = raw
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._connection.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _KeptBody:
    """Gives its connection back when it is read, and closes it otherwise."""

    def __init__(
        self,
        transport: HttpTransport,
        route: tuple[str, str],
        connection: _Connection,
        response: http.client.HTTPResponse,
    ) -> None:
        self._transport = transport
        self._route = route
        self._connection = connection
        self._response = response
        self._is_done = False

    def read(self, size: int = -1, /) -> bytes:
        try:
            data = self._response.read(None if size < 0 else size)
        except BaseException as error:
            self.close()
            if isinstance(error, http.client.HTTPException):
                raise ConnectionError(type(error).__name__) from error
            raise
        if self._response.isclosed() and not self._is_done:
            self._is_done = True
            if self._connection.sock is not None:
                self._transport._keep(self._route, self._connection)
        return data

    def extend(self, seconds: float) -> None:
        """Begins the time of the next read."""
        self._connection.deadline = time.monotonic() + seconds

    def close(self) -> None:
        if not self._is_done:
            self._is_done = True
            self._response.close()
            self._connection.close()


def _target_of(url: SplitResult) -> str:
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


def _connect(url: SplitResult, deadline: float, context: ssl.SSLContext | None) -> _Connection:
    """Opens a connection, through a proxy if the environment names one. What fails here wrote nothing."""
    host, port = url.hostname or "", url.port
    timeout = max(0.001, deadline - time.monotonic())
    try:
        proxy = None if proxy_bypass(host) else getproxies().get(url.scheme)
        connection = _connection_of(url, proxy, timeout, context)
        connection.connect()
        return connection
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotSent(f"cannot connect to {host}{f':{port}' if port else ''}: {error}") from error


def _connection_of(
    url: SplitResult, proxy: str | None, timeout: float, context: ssl.SSLContext | None
) -> _Connection:
    is_secure = url.scheme == "https"
    through = urlsplit(proxy if proxy is None or "//" in proxy else f"//{proxy}") if proxy else url
    host = through.hostname or ""
    connection = (
        _SecureConnection(host, through.port, timeout=timeout, context=context)
        if is_secure
        else _Connection(host, through.port, timeout=timeout)
    )
    if proxy is not None:
        headers = _credentials_of(through)
        if is_secure:
            connection.set_tunnel(url.hostname or "", url.port or 443, headers)
        else:
            connection.is_forwarding = True
            connection.extra_headers = headers
    return connection


def _credentials_of(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"proxy-authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
