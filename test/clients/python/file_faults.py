"""Faults of the disk, and the faults that a driver has in its files, from outside of the SDK: they replace
functions of the standard library for the whole process. Called by driver.py.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

_open, _write, _rename, _read_bytes, _stat = os.open, os.write, os.rename, Path.read_bytes, Path.stat


def fill_disk(is_full: bool) -> None:
    """A full disk makes no file, and takes the half of a line."""

    def no_file(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, "no space left")
        return _open(path, flags, *rest, **more)

    def half(file: int, data: bytes) -> int:
        return _write(file, data[: len(data) // 2])

    os.open = no_file if is_full else _open
    os.write = half if is_full else _write  # type: ignore[assignment]


def spoil_files(fault: str | None) -> None:
    if fault == "lines-repaired":
        Path.read_bytes = _repaired  # type: ignore[method-assign]
    if fault == "times-forgotten":
        Path.stat = _timeless  # type: ignore[method-assign]
    if fault == "claim-copies":
        os.rename = _copied  # type: ignore[assignment]


def _repaired(path: Path) -> bytes:
    """Lines with a torn or wrong text, as if they were whole."""
    data = _read_bytes(path)
    if not re.search(r"\.(open|ready|sent)$", path.name):
        return data
    lines = [line for line in data.split(b"\n") if line]
    return b"".join(_whole(line[17:]) for line in lines)


def _whole(text: bytes) -> bytes:
    try:
        json.loads(text)
    except ValueError:
        text = b'{"action":"torn"}'
    return b"%s %s\n" % (hashlib.sha256(text).hexdigest()[:16].encode(), text)


def _timeless(path: Path, **options: Any) -> os.stat_result:
    """The time of a batch is that of the driver's start, so that none is old."""
    found = _stat(path, **options)
    if path.suffix != ".sent":
        return found
    return os.stat_result([*found[:8], 2_000_000_000, found[9]])


def _copied(source: Any, target: Any) -> None:
    if "~" in str(target) and "." not in str(source).rpartition("/")[2]:
        shutil.copytree(source, target)
    else:
        _rename(source, target)
