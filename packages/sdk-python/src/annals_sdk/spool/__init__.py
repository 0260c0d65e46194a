"""Events wait in files, which the next process sends if this one is killed. Given as
`Tracking(spool=Spool(folder))`. docs/spool-format.md describes the files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..buffer import BufferDeps
from ..errors import AnnalsError
from .buffer import SpoolBuffer
from .owner import key_digest
from .settings import SpoolClient, SpoolSettings, Sync

__all__ = ["Spool", "SpoolClient", "SpoolStats", "Sync"]

_MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class SpoolStats:
    """Files of the whole folder that wait for a person, by kind, and events of this client that wait."""

    refused: int
    unconfirmed: int
    damaged: int
    waiting: int


class Spool:
    """A folder on a local disk. Its events may be personal data: keep it as safe as your database.

    Processes may share it. `max_bytes` is its bound: an event beyond it is dropped as `full`. `producer` is a
    name: it numbers the accepted events in `context.producer`, so that `annals-verify --producers` finds
    missing ones. `on_problem` is called when the disk fails; by default that is logged as a warning.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        sync: Sync = "batch",
        max_bytes: int = _MAX_BYTES,
        producer: str | None = None,
        on_problem: Callable[[Exception], None] | None = None,
    ) -> None:
        self._settings = SpoolSettings(Path(folder), sync, max_bytes, producer, on_problem)
        self._client: SpoolClient | None = None
        self._key: str | None = None
        self._buffer: SpoolBuffer | None = None

    def bind(self, client: SpoolClient) -> None:
        """Called once, by the client."""
        if self._client is not None:
            raise TypeError("a spool is for one client")
        self._client = client
        # A process that is killed at once has left its key, so that the next one may claim its folder.
        with suppress(AnnalsError):
            self._key = key_digest(client.api_key())

    def buffer(self, deps: BufferDeps) -> SpoolBuffer:
        """Called by the client, and again in a child of a fork."""
        assert self._client is not None
        self._buffer = SpoolBuffer(self._settings, self._client, self._key, deps)
        return self._buffer

    def stats(self) -> SpoolStats:
        try:
            endings = [path.suffix for path in self._settings.folder.glob("*/*")]
        except FileNotFoundError:
            # A folder was deleted meanwhile.
            return self.stats()
        refused, unconfirmed, damaged = map(endings.count, (".refused", ".unconfirmed", ".damaged"))
        return SpoolStats(refused, unconfirmed, damaged, self._buffer.events if self._buffer else 0)
