"""Sends one batch of a folder, and does with its file what the outcome asks for. Called by buffer.py. It must
never delete a file before what is left of it is on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..batch import Batch, events_of, parts_of
from ..delivery import Outcome
from ..tracking_options import Drop
from .batch import SpooledBatch
from .lines import Lines, line_of


class _End(Protocol):
    def __call__(self, batch: SpooledBatch, parts: Sequence[SpooledBatch] = (), kept: int = 0) -> None: ...


class BatchSender:
    """`end` settles a batch: what takes its place, and the bytes that are kept of it for a person."""

    def __init__(self, report: Callable[[Drop], None], end: _End) -> None:
        self._report = report
        self._end = end

    def send(self, batch: SpooledBatch, deliver: Callable[[Batch], Outcome]) -> bool:
        """Whether the service has stored it."""
        folder = batch.folder
        if batch.state == "open":
            folder.seal(batch)
        lines = folder.read(batch)
        if lines.damaged:
            self._set_damaged_aside(batch, lines)
            return False
        batch.texts = lines.texts
        outcome = deliver(batch) if lines.texts else Outcome("stored")
        if outcome.kind == "refused":
            self._keep_refused(batch, outcome)
        elif outcome.kind == "unconfirmed":
            folder.keep_file(batch, "unconfirmed")
            self._report(Drop("unconfirmed", events_of(batch.texts), outcome.error))
            self._end(batch, kept=batch.size)
        elif outcome.kind == "stored":
            folder.remove(batch)
            self._end(batch)
        return outcome.kind == "stored"

    def _keep_refused(self, batch: SpooledBatch, outcome: Outcome) -> None:
        """Nothing of a refused batch is stored. Keeps the events at fault, and sends the others next."""
        folder = batch.folder
        refused, rest = parts_of(batch.texts, outcome.faulty)
        kept = folder.keep(batch, "refused", [line_of(text) for text in refused]) if refused else 0
        parts = folder.write_parts(batch, rest)
        folder.remove(batch)
        if refused:
            self._report(Drop("refused", events_of(refused), outcome.error))
        self._end(batch, parts, kept)

    def _set_damaged_aside(self, batch: SpooledBatch, lines: Lines) -> None:
        """A batch that may be stored cannot be repeated as it was, and another key could store it twice."""
        folder = batch.folder
        error = ValueError(f"{batch.key} has {len(lines.damaged)} damaged lines")
        if batch.unknown_since is not None:
            folder.keep_file(batch, "damaged")
            self._report(Drop("damaged", events_of(lines.texts), error))
            return self._end(batch, kept=batch.size)
        kept = folder.keep(batch, "damaged", lines.damaged)
        parts = folder.write_parts(batch, [lines.texts] if lines.texts else [])
        folder.remove(batch)
        self._report(Drop("damaged", [], error))
        self._end(batch, parts, kept)
