"""For Flask: gives each request the function `flask.g.audit`.

annals_audit(app, annals, actor=lambda: ...)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, g, request

from .request_audit import Tracks, audit_of


def annals_audit(app: Flask, annals: Tracks, actor: Callable[[], Any] | None = None) -> None:
    """`actor` is called when an action is recorded. Behind a proxy, use werkzeug's ProxyFix."""

    def add() -> None:
        g.audit = audit_of(annals, _origin, actor)

    app.before_request(add)


def _origin() -> dict[str, Any]:
    return {
        "ip": request.remote_addr,
        "user_agent": request.headers.get("user-agent"),
        "request_id": request.headers.get("x-request-id"),
        "method": request.method,
        "path": request.path,
    }
