"""Takes over the folders of owners that are gone, of the same account alone. Called by buffer.py. It must
never send from a folder that another process has claimed: the rename decides.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .folder import Folder, is_claimable, owner_in
from .owner import Owner, is_gone
from .settings import SpoolSettings

_NAME = r"\d{8}T\d{9}Z-[0-9a-f]{12}"
_FOLDER = re.compile(f"({_NAME})(?:~({_NAME}))?")

#: A folder without an owner that is older has none.
_OLD_S = 60.0


def claim(
    settings: SpoolSettings, name: str, owner: Owner, now: float, account: Callable[[], str | None]
) -> list[Folder]:
    """The claimed folders, the oldest first. What fails for one is reported, and stops no other.

    `name` and `owner` are the claimant's.
    """
    claimed: list[Folder] = []
    root = settings.folder
    for entry in _entries(root):
        match = _FOLDER.fullmatch(entry)
        if match is None or (match[2] or match[1]) == name:
            continue
        its = _owner_if_gone(root / entry, now)
        if its is None or not _is_ours(its, owner, account):
            continue
        folder = Folder(root, f"{match[1]}~{name}", settings.sync)
        try:
            os.rename(root / entry, folder.path)
        except FileNotFoundError:
            # Another process was faster.
            continue
        except OSError as error:
            settings.problem(error)
            continue
        try:
            folder.write_owner({**owner, "account": its.get("account") or owner["account"]}, now)
        except OSError as error:
            # The disk is full. If another process claims the folder, it sends the same under the same keys.
            settings.problem(error)
        try:
            folder.load()
        except OSError as error:
            settings.problem(error)
            with suppress(OSError):
                # It is nobody's again, and claimed when the disk works.
                folder.touch(0)
                os.rename(folder.path, root / entry)
            continue
        if folder.batches:
            claimed.append(folder)
        else:
            folder.remove_if_empty()
    return claimed


def _entries(root: Path) -> list[str]:
    try:
        return sorted(os.listdir(root))
    except FileNotFoundError:
        # Nobody has tracked anything here yet.
        return []


def _owner_if_gone(path: Path, now: float) -> Owner | None:
    """Whose folder it is, if that process is gone and has left more than files for a person."""
    try:
        owner, touched = owner_in(path)
    except (OSError, ValueError):
        _remove_if_old(path, now)
        return None
    try:
        return owner if is_gone(owner, touched, now) and is_claimable(path) else None
    except OSError:
        return None


def _remove_if_old(path: Path, now: float) -> None:
    """A process was killed while it deleted an empty folder. One that is new may be somebody's."""
    try:
        if now - path.stat().st_mtime > _OLD_S:
            path.rmdir()
    except OSError:
        pass


def _is_ours(its: Owner, ours: Owner, account: Callable[[], str | None]) -> bool:
    """Without a known account, only the API key says whose events they are."""
    if its.get("key") is not None and its["key"] == ours["key"]:
        return True
    return its.get("account") is not None and its["account"] == account()
