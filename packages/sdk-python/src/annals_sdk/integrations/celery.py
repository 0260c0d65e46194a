"""For Celery: a task has the actor and the context of what sent it, which travel in its headers.

connect(annals)
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Protocol

from celery import signals

from ..context import current, restored

_HEADER = "annals_context"


class _Closes(Protocol):
    def close(self, timeout: float | None = None) -> None: ...


def connect(annals: _Closes) -> None:
    """Connects the signals, in the processes that send tasks and in those that run them."""
    running: dict[str, ExitStack] = {}

    def publish(headers: dict[str, Any], **_: Any) -> None:
        if current():
            headers[_HEADER] = dict(current())

    def begin(task_id: str, task: Any, **_: Any) -> None:
        saved = (task.request.get(_HEADER) or (task.request.headers or {}).get(_HEADER)) if task else None
        if saved:
            running[task_id] = ExitStack()
            running[task_id].enter_context(restored(saved))

    def end(task_id: str, **_: Any) -> None:
        stack = running.pop(task_id, None)
        if stack is not None:
            stack.close()

    def shut_down(**_: Any) -> None:
        annals.close()

    signals.before_task_publish.connect(publish, weak=False)
    signals.task_prerun.connect(begin, weak=False)
    signals.task_postrun.connect(end, weak=False)
    # A process of the pool ends without `atexit`.
    signals.worker_process_shutdown.connect(shut_down, weak=False)
