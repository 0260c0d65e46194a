"""Who owns a folder of a spool, and whether that process is gone."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

#: A folder that its owner has not touched for this time may be claimed.
_UNTOUCHED_S = 60.0

#: The file `owner.json`.
Owner = dict[str, Any]


def owner_name(now: float) -> str:
    """Names sort by time."""
    time = datetime.fromtimestamp(now, timezone.utc).strftime("%Y%m%dT%H%M%S%f")
    return f"{time[:-3]}Z-{secrets.token_hex(6)}"


def key_digest(api_key: str) -> str:
    """Who has the key has the account."""
    return hashlib.sha256(f"annals spool {api_key}".encode()).hexdigest()[:16]


def this_process() -> Owner:
    return {
        "boot_id": _read(lambda: Path("/proc/sys/kernel/random/boot_id").read_text().strip()),
        "pid_namespace": _read(lambda: os.readlink("/proc/self/ns/pid")),
        "pid": os.getpid(),
        "started": _started(os.getpid()),
    }


def is_gone(owner: Owner, touched: float, now: float) -> bool:
    """Whether the owner is a dead process, or did not touch its folder for a minute."""
    if now - touched > _UNTOUCHED_S:
        return True
    here = this_process()
    places = [(owner.get(name), here[name]) for name in ("boot_id", "pid_namespace")]
    if not all(its is not None and its == ours for its, ours in places):
        return False
    return _started(owner.get("pid")) != owner.get("started")


def read(path: Path) -> Owner:
    """Raises OSError or ValueError if it is not there whole."""
    owner = json.loads(path.read_bytes())
    if not isinstance(owner, dict):
        raise ValueError("no owner")
    return owner


def text_of(members: Owner) -> bytes:
    """As JavaScript writes it."""
    return json.dumps(members, separators=(",", ":")).encode()


def _started(pid: Any) -> str | None:
    """When a process started, in ticks since the boot, so that a later one with its id is not it."""

    def read() -> str | None:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        # A zombie is dead.
        return None if state in "ZX" else fields[18]

    return _read(read)


def _read(file: Callable[[], str | None]) -> str | None:
    """None where the system has no such file."""
    try:
        return file()
    except (OSError, IndexError, ValueError):
        return None
