"""How clients behave when their process forks or ends. A child of a fork begins with nothing of its parent:
no buffered events, no connections, no thread, no lock that another thread held. At the exit of the
interpreter what is buffered is sent.

SIGTERM runs no `atexit`, so an application handles it, as the README shows.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from typing import Protocol


class _Resets(Protocol):
    def _reset(self) -> None: ...


class _Closes(Protocol):
    def close(self, timeout: float | None = None) -> None: ...


_CLOSE_TIMEOUT_S = 10.0

_lock = threading.RLock()
_beginning = threading.Lock()
_pid = os.getpid()
_forgetful: weakref.WeakSet[_Resets] = weakref.WeakSet()
_open: weakref.WeakSet[_Closes] = weakref.WeakSet()


def forget_at_fork(each: _Resets) -> None:
    """Calls `_reset` in a child of a fork."""
    with _lock:
        _forgetful.add(each)


def close_at_exit(each: _Closes) -> None:
    with _lock:
        _open.add(each)


def leave_at_exit(each: _Closes) -> None:
    with _lock:
        _open.discard(each)


def _close_all() -> None:
    """Clients share the time, since an application may have thousands."""
    with _lock:
        clients = list(_open)
    until = time.monotonic() + _CLOSE_TIMEOUT_S
    for each in clients:
        each.close(max(0.0, until - time.monotonic()))


def notice_fork() -> None:
    """Begins again in a child that was forked without the hooks of Python, as workers of uWSGI are."""
    if os.getpid() == _pid:
        return
    with _beginning:
        if os.getpid() != _pid:
            _begin_child()


def _begin_child() -> None:
    global _lock, _pid
    # Another thread of the parent may have held it.
    _lock = threading.RLock()
    _open.clear()
    for each in list(_forgetful):
        each._reset()
    _pid = os.getpid()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_child)
