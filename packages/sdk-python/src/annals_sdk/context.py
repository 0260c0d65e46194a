"""Who acts, for all events of a request, a job or a block: `with context(actor=...)`. It follows awaits and
tasks of asyncio; a thread that is started begins without it, unless it runs in `contextvars.copy_context()`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .models import Actor

_current: ContextVar[Mapping[str, Any]] = ContextVar("annals_sdk")


@contextmanager
def context(*, actor: Actor | None = None, **members: Any) -> Iterator[None]:
    """Events that are tracked inside have this actor and these members of `context`, if they have none."""
    outer = current()
    token = _current.set(
        {"actor": actor or outer.get("actor"), "context": {**outer.get("context", {}), **members}}
    )
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Mapping[str, Any]:
    """What is set here, to be given to a job that runs elsewhere."""
    return _current.get({})


@contextmanager
def restored(saved: Mapping[str, Any]) -> Iterator[None]:
    token = _current.set(saved)
    try:
        yield
    finally:
        _current.reset(token)


def with_context(event: Any) -> Any:
    """The event with what is set here. What is no event is given back as it is."""
    here = current()
    if not here or not isinstance(event, Mapping):
        return event
    filled = dict(event)
    if filled.get("actor") is None and here.get("actor"):
        filled["actor"] = here["actor"]
    if here.get("context"):
        filled["context"] = {**here["context"], **(filled.get("context") or {})}
    return filled
