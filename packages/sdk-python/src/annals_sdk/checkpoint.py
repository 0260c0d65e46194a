"""Verifies a checkpoint of the log of evidence offline, by what its caller trusts. Called by those who keep
checkpoints.

It must never trust a key that came with the checkpoint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from .ed25519 import is_signed
from .log_policy import LogPolicy, Witness
from .note import (
    MAX_NUMBER,
    MLDSA_KEY,
    SPACES,
    Key,
    Note,
    is_key_name,
    parse_note,
    strict_base64,
    whole_number,
)

_TIME_BYTES = 8
#: The last time in seconds that all SDKs accept: dates of JavaScript end there.
_LAST_TIME = 8_640_000_000_000
_ROOT_BYTES = 32
_TEXT = re.compile("([^\n]+)\n([^\n]+)\n([^\n]+)\n")


class CheckpointError(Exception):
    """Why a checkpoint is not accepted."""

    def __init__(
        self,
        reason: Literal["malformed", "signature_missing", "signature_invalid", "quorum_missing"],
        message: str,
    ) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Cosignature:
    #: Its name within the policy.
    witness: str
    #: When it signed, in seconds since 1970.
    time: int


@dataclass(frozen=True)
class VerifiedCheckpoint:
    #: Name of the log.
    origin: str
    #: Number of entries: of an account, its events.
    size: int
    #: Root of the tree: 64 lower-case hexadecimal characters.
    root: str
    #: Witnesses of the policy whose cosignatures are right.
    witnesses: list[Cosignature] = field(default_factory=list)
    #: Witnesses of the policy whose lines counted for nothing: they are of ML-DSA-44, or have no time.
    uncounted: list[str] = field(default_factory=list)


def verify_checkpoint(checkpoint: str, trusted: str, *, account: str | None = None) -> VerifiedCheckpoint:
    """What a checkpoint says, if a log that `trusted` names signed it, and a quorum of its witnesses did if
    it is one of the head log. `trusted` is a vkey or the text of a policy. With `account` it must be a
    checkpoint of that account. Raises CheckpointError, and ValueError if `trusted` cannot be used.
    """
    policy = _read_trust(trusted)
    try:
        note = parse_note(checkpoint)
        found = _read_checkpoint(note.text)
    except ValueError:
        raise CheckpointError("malformed", "the text is not a signed checkpoint") from None
    _check_logs(note, policy.log_keys(account), found.origin)
    _take_witnesses(note, policy.witnesses, found)
    if account is None and not policy.is_quorum(each.witness for each in found.witnesses):
        raise CheckpointError("quorum_missing", "the witnesses that signed make no quorum")
    return found


def _read_trust(text: str) -> LogPolicy:
    """A policy, or a single vkey: then the log counts without witnesses."""
    word = text.strip(SPACES)
    is_key = word != "" and not any(each in SPACES for each in word)
    try:
        return LogPolicy(f"log {text}\nquorum none" if is_key else text)
    except ValueError as mistake:
        raise ValueError(f"the policy cannot be used: {mistake}") from None


def _read_checkpoint(text: str) -> VerifiedCheckpoint:
    """Origin, size and root, without further lines."""
    lines = _TEXT.fullmatch(text)
    if lines is None or not is_key_name(lines[1]):
        raise ValueError("a checkpoint is an origin, a size and a root")
    root = strict_base64(lines[3])
    if len(root) != _ROOT_BYTES:
        raise ValueError("a root has 32 bytes")
    return VerifiedCheckpoint(lines[1], whole_number(lines[2]), root.hex())


def _check_logs(note: Note, keys: list[Key], origin: str) -> None:
    """One of the keys signed the note, by the name of its origin. A line of another key counts for nothing;
    one wrong line of a known key refuses all.
    """
    is_signed_by_origin = False
    for line in note.signatures:
        key = next((each for each in keys if line.is_by(each)), None)
        if key is None:
            continue
        if not is_signed(key.public, note.text.encode(), line.data):
            raise _wrong(key.name)
        is_signed_by_origin |= key.name == origin
    if not is_signed_by_origin:
        raise CheckpointError("signature_missing", "no log that is trusted signed it by this name")


def _take_witnesses(note: Note, witnesses: list[Witness], found: VerifiedCheckpoint) -> None:
    for line in note.signatures:
        witness = next((each for each in witnesses if line.is_by(each.key)), None)
        if witness is None:
            continue
        time, signature = int.from_bytes(line.data[:_TIME_BYTES], "big"), line.data[_TIME_BYTES:]
        if not signature or time > MAX_NUMBER:
            raise _wrong(witness.name)
        if witness.key.kind == MLDSA_KEY:
            found.uncounted.append(witness.name)
            continue
        message = f"cosignature/v1\ntime {time}\n{note.text}".encode()
        if time > _LAST_TIME or not is_signed(witness.key.public, message, signature):
            raise _wrong(witness.name)
        if time == 0:
            found.uncounted.append(witness.name)
        else:
            found.witnesses.append(Cosignature(witness.name, time))


def _wrong(name: str) -> CheckpointError:
    return CheckpointError("signature_invalid", f"the signature of {name} is wrong")
