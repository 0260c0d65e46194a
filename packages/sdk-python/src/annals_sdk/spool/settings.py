"""The settings of a spool, and what it needs of its client."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..tracking_options import LOGGER, tell

#: When files are flushed to the disk. `batch`: every 100 ms, and when they are complete. `event`: before
#: `track()` returns. `none`: when the system likes. In each mode a killed process loses nothing.
Sync = Literal["batch", "event", "none"]

_PRODUCER = re.compile(r"[A-Za-z0-9_.-]{1,100}")


@dataclass(frozen=True)
class SpoolSettings:
    folder: Path
    sync: Sync
    max_bytes: int
    producer: str | None
    on_problem: Callable[[Exception], None] | None

    def __post_init__(self) -> None:
        if self.producer is not None and not _PRODUCER.fullmatch(self.producer):
            raise ValueError("producer must have letters, digits, `.`, `_` and `-`")

    def problem(self, error: Exception) -> None:
        if self.on_problem is None:
            LOGGER.warning("the spool in %s has a problem: %s", self.folder, error)
        else:
            tell(self.on_problem, error)


@dataclass(frozen=True)
class SpoolClient:
    #: The API key of the next attempt. Raises AnnalsError if it cannot be had.
    api_key: Callable[[], str]
    #: The id of the account of the API key, in one attempt.
    account: Callable[[], str]
