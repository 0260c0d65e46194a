"""Middleware of ASGI, for FastAPI and Starlette: gives each request the function `request.state.audit`.

app.add_middleware(AuditMiddleware, annals=annals, actor=lambda scope: ...)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .request_audit import Tracks, audit_of

Scope = Mapping[str, Any]


class AuditMiddleware:
    def __init__(self, app: Any, annals: Tracks, actor: Callable[[Scope], Any] | None = None) -> None:
        """`actor` is called with the scope when an action is recorded."""
        self._app = app
        self._annals = annals
        self._actor = actor

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        if scope["type"] in ("http", "websocket"):
            actor = self._actor
            who = (lambda: actor(scope)) if actor else None
            scope.setdefault("state", {})["audit"] = audit_of(self._annals, lambda: _origin(scope), who)
        await self._app(scope, receive, send)


def _origin(scope: Scope) -> dict[str, Any]:
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    client = scope.get("client")
    return {
        "ip": client[0] if client else None,
        "user_agent": headers.get(b"user-agent"),
        "request_id": headers.get(b"x-request-id"),
        "method": scope.get("method"),
        "path": scope["path"],
    }
