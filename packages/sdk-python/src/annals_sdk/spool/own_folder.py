"""The folder of this process: appends events to it, or to memory if the disk does not take them, and makes
another when the folder was claimed. Called by buffer.py with the lock. It must never return True for an
event of which less than a whole line was written.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable

from ..buffer import Bounds
from ..clock import Clock
from .batch import SpooledBatch
from .folder import FILE_MODE, Folder, sync_path
from .lines import line_of
from .owner import Owner, owner_name, this_process
from .settings import SpoolSettings

TOUCH_S = 20.0
_SYNC_S = 0.1

#: Bound of what waits in memory because the disk does not take it.
_MEMORY_BYTES = 32 * 1024 * 1024

_sync_data = getattr(os, "fdatasync", os.fsync)


class OwnFolder:
    def __init__(
        self,
        settings: SpoolSettings,
        bounds: Bounds,
        clock: Clock,
        lock: threading.Condition,
        on_lost: Callable[[Folder], None],
    ) -> None:
        """`on_lost` is called with a folder that another process has claimed."""
        self._settings = settings
        self._bounds = bounds
        self._clock = clock
        self._lock = lock
        self._on_lost = on_lost
        self.owner: Owner = {"account": None, "key": None, **this_process()}
        self.folder = self._named()
        self._is_made = False
        self._number = 0
        #: What is being written.
        self._batch: SpooledBatch | None = None
        self._file: int | None = None
        #: With lines that are not flushed. One that is complete may wait for hours until it is sealed.
        self._unflushed: set[SpooledBatch] = set()
        self._is_flush_due = False
        self._touched = 0.0
        self._is_refused = False

    @property
    def name(self) -> str:
        return self.folder.owner

    @property
    def open(self) -> SpooledBatch | None:
        """The batch that takes the next event, if there is one."""
        last = self.folder.batches[-1] if self.folder.batches else None
        return last if last is not None and last.state == "open" else None

    def append(self, text: bytes, now: float) -> bool:
        """On the disk if it takes it, and else in memory. False if neither has space."""
        line = line_of(text)
        try:
            self._append_to_disk(line, now)
        except OSError as error:
            if not self._is_refused:
                self._settings.problem(error)
            self._is_refused = True
            return self._append_to_memory(text, len(line), now)
        self._is_refused = False
        return True

    def end(self, batch: SpooledBatch) -> None:
        """The next event begins another batch."""
        if batch is self._batch:
            self._end()
        if batch.is_in_memory:
            batch.state = "ready"

    def touch(self) -> None:
        """Tells other processes that this one lives."""
        self._touched = self._clock.now()
        if self._is_made and self.folder.exists:
            self.folder.touch(self._touched)

    def touch_if_due(self) -> None:
        if self._clock.now() - self._touched >= TOUCH_S:
            self.touch()

    def set_owner(self, **known: str) -> None:
        self.owner = {**self.owner, **known}
        if self._is_made and self.folder.exists:
            try:
                self.folder.write_owner(self.owner, self._clock.now())
            except OSError as error:
                # A full disk keeps nobody from claiming and sending.
                self._settings.problem(error)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _append_to_disk(self, line: bytes, now: float) -> None:
        self.touch_if_due()
        while True:
            if not self._is_made or not self.folder.exists:
                self._make()
            if self._batch is not None and self._bounds.is_full(self._batch.events, self._batch.size):
                self._end()
            try:
                self._write(line, now)
            except OSError:
                if self.folder.exists:
                    raise
            # Who claims a folder renames it first, and so reads a line whose folder is here after its write.
            if self.folder.exists:
                return

    def _write(self, line: bytes, now: float) -> None:
        if self._batch is None:
            self._create()
        batch, file = self._batch, self._file
        assert batch is not None and file is not None
        try:
            if os.write(file, line) < len(line):
                raise OSError(errno.ENOSPC, "the disk did not take a whole line")
            if self._settings.sync == "event":
                _sync_data(file)
        except OSError:
            # What was written of the line must not stay in front of others.
            try:
                os.ftruncate(file, batch.size)
            finally:
                self._end()
            raise
        batch.count(len(line), now)
        if self._settings.sync == "batch":
            self._flush_soon(batch)

    def _create(self) -> None:
        batch = SpooledBatch(self.folder, self._next_name(), "open")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._file = os.open(self.folder.path_of(batch), flags, FILE_MODE)
        self._batch = batch
        self.folder.batches.append(batch)
        if self._settings.sync == "event":
            sync_path(self.folder.path)

    def _append_to_memory(self, text: bytes, size: int, now: float) -> bool:
        batches = self.folder.batches
        in_memory = sum(batch.size for batch in batches if batch.is_in_memory)
        if in_memory + size > _MEMORY_BYTES:
            return False
        batch = self.open
        if batch is None or not batch.is_in_memory or self._bounds.is_full(batch.events, batch.size):
            batch = SpooledBatch(self.folder, self._next_name(), "open", is_in_memory=True)
            batches.append(batch)
        batch.texts.append(text)
        batch.count(size, now)
        return True

    def _next_name(self) -> str:
        """A batch in memory has its number, too."""
        self._number += 1
        return f"{self._number:010d}"

    def _end(self) -> None:
        self.close()
        self._batch = None

    def _make(self) -> None:
        if self._is_made:
            before, self.folder = self.folder, self._named()
            self._end()
            self._number = 0
            self._is_made = False
            self._on_lost(before)
        self._touched = self._clock.now()
        self.folder.make(self.owner, self._touched)
        self._is_made = True

    def _named(self) -> Folder:
        name = owner_name(self._clock.now())
        return Folder(self._settings.folder, name, self._settings.sync, is_own=True)

    def _flush_soon(self, batch: SpooledBatch) -> None:
        self._unflushed.add(batch)
        if self._is_flush_due:
            return
        timer = threading.Timer(_SYNC_S, self._flush)
        timer.daemon = True
        try:
            timer.start()
            self._is_flush_due = True
        except RuntimeError:
            # No thread can start here.
            self._flush()

    def _flush(self) -> None:
        """The files and their names. Without the lock while the disk works, unless the caller has it."""
        with self._lock:
            self._is_flush_due = False
            unsealed = [batch for batch in self._unflushed if batch.state == "open"]
            self._unflushed.clear()
            paths = [batch.folder.path_of(batch) for batch in unsealed]
            folders = {batch.folder.path for batch in unsealed}
        for path in [*paths, *folders]:
            try:
                sync_path(path)
            except FileNotFoundError:
                # It was sealed, which flushes it, or another process has claimed the folder.
                pass
            except OSError as error:
                self._settings.problem(error)
