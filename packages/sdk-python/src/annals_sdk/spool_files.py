"""The files of a spool, format 1, which is the same in all languages: a batch is a file, and its name is the
idempotency key, so that a restart repeats exactly what may be stored. Used by spool.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

_NAME = re.compile(r"(\d{10})((?:-\d+)*)\.(open|ready|sent)")
_DIGEST_CHARACTERS = 16

FOLDER_MODE = 0o700
FILE_MODE = 0o600

State = Literal["open", "ready", "sent"]


@dataclass(frozen=True, order=True)
class Name:
    """The name of a file, such as 7 and then 1: what was left of batch 7. Files are sent in this order."""

    parts: tuple[int, ...]

    def __str__(self) -> str:
        first, *rest = self.parts
        return "-".join([f"{first:010d}", *map(str, rest)])

    def child(self, number: int) -> Name:
        return Name((*self.parts, number))


def names_in(folder: Path) -> list[tuple[Name, State]]:
    """What a folder has to send, in order."""
    found: list[tuple[Name, State]] = []
    for entry in os.listdir(folder):
        match = _NAME.fullmatch(entry)
        if match:
            parts = [int(match[1]), *map(int, match[2].split("-")[1:])]
            found.append((Name(tuple(parts)), match[3]))  # type: ignore[arg-type]
    return sorted(found)


def line_of(text: bytes) -> bytes:
    digest = hashlib.sha256(text).hexdigest()[:_DIGEST_CHARACTERS]
    return b"%s %s\n" % (digest.encode(), text)


def read_lines(path: Path) -> tuple[list[bytes], list[bytes]]:
    """The events of a file, and its damaged lines. A last line without its end was never acknowledged."""
    lines = path.read_bytes().split(b"\n")[:-1]
    events: list[bytes] = []
    damaged: list[bytes] = []
    for line in lines:
        text = line[_DIGEST_CHARACTERS + 1 :]
        if line_of(text) == line + b"\n":
            events.append(text)
        else:
            damaged.append(line)
    return events, damaged


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that after a crash it is there whole, or not at all."""
    part = path.with_name(path.name + ".part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
    try:
        write_all(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(part, path)
    sync_folder(path.parent)


def write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def boot_id() -> str | None:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None


def pid_namespace() -> str | None:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return None


def started_at(pid: int) -> str | None:
    """When a process began, in ticks of its boot: a later process can have the same pid."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def owner_now(account: str | None, key_digest: str | None) -> dict[str, Any]:
    pid = os.getpid()
    return {
        "account_id": account,
        "key": key_digest,
        "boot_id": boot_id(),
        "pid_namespace": pid_namespace(),
        "pid": pid,
        "started_at": started_at(pid),
    }


def read_owner(folder: Path) -> dict[str, Any]:
    try:
        owner = json.loads((folder / "owner.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def is_dead(owner: dict[str, Any]) -> bool | None:
    """Whether a process of this boot and namespace is gone; None for one elsewhere."""
    pid = owner.get("pid")
    is_here = owner.get("boot_id") == boot_id() and owner.get("pid_namespace") == pid_namespace()
    if not is_here or not isinstance(pid, int) or owner.get("boot_id") is None:
        return None
    started = started_at(pid)
    return started is None or started != owner.get("started_at")
