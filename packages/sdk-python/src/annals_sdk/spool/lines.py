"""The lines of a spool's files: 16 hex digits of the SHA-256 of the JSON, a space, the JSON."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

_DIGITS = 16


class Lines(NamedTuple):
    #: The events as JSON.
    texts: list[bytes]
    #: Lines whose digest does not fit, with their ends.
    damaged: list[bytes]
    #: Bytes of the whole lines; what comes behind them is a torn one.
    whole: int


def line_of(text: bytes) -> bytes:
    digest = hashlib.sha256(text).hexdigest()[:_DIGITS]
    return b"%s %s\n" % (digest.encode(), text)


def read_lines(data: bytes) -> Lines:
    texts: list[bytes] = []
    damaged: list[bytes] = []
    *lines, torn = data.split(b"\n")
    for line in lines:
        text = line[_DIGITS + 1 :]
        if line_of(text) == line + b"\n":
            texts.append(text)
        else:
            damaged.append(line + b"\n")
    return Lines(texts, damaged, len(data) - len(torn))


def read_sealed(data: bytes) -> Lines:
    """Of a file that is complete: what comes behind its last newline is damaged, too."""
    lines = read_lines(data)
    torn = data[lines.whole :]
    return Lines(lines.texts, [*lines.damaged, torn], len(data)) if torn else lines
