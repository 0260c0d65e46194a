"""One owner's folder of a spool: its batches as files (docs/spool-format.md). Called by buffer.py and
claims.py. A file must never be deleted before what replaces it is on the disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from . import owner as owners
from .batch import SpooledBatch, State
from .lines import Lines, line_of, read_lines, read_sealed
from .settings import Sync

_PENDING = re.compile(r"(\d{10}(?:-[12])*)\.(open|ready|sent)")
_OWNER = "owner.json"
FOLDER_MODE = 0o700
FILE_MODE = 0o600


class Folder:
    def __init__(self, root: Path, name: str, sync: Sync, is_own: bool = False) -> None:
        self.path = root / name
        #: The first owner's name, with which keys begin.
        self.owner = name.partition("~")[0]
        #: What is to be sent, in order.
        self.batches: list[SpooledBatch] = []
        #: Of this client: its events were tracked here.
        self.is_own = is_own
        self._sync = sync

    @property
    def exists(self) -> bool:
        return os.path.exists(self.path)

    def path_of(self, batch: SpooledBatch) -> Path:
        return self.path / f"{batch.name}.{batch.state}"

    def touch(self, now: float) -> None:
        """Tells other processes that the owner lives, or with the time 0 that it does not."""
        os.utime(self.path / _OWNER, (now, now))

    def make(self, owner: owners.Owner, now: float) -> None:
        os.makedirs(self.path, FOLDER_MODE, exist_ok=True)
        self.write_owner(owner, now)
        if self._sync != "none":
            sync_path(self.path.parent)

    def write_owner(self, owner: owners.Owner, now: float) -> None:
        self._write(_OWNER, owners.text_of(owner) + b"\n")
        self.touch(now)

    def load(self) -> None:
        """Lists the batches of an earlier owner. A torn last line is cut: its track() did not return."""
        files = sorted(os.listdir(self.path))
        found = {file: match for file in files if (match := _PENDING.fullmatch(file))}
        names = {match[1] for match in found.values()}
        for file in files:
            if file.endswith(".tmp"):
                (self.path / file).unlink(missing_ok=True)
        for file, match in found.items():
            if _has_parent(match[1], names):
                # The request of its parent is repeated first, and makes it again.
                (self.path / file).unlink(missing_ok=True)
            else:
                self._load(match[1], match[2])  # type: ignore[arg-type]

    def _load(self, name: str, state: State) -> None:
        batch = SpooledBatch(self, name, state)
        path = self.path_of(batch)
        data = path.read_bytes()
        lines = read_lines(data) if state == "open" else read_sealed(data)
        if state == "sent":
            batch.unknown_since = path.stat().st_mtime
        if state == "open":
            if lines.whole < len(data):
                os.truncate(path, lines.whole)
            self.seal(batch)
        batch.events = len(lines.texts) + len(lines.damaged)
        batch.size = lines.whole
        self.batches.append(batch)

    def read(self, batch: SpooledBatch) -> Lines:
        if batch.is_in_memory:
            return Lines(list(batch.texts), [], batch.size)
        return read_sealed(self.path_of(batch).read_bytes())

    def seal(self, batch: SpooledBatch) -> None:
        """Makes an open file one that never changes again."""
        if self._sync != "none" and not batch.is_in_memory:
            sync_path(self.path_of(batch))
        self._move(batch, "ready")

    def mark_sent(self, batch: SpooledBatch, began: float) -> None:
        if not batch.is_in_memory:
            os.utime(self.path_of(batch), (began, began))
        self._move(batch, "sent")

    def mark_unsent(self, batch: SpooledBatch) -> None:
        """Certainly no attempt has stored it."""
        self._move(batch, "ready")

    def write_parts(self, batch: SpooledBatch, parts: Sequence[Sequence[bytes]]) -> list[SpooledBatch]:
        """Writes what is left of a batch of which nothing is stored."""
        made: list[SpooledBatch] = []
        for at, texts in enumerate(parts, 1):
            part = SpooledBatch(self, f"{batch.name}-{at}", "ready", is_in_memory=batch.is_in_memory)
            if batch.is_in_memory:
                part.texts = list(texts)
            part.events = len(texts)
            part.size = self._write_lines(part, "ready", [line_of(text) for text in texts])
            made.append(part)
        return made

    def keep(self, batch: SpooledBatch, kind: Literal["refused", "damaged"], lines: Sequence[bytes]) -> int:
        """Writes lines for a person. Returns their bytes."""
        return self._write_lines(batch, kind, lines)

    def keep_file(self, batch: SpooledBatch, kind: Literal["unconfirmed", "damaged"]) -> None:
        """Keeps the whole file for a person."""
        if not batch.is_in_memory:
            os.rename(self.path_of(batch), self.path / f"{batch.name}.{kind}")
            self._sync_folder()

    def remove(self, batch: SpooledBatch) -> None:
        if not batch.is_in_memory:
            self.path_of(batch).unlink(missing_ok=True)

    def remove_if_empty(self) -> None:
        """Deletes the folder if no file is left. One with files for a person stays."""
        try:
            if set(os.listdir(self.path)) <= {_OWNER}:
                (self.path / _OWNER).unlink(missing_ok=True)
                self.path.rmdir()
        except OSError:
            pass

    def _move(self, batch: SpooledBatch, state: State) -> None:
        if not batch.is_in_memory:
            os.rename(self.path_of(batch), self.path / f"{batch.name}.{state}")
            self._sync_folder()
        batch.state = state

    def _write_lines(self, batch: SpooledBatch, ending: str, lines: Sequence[bytes]) -> int:
        data = b"".join(lines)
        if not batch.is_in_memory:
            self._write(f"{batch.name}.{ending}", data)
        return len(data)

    def _write(self, file: str, data: bytes) -> None:
        """After a crash the file is there whole, or not at all."""
        part = self.path / f"{file}.tmp"
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        try:
            write_all(descriptor, data)
            if self._sync != "none":
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(part, self.path / file)
        self._sync_folder()

    def _sync_folder(self) -> None:
        if self._sync != "none":
            sync_path(self.path)


def is_claimable(path: Path) -> bool:
    """Whether a folder has batches that wait to be sent, or nothing, and so can be deleted."""
    files = [file for file in os.listdir(path) if file != _OWNER]
    return files == [] or any(_PENDING.fullmatch(file) for file in files)


def owner_in(path: Path) -> tuple[owners.Owner, float]:
    """Who owns a folder, and when it has touched it. Raises OSError or ValueError if that is not there."""
    owner = owners.read(path / _OWNER)
    return owner, (path / _OWNER).stat().st_mtime


def sync_path(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _has_parent(name: str, names: set[str]) -> bool:
    """Whether a batch that it is a part of is there, too."""
    parts = name.split("-")
    return any("-".join(parts[:at]) in names for at in range(1, len(parts)))
