"""For Django: middleware that gives each request the function `request.audit`.

audit = annals_audit(annals)  # In one of your modules, such as shop/audit.py.
MIDDLEWARE = [..., "shop.audit.audit"]
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from .request_audit import Tracks, audit_of


def user_of(request: Any) -> Any:
    """The user who is logged in, by the primary key."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return None
    return {"type": "user", "id": str(user.pk)}


def annals_audit(annals: Tracks, actor: Callable[[Any], Any] = user_of) -> Any:
    """`actor` is called with the request when an action is recorded."""

    def add(request: Any) -> None:
        request.audit = audit_of(annals, lambda: _origin(request), lambda: actor(request))

    def middleware(get_response: Any) -> Any:
        def answer(request: Any) -> Any:
            add(request)
            return get_response(request)

        async def answer_later(request: Any) -> Any:
            add(request)
            return await get_response(request)

        return answer_later if iscoroutinefunction(get_response) else answer

    # Django reads these from the middleware, and so need not adapt it.
    middleware.sync_capable = middleware.async_capable = True  # type: ignore[attr-defined]
    return middleware


def _origin(request: Any) -> dict[str, Any]:
    return {
        "ip": request.META.get("REMOTE_ADDR"),
        "user_agent": request.headers.get("user-agent"),
        "request_id": request.headers.get("x-request-id"),
        "method": request.method,
        "path": request.path,
    }
