"""A batch whose events are in a file of a folder, or in memory if the disk did not take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..batch import Batch

if TYPE_CHECKING:
    from .folder import Folder

State = Literal["open", "ready", "sent"]


class SpooledBatch(Batch):
    is_patient = True

    def __init__(self, folder: Folder, name: str, state: State, *, is_in_memory: bool = False) -> None:
        super().__init__(f"{folder.owner}-{name}", [])
        self.folder = folder
        #: `0000000007`, or `0000000007-1` after a refusal.
        self.name = name
        self.state: State = state
        self.is_in_memory = is_in_memory
        self.events = 0
        self.size = 0
        #: When its first event was tracked.
        self.opened_at = 0.0

    def count(self, size: int, now: float) -> None:
        """Counts an event that was added to it."""
        if self.events == 0:
            self.opened_at = now
        self.events += 1
        self.size += size

    def begin(self, now: float) -> None:
        if self.unknown_since is None:
            self.folder.mark_sent(self, now)

    def refused(self) -> None:
        self.folder.mark_unsent(self)
