"""The numbers of a producer: one more for each accepted event, kept in a file of the spool's folder over
restarts. Called by buffer.py with the lock. It must never give one number to two events, and leave out none.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .folder import FILE_MODE, FOLDER_MODE
from .owner import is_gone, read, text_of, this_process

#: `context.producer` of an event.
Number = dict[str, Any]

#: Bytes of the file, which is written in one piece.
_SIZE = 512
_FILE = re.compile(r"(.+)-([0-9a-f]{12})(?:~[0-9a-f]{12})?\.producer")


class Producer:
    def __init__(self, root: Path, name: str, now: Callable[[], float]) -> None:
        self._root = root
        self._name = name
        self._now = now
        self._process = this_process()
        self._path = root
        self._file: int | None = None
        self._id = ""
        self._n = 0
        self._dropped = 0
        #: The last number of the process before, until an event has said it.
        self._after: int | None = None

    def next(self) -> Number:
        """What the next event has, if it is accepted."""
        if self._file is None or not self._path.exists():
            self._open()
        number: Number = {"id": self._id, "n": self._n + 1, "dropped": self._dropped}
        if self._after is None:
            return number
        # A process that was killed may have given one number more than it has noted.
        return {**number, "n": self._n + 2, "after": self._after}

    def accept(self, number: Number) -> None:
        self._n = number["n"]
        self._after = None
        self._write()

    def drop(self, events: int) -> None:
        self._dropped += events
        if self._file is not None:
            self._write()

    def touch(self, now: float | None = None) -> None:
        """Tells other processes that this one lives, or with the time 0 that they may continue."""
        if self._file is not None:
            at = self._now() if now is None else now
            os.utime(self._file, (at, at))

    def close(self) -> None:
        self.touch(0)
        self.forget()

    def forget(self) -> None:
        if self._file is not None:
            os.close(self._file)
        self._file = None

    def _open(self) -> None:
        """Continues the numbers of a process that is gone, or begins new ones."""
        self.forget()
        os.makedirs(self._root, FOLDER_MODE, exist_ok=True)
        own = secrets.token_hex(6)
        if any(self._claim(file, own) for file in os.listdir(self._root)):
            self._file = os.open(self._path, os.O_RDWR)
        else:
            self._id = f"{self._name}-{own}"
            self._n = 0
            self._after = None
            self._path = self._root / f"{self._id}.producer"
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE)
        self._write()

    def _claim(self, file: str, own: str) -> bool:
        """Whether the file has numbers of this name that are now this process's: the rename decides."""
        match = _FILE.fullmatch(file)
        if match is None or match[1] != self._name:
            return False
        path = self._root / file
        to = self._root / f"{match[1]}-{match[2]}~{own}.producer"
        try:
            state = read(path)
            if not is_gone(state, path.stat().st_mtime, self._now()):
                return False
            os.rename(path, to)
        except (OSError, ValueError):
            # Another process was faster, or it is being made.
            return False
        self._path = to
        self._id = f"{match[1]}-{match[2]}"
        self._n = self._after = state["n"]
        self._dropped += state["dropped"]
        return True

    def _write(self) -> None:
        state = text_of({"n": self._n, "dropped": self._dropped, **self._process})
        assert self._file is not None
        os.pwrite(self._file, state.ljust(_SIZE - 1) + b"\n", 0)
        self.touch()
