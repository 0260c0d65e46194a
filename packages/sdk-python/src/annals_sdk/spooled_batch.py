"""A sealed file of a spool as a batch, whose name tells on the disk what is known of its attempts. Made by
spool.py.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from . import spool_files as files
from .batch import Batch, Begun, Item
from .errors import AnnalsError
from .spool_files import Name
from .tracking_options import LOGGER

if TYPE_CHECKING:
    from .spool import Spool


class SpooledBatch(Batch):
    """A sealed file. Its events are read when it is sent."""

    is_spooled = True

    def __init__(
        self,
        spool: Spool,
        folder: Path,
        name: Name,
        state: files.State,
        count: int,
        size: int,
        is_own: bool,
    ) -> None:
        super().__init__([])
        self._spool = spool
        self.folder = folder
        self._name = name
        self._state: str = state
        self.is_own = is_own
        self.key = f"{folder.name.partition('~')[0]}-{name}"
        self.count = count
        self.size = size

    @property
    def path(self) -> Path:
        return self.folder / f"{self._name}.{self._state}"

    def move(self, state: str) -> None:
        """Another process may have claimed the folder while this one was paused, and sends the batch."""
        before = self.path
        self._state = state
        with suppress(FileNotFoundError):
            os.rename(before, self.path)
            if self._spool.is_synced:
                files.sync_folder(self.folder)

    def begin(self, now: float) -> Begun:
        if not self.path.exists():
            self._spool.finished(self)
            return "gone"
        if not self.items:
            events, damaged = files.read_lines(self.path)
            if damaged or not events:
                self._repair(events, damaged)
                return "replaced"
            self.items = [Item(text, now) for text in events]
        if self._state != "sent":
            self.move("sent")
            with suppress(FileNotFoundError):
                os.utime(self.path, (now, now))
        return "begun"

    def failed(self, error: AnnalsError, began: float) -> None:
        super().failed(error, began)
        if self.unknown_since is None:
            # Nothing was stored, so that it has all of its time again after a restart.
            self.move("ready")

    def done(self) -> None:
        self.path.unlink(missing_ok=True)
        self._spool.finished(self)

    def dropped(self, reason: str) -> None:
        """Kept for a person, and not sent again."""
        self.move(reason)
        self._spool.finished(self)

    def parted(self, error: AnnalsError) -> tuple[list[Item], list[Batch]]:
        refused, rest = super().parted(error)
        children = [self._child(at, batch.items) for at, batch in enumerate(rest, 1)]
        if refused:
            text = b"".join(files.line_of(item.text) for item in refused)
            files.write_whole(self.folder / f"{self._name}.refused", text)
        self._replace(children)
        return refused, []

    def _child(self, number: int, items: list[Item]) -> SpooledBatch:
        name = self._name.child(number)
        text = b"".join(files.line_of(item.text) for item in items)
        files.write_whole(self.folder / f"{name}.ready", text)
        return SpooledBatch(self._spool, self.folder, name, "ready", len(items), len(text), self.is_own)

    def _repair(self, events: list[bytes], damaged: list[bytes]) -> None:
        if damaged:
            LOGGER.error("%d lines of %s are damaged, and kept in it", len(damaged), self.path)
            text = b"".join(b"%s\n" % each for each in damaged)
            files.write_whole(self.folder / f"{self._name}.damaged", text)
        self._replace([self._child(1, [Item(text, 0.0) for text in events])] if events else [])

    def _replace(self, children: list[SpooledBatch]) -> None:
        self.path.unlink(missing_ok=True)
        self._spool.finished(self, *children)


def read_batch(spool: Spool, folder: Path, name: Name, state: files.State) -> SpooledBatch:
    """A batch of a process that is gone."""
    path = folder / f"{name}.{state}"
    count = len(files.read_lines(path)[0])
    batch = SpooledBatch(spool, folder, name, state, count, path.stat().st_size, False)
    if state == "sent":
        # That process began the attempt, and did not see its end.
        batch.unknown_since = path.stat().st_mtime
    return batch
