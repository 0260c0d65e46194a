"""Keeps tracked events in files until they are stored, so that a process that is killed loses none. Given as
`Tracking(spool=Spool(folder))`; called by tracker.py, which sends what is here before what is in memory.

Several processes can have one folder: each owns a folder in it, and claims those of processes that are gone.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from . import spool_files as files
from .batch import Item
from .errors import AnnalsError
from .process_end import forget_at_fork
from .spool_files import Name
from .spooled_batch import SpooledBatch, read_batch

Sync = Literal["batch", "event", "none"]

_MAX_BYTES = 256 * 1024 * 1024
SYNC_S = 0.1
_CLAIM_S = 30.0
#: A folder of a process in another namespace is taken when it was left alone for this time.
_ABANDONED_S = 60.0
_TOUCH_S = 15.0


class Full(Exception):
    """The spool has no space within its bound."""


@dataclass(frozen=True)
class SpoolStats:
    bytes: int
    #: Files that are kept for a person.
    refused: int
    unconfirmed: int
    damaged: int


class Spool:
    """A folder on a local disk. Its events may be personal data: keep it as safe as your database.

    `sync` is when files reach the disk: `batch` when a batch is sealed and every 100 ms, `event` before
    `track()` returns, `none` when the system likes. A killed process loses nothing in any mode.
    """

    def __init__(self, folder: str | os.PathLike[str], *, sync: Sync = "batch", max_bytes: int = _MAX_BYTES):
        self._root = Path(folder)
        self._sync = sync
        self._max_bytes = max_bytes
        #: Set by the client.
        self.key_digest: str | None = None
        self.account: Callable[[], str] | None = None
        self._reset()
        forget_at_fork(self)

    def _reset(self) -> None:
        """A child of a fork has a folder of its own."""
        self._lock = threading.RLock()
        descriptor: int | None = getattr(self, "_open", None)
        if descriptor is not None:
            os.close(descriptor)
        self._open: int | None = None
        self._owner = ""
        self._account: str | None = None
        self._number = 0
        self._bytes = 0
        self._open_events = 0
        self._open_bytes = 0
        self._open_size = 0
        self._open_at = 0.0
        self._is_dirty = False
        self._claim_at = 0.0
        self._touched_at = 0.0
        self._is_released = False
        #: Sealed files, in the order in which they are sent: claimed ones first.
        self._claimed: list[SpooledBatch] = []
        self._own: list[SpooledBatch] = []

    @property
    def bytes(self) -> int:
        return self._bytes

    @property
    def has_open(self) -> bool:
        return self._open_events > 0

    @property
    def open_at(self) -> float:
        """When the first event that is in no batch yet was tracked."""
        return self._open_at

    def has_others(self) -> bool:
        """Whether there is a folder that may be claimed."""
        try:
            with self._lock:
                others = [entry for entry in os.listdir(self._root) if entry != self._owner]
                return others != [] and not self._is_released
        except OSError:
            return False

    def stats(self) -> SpoolStats:
        kept = [path.suffix for path in self._root.glob("*/*")]
        counts = [kept.count(suffix) for suffix in (".refused", ".unconfirmed", ".damaged")]
        return SpoolStats(self._bytes, *counts)

    @property
    def is_half_free(self) -> bool:
        return self._bytes <= self._max_bytes / 2

    def add(self, item: Item) -> bool:
        """Writes an event. Raises Full, or OSError if the disk refuses."""
        line = files.line_of(item.text)
        with self._lock:
            if self._bytes + len(line) > self._max_bytes:
                raise Full
            descriptor = self._opened()
            before = os.lseek(descriptor, 0, os.SEEK_END)
            try:
                files.write_all(descriptor, line)
                if self._sync == "event":
                    os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, before)
                raise
            if self._open_events == 0:
                self._open_at = item.at
            self._open_events += 1
            self._open_bytes += len(item.text)
            self._open_size += len(line)
            self._bytes += len(line)
            self._is_dirty = self._sync == "batch"
            return True

    def is_batch_ready(self, batch_events: int, batch_bytes: int) -> bool:
        return self._open_events >= batch_events or self._open_bytes >= batch_bytes

    def next(self) -> SpooledBatch | None:
        """The first sealed batch. It stays here until it is done."""
        with self._lock:
            batches = self._claimed or self._own
            return batches[0] if batches else None

    def seal(self) -> None:
        """Makes a batch of the open file."""
        with self._lock:
            if self._open is None:
                return
            descriptor, self._open = self._open, None
            if self._sync != "none":
                os.fsync(descriptor)
            os.close(descriptor)
            name, size = Name((self._number,)), self._open_size
            self._own.append(
                SpooledBatch(self, self._own_folder, name, "open", self._open_events, size, True)
            )
            self._own[-1].move("ready")
            self._open_events = self._open_bytes = self._open_size = 0
            self._is_dirty = False

    def sync(self) -> None:
        """Writes the open file to the disk, if it is not there."""
        with self._lock:
            if self._is_dirty and self._open is not None:
                os.fsync(self._open)
            self._is_dirty = False

    @property
    def is_synced(self) -> bool:
        return self._sync != "none"

    def take_over(self) -> int:
        """Claims the folders of processes that are gone, if it is time. Returns how many events they have."""
        now = time.monotonic()
        self._touch(now)
        if now < self._claim_at or not self.has_others():
            return 0
        account = self._known_account()
        self._claim_at = now + _CLAIM_S
        events = 0
        for entry in sorted(os.listdir(self._root)):
            mine = [self._owner, *(batch.folder.name for batch in self._claimed)]
            if entry not in mine and self._is_abandoned(self._root / entry, account):
                events += self._claim(entry)
        return events

    def release(self) -> None:
        """Leaves what is not sent to the next client."""
        with self._lock:
            self._is_released = True
            self.seal()
            folder, self._owner = self._own_folder, ""
            if folder != self._root and folder.exists():
                self._write_owner(folder, is_released=True)
                self._remove_if_done(folder)

    @property
    def _own_folder(self) -> Path:
        return self._root / self._owner

    def _opened(self) -> int:
        if self._owner and not self._own_folder.exists():
            # Another process has claimed the folder of this one, which was paused, and sends what is in it.
            self.seal()
            self._owner = ""
        if self._open is not None:
            return self._open
        if self._owner == "":
            self._owner = f"{time.time_ns() // 1_000_000:013d}-{uuid.uuid4().hex[:12]}"
            self._number = 0
            self._own_folder.mkdir(files.FOLDER_MODE, parents=True)
            self._write_owner(self._own_folder)
        self._number += 1
        path = self._own_folder / f"{Name((self._number,))}.open"
        self._open = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, files.FILE_MODE)
        if self._sync != "none":
            files.sync_folder(self._own_folder)
        return self._open

    def _write_owner(self, folder: Path, is_released: bool = False) -> None:
        owner = files.owner_now(self._account, self.key_digest)
        if is_released:
            # No process has this number, so that another client can claim the folder at once.
            owner["pid"] = 0
        files.write_whole(folder / "owner.json", json.dumps(owner).encode())

    def _touch(self, now: float) -> None:
        """Shows processes of other namespaces that this one lives."""
        if now - self._touched_at < _TOUCH_S:
            return
        self._touched_at = now
        for folder in {self._own_folder if self._owner else None, *(each.folder for each in self._claimed)}:
            if folder is not None and folder.exists():
                os.utime(folder)

    def _known_account(self) -> str | None:
        """The account's id, which only the service knows."""
        if self._account is None and self.account is not None:
            try:
                account = self.account()
            except AnnalsError:
                return None
            with self._lock:
                self._account = account
                if self._owner and self._own_folder.exists():
                    self._write_owner(self._own_folder)
        return self._account

    def _is_abandoned(self, folder: Path, account: str | None) -> bool:
        owner = files.read_owner(folder)
        is_same = account is not None and owner.get("account_id") == account
        # A process that ended before it reached the service knows no account.
        is_same_key = owner.get("account_id") is None and self.key_digest is not None
        if not is_same and not (is_same_key and owner.get("key") == self.key_digest):
            return False
        is_dead = files.is_dead(owner)
        if is_dead is not None:
            return is_dead
        try:
            return time.time() - folder.stat().st_mtime > _ABANDONED_S
        except OSError:
            return False

    def _claim(self, entry: str) -> int:
        """Renames the folder, which only one process can do."""
        with self._lock:
            if self._is_released:
                return 0
            own = self._owner or uuid.uuid4().hex[:12]
            folder = self._root / f"{entry.partition('~')[0]}~{own}"
            try:
                os.rename(self._root / entry, folder)
            except OSError:
                return 0
            self._write_owner(folder)
            batches = [read_batch(self, folder, name, state) for name, state in files.names_in(folder)]
            self._bytes += sum(batch.size for batch in batches)
            self._claimed += batches
            self._remove_if_done(folder)
            return sum(batch.count for batch in batches)

    def finished(self, batch: SpooledBatch, *rest: SpooledBatch) -> None:
        """The batch is not sent any longer. What is left of it comes first."""
        with self._lock:
            self._bytes -= batch.size - sum(each.size for each in rest)
            for batches in (self._claimed, self._own):
                if batch in batches:
                    at = batches.index(batch)
                    batches[at : at + 1] = rest
            self._remove_if_done(batch.folder)

    def _remove_if_done(self, folder: Path) -> None:
        """A folder without batches ends, unless it is this process's, or has what a person has to see."""
        try:
            if folder.name != self._owner and os.listdir(folder) == ["owner.json"]:
                (folder / "owner.json").unlink()
                folder.rmdir()
        except OSError:
            pass


def digest_of_key(key: object) -> str | None:
    """Shows that two processes have one key, which has too much entropy to be guessed from it."""
    if not isinstance(key, str):
        return None
    return hashlib.sha256(b"annals-spool\0" + key.encode()).hexdigest()[:32]
