"""Policies of the log of evidence (c2sp.org/tlog-policy): which logs are accepted, and which witnesses make a
quorum. Called by checkpoint.py.

The caller of a verifier writes one. What a service says must never replace it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .note import LOG_KEY, Key, is_key_name, make_key, read_key, whole_number

_MAX_BYTES = 256 << 10
#: Logs, witnesses and groups, each.
_MAX_ENTRIES = 32
_NONE = "none"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Witness:
    #: The name within the policy, which is not that of the key.
    name: str
    key: Key


@dataclass(frozen=True)
class _Group:
    """Has seen a checkpoint once as many members have as the threshold says. They stand before it."""

    name: str
    threshold: int
    members: list[str]


class LogPolicy:
    """Raises ValueError for a text that is none, which names the line."""

    def __init__(self, text: str) -> None:
        self.logs: list[Key] = []
        self.witnesses: list[Witness] = []
        self._groups: list[_Group] = []
        self._quorum: str | None = None
        self._names = {_NONE}
        self._members: set[str] = set()
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            size = _MAX_BYTES + 1
        if size > _MAX_BYTES or _CONTROL.search(text):
            raise ValueError("it is too long, or has control characters")
        for number, line in enumerate(text.split("\n"), 1):
            items = [item for item in re.split("[ \t]+", line) if item]
            if items and not items[0].startswith("#"):
                try:
                    self._read(items[0], items[1:])
                except ValueError as mistake:
                    raise ValueError(f"line {number}: {mistake}") from None
        if self._quorum is None:
            raise ValueError("it has no quorum line")

    def log_keys(self, account: str | None) -> list[Key]:
        """Those of the head log, or of an account: a log signs the checkpoints of its accounts with its own
        key, under their names.
        """
        if account is None:
            return self.logs
        named = [(f"{key.name}/{account}", key) for key in self.logs]
        return [make_key(name, key.kind, key.public) for name, key in named if is_key_name(name)]

    def is_quorum(self, signed: Iterable[str]) -> bool:
        """Whether these witnesses make one."""
        met = {_NONE, *signed}
        # Members stand before their group, so one pass suffices.
        for group in self._groups:
            if sum(member in met for member in group.members) >= group.threshold:
                met.add(group.name)
        return self._quorum in met

    def _read(self, keyword: str, items: list[str]) -> None:
        match keyword, items:
            case ("log", [vkey] | [vkey, _]):
                self._add_log(read_key(vkey))
            case ("witness", [name, vkey] | [name, vkey, _]):
                self._add_witness(name, read_key(vkey))
            case ("group", [name, least, *members]) if members:
                self._add_group(name, least, members)
            case ("quorum", [name]):
                self._set_quorum(name)
            case _:
                raise ValueError(_USAGE.get(keyword, "a line begins with log, witness, group or quorum"))

    def _add_log(self, key: Key) -> None:
        if key.kind != LOG_KEY:
            raise ValueError("the key is not that of a log")
        _expect_new(key, self.logs)
        self.logs.append(key)

    def _add_witness(self, name: str, key: Key) -> None:
        if key.kind == LOG_KEY:
            raise ValueError("the key is not that of a witness")
        _expect_new(key, [witness.key for witness in self.witnesses])
        self._define(name)
        self.witnesses.append(Witness(name, key))

    def _add_group(self, name: str, least: str, members: list[str]) -> None:
        if len(self._groups) == _MAX_ENTRIES:
            raise ValueError(_TOO_MANY)
        for member in members:
            self._expect_defined(member)
            # A name is a member once in the whole policy, so that a witness counts in one way only.
            if member in self._members:
                raise ValueError("a name is a member twice")
            self._members.add(member)
        try:
            threshold = {"all": len(members), "any": 1}.get(least) or whole_number(least)
        except ValueError:
            threshold = 0
        if not 1 <= threshold <= len(members):
            raise ValueError(f"the threshold is all, any, or a number from 1 to {len(members)}")
        self._define(name)
        self._groups.append(_Group(name, threshold, members))

    def _set_quorum(self, name: str) -> None:
        if self._quorum is not None:
            raise ValueError("there is a second quorum")
        if name != _NONE:
            self._expect_defined(name)
        self._quorum = name

    def _define(self, name: str) -> None:
        if name in self._names:
            raise ValueError("the name is defined already")
        self._names.add(name)

    def _expect_defined(self, name: str) -> None:
        if name == _NONE or name not in self._names:
            raise ValueError("the name is not defined on a line before")


_USAGE = {
    "log": "log <vkey> [<url>]",
    "witness": "witness <name> <vkey> [<url>]",
    "group": "group <name> <all, any or a number> <name>...",
    "quorum": "quorum <name>",
}
_TOO_MANY = f"a policy has at most {_MAX_ENTRIES} logs, witnesses and groups each"


def _expect_new(key: Key, keys: list[Key]) -> None:
    if len(keys) == _MAX_ENTRIES:
        raise ValueError(_TOO_MANY)
    # Also under another name.
    if any(key.public == other.public for other in keys):
        raise ValueError("the public key appears twice")
