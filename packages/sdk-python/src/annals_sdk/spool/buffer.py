"""Tracked events in files: each is on the disk before track() returns, and batches are sent from there,
those of earlier processes first. Used by tracker.py. It must never lose an accepted event without naming it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ..batch import Batch, events_of
from ..buffer import Bounds, BufferDeps, TextOf
from ..delivery import Outcome
from ..tracking_options import Drop, DropReason
from .batch import SpooledBatch
from .batch_sender import BatchSender
from .claims import claim
from .folder import Folder
from .lines import line_of
from .own_folder import TOUCH_S, OwnFolder
from .owner import key_digest
from .producer import Number, Producer
from .settings import SpoolClient, SpoolSettings

_CLAIM_S = 30.0
#: After a file could not be read or renamed.
_DISK_RETRY_S = 1.0


class SpoolBuffer:
    keep_s = TOUCH_S

    def __init__(
        self, settings: SpoolSettings, client: SpoolClient, key: str | None, deps: BufferDeps
    ) -> None:
        """`key` is the digest of the API key, if it could be had."""
        self._settings = settings
        self._client = client
        self._deps = deps
        self._lock = deps.done
        self._bounds = Bounds(deps.options)
        self._own = OwnFolder(settings, self._bounds, deps.clock, deps.done, self._lose)
        self._sender = BatchSender(deps.report, self._end)
        self._own.owner["key"] = key
        self._producer: Producer | None = None
        if settings.producer is not None:
            self._producer = Producer(settings.folder, settings.producer, deps.clock.now)
        #: Folders of others, and those that this process has lost with events in memory.
        self._others: list[Folder] = []
        self._claim_at = 0.0
        self._is_claimed = False
        self._is_left = False
        self._kept_at = 0.0
        self._bytes = 0
        self.events = 0
        self.settled = 0

    @property
    def is_flushed(self) -> bool:
        return self._is_claimed and not self._others

    @property
    def is_due(self) -> bool:
        batch = self._own.open
        return batch is not None and (batch.events == 1 or self._is_full(batch))

    def add(self, text_of: TextOf, now: float) -> DropReason | None:
        number = self._next_number()
        try:
            text = text_of(number)
        except Exception:
            return "unserializable"
        size = len(line_of(text))
        if self._bytes + size > self._settings.max_bytes or not self._own.append(text, now):
            return "full"
        self._accept(number)
        self.events += 1
        self._bytes += size
        return None

    def next(self, is_hurried: bool, now: float) -> Batch | float | None:
        folders = [*self._others, self._own.folder]
        batch = next((folder.batches[0] for folder in folders if folder.batches), None)
        if batch is not None and batch is self._own.open:
            left = self._bounds.wait_of(batch.opened_at, now)
            if left > 0 and not is_hurried and not self._is_full(batch):
                return left
        if batch is not None and batch.state == "open":
            self._own.end(batch)
        return batch

    def send(self, batch: Batch, deliver: Callable[[Batch], Outcome]) -> None:
        assert isinstance(batch, SpooledBatch)
        try:
            if self._sender.send(batch, deliver) and self._own.owner["account"] is None:
                self._learn_account(self._deps.once(self._client.account))
        except OSError as error:
            self._failed(batch, error)
        folder = batch.folder
        with self._lock:
            if folder.batches or (folder is self._own.folder and not self._is_left):
                return
            self._others = [other for other in self._others if other is not folder]
            self._deps.clock.wake(self._lock)
        folder.remove_if_empty()

    def keep(self) -> None:
        now = self._deps.clock.now()
        with self._lock:
            if self._is_left or now - self._kept_at < TOUCH_S:
                return
            self._kept_at = now
            try:
                if self._producer is not None:
                    self._producer.touch()
                if self.events > 0:
                    self._own.touch()
                for folder in self._others:
                    if folder.exists:
                        folder.touch(now)
            except OSError as error:
                self._settings.problem(error)

    def take_over(self) -> None:
        """Claims what processes that are gone have left."""
        self.keep()
        if self._is_left or time.monotonic() < self._claim_at:
            return
        self._claim_at = time.monotonic() + _CLAIM_S
        claimed: list[Folder] = []
        try:
            claimed = self._claim()
        except OSError as error:
            self._settings.problem(error)
        with self._lock:
            self._others = sorted([*self._others, *claimed], key=lambda folder: folder.owner)
            batches = [batch for folder in claimed for batch in folder.batches]
            self.events += sum(batch.events for batch in batches)
            self._bytes += sum(batch.size for batch in batches)
            self._is_claimed = True
            if self._is_left:
                self._leave_files()
            self._deps.clock.wake(self._lock)

    def ready(self, timeout: float | None) -> bool:
        with self._lock:
            return self._lock.wait_for(lambda: self._bytes <= self._settings.max_bytes / 2, timeout)

    def dropped(self, events: int) -> None:
        try:
            if self._producer is not None:
                self._producer.drop(events)
        except OSError as error:
            self._settings.problem(error)

    def leave(self) -> list[Drop]:
        """Leaves the files to the next process, which need not wait until this one is gone."""
        self._is_left = True
        in_memory = [
            batch
            for folder in self._folders
            for batch in folder.batches
            if batch.is_in_memory and batch.events
        ]
        self._leave_files()
        try:
            if self._producer is not None:
                self._producer.close()
        except OSError as error:
            self._settings.problem(error)
        return [
            Drop("unconfirmed" if batch.is_unknown else "closed", events_of(batch.texts), batch.error)
            for batch in in_memory
        ]

    def forget(self) -> None:
        self._own.close()
        if self._producer is not None:
            self._producer.forget()

    @property
    def _folders(self) -> list[Folder]:
        return [*self._others, self._own.folder]

    def _is_full(self, batch: SpooledBatch) -> bool:
        return self._bounds.is_full(batch.events, batch.size)

    def _next_number(self) -> Number | None:
        """None without a producer, and if the disk cannot keep its numbers."""
        try:
            return None if self._producer is None else self._producer.next()
        except OSError as error:
            self._settings.problem(error)
            return None

    def _accept(self, number: Number | None) -> None:
        try:
            if self._producer is not None and number is not None:
                self._producer.accept(number)
        except OSError as error:
            self._settings.problem(error)

    def _claim(self) -> list[Folder]:
        own = self._own
        if own.owner["key"] is None:
            key = self._deps.repeat(self._client.api_key)
            with self._lock:
                if key is not None:
                    own.set_owner(key=key_digest(key))
        return claim(self._settings, own.name, own.owner, self._deps.clock.now(), self._account)

    def _account(self) -> str | None:
        if self._own.owner["account"] is None:
            self._learn_account(self._deps.repeat(self._client.account))
        account: str | None = self._own.owner["account"]
        return account

    def _learn_account(self, account: str | None) -> None:
        """So that the next process may claim the folder though its key is another."""
        with self._lock:
            if account is not None:
                self._own.set_owner(account=account)

    def _end(self, batch: SpooledBatch, parts: Sequence[SpooledBatch] = (), kept: int = 0) -> None:
        """Its events are settled, but for those of the batches that take its place."""
        with self._lock:
            batches = batch.folder.batches
            self._bytes += kept
            if batch not in batches:
                return
            at = batches.index(batch)
            batches[at : at + 1] = parts
            events = batch.events - sum(part.events for part in parts)
            self.events -= events
            self.settled += events if batch.folder.is_own else 0
            self._bytes -= batch.size - sum(part.size for part in parts)
            self._deps.clock.wake(self._lock)

    def _failed(self, batch: SpooledBatch, error: OSError) -> None:
        if not batch.folder.exists and not batch.is_in_memory:
            return self._lose(batch.folder)
        self._settings.problem(error)
        if isinstance(error, FileNotFoundError):
            # Somebody has deleted the file.
            self._end(batch)
        else:
            self._deps.pause(_DISK_RETRY_S)

    def _lose(self, folder: Folder) -> None:
        """Another process has claimed it, and sends what is in it. What is in memory stays here."""
        with self._lock:
            for batch in list(folder.batches):
                if not batch.is_in_memory:
                    self._end(batch)
            self._others = [other for other in self._others if other is not folder]
            if folder.batches and folder is not self._own.folder:
                self._others.append(folder)

    def _leave_files(self) -> None:
        for folder in self._folders:
            is_done = True
            for batch in list(folder.batches):
                is_done = is_done and batch.is_in_memory
                self._seal(batch)
                self._end(batch)
            try:
                if not is_done and folder.exists:
                    folder.touch(0)
            except OSError as error:
                self._settings.problem(error)
            if is_done:
                folder.remove_if_empty()
        self._others = []

    def _seal(self, batch: SpooledBatch) -> None:
        if batch.state != "open":
            return
        self._own.end(batch)
        try:
            batch.folder.seal(batch)
        except OSError as error:
            self._settings.problem(error)
