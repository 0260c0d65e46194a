"""Signed notes (c2sp.org/signed-note) and the keys that verify them. Called by checkpoint.py and
log_policy.py.

Parsing trusts nothing: a ValueError says that a text is not what it must be.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import unicodedata
from dataclasses import dataclass

#: A log's signature over the text of a note.
LOG_KEY = 1
#: A witness's cosignature with its time.
WITNESS_KEY = 4
MLDSA_KEY = 6
MAX_NUMBER = 2**53 - 1

_KEY_BYTES = {LOG_KEY: 32, WITNESS_KEY: 32, MLDSA_KEY: 1312}
#: A line of ML-DSA-44 has 3,300 bytes.
_MAX_NOTE = 256 << 10
_MAX_SIGNATURES = 64
_MAX_NAME = 255
_ID_BYTES = 4
#: JavaScript's, so that the SDKs accept the same names.
SPACES = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f]")
_LINE = re.compile("— ([^ ]+) ([A-Za-z0-9+/=]+)")
_VKEY = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{1,2000})", re.ASCII)
_DECIMAL = re.compile("0|[1-9][0-9]{0,15}")


@dataclass(frozen=True)
class Key:
    """Of signed notes. The id is eight lower-case hexadecimal digits."""

    name: str
    id: str
    kind: int
    public: bytes


@dataclass(frozen=True)
class Signature:
    """Without the key id; a cosignature begins with its time."""

    name: str
    key_id: str
    data: bytes

    def is_by(self, key: Key) -> bool:
        return self.key_id == key.id and self.name == key.name


@dataclass(frozen=True)
class Note:
    #: What is signed. It ends with a line feed.
    text: str
    signatures: list[Signature]


def parse_note(note: str) -> Note:
    if len(note.encode()) > _MAX_NOTE or _CONTROL.search(note):
        raise ValueError("a note is too long, or has control characters")
    text, blank, lines = note.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise ValueError("a note has a text, a blank line and signatures")
    signatures = [_parse_line(line) for line in lines[:-1].split("\n")]
    if len(signatures) > _MAX_SIGNATURES:
        raise ValueError("a note has too many signatures")
    return Note(text + "\n", signatures)


def _parse_line(line: str) -> Signature:
    found = _LINE.fullmatch(line)
    if found is None or not is_key_name(found[1]):
        raise ValueError("a signature line has a name and a signature")
    data = strict_base64(found[2])
    if len(data) <= _ID_BYTES:
        raise ValueError("a signature line has a name and a signature")
    return Signature(found[1], data[:_ID_BYTES].hex(), data[_ID_BYTES:])


def read_key(text: str) -> Key:
    """The key of a vkey."""
    found = _VKEY.fullmatch(text)
    try:
        data = strict_base64(found[3] if found else "")
    except ValueError:
        data = b""
    if found is not None and data and is_key_name(found[1]):
        key = make_key(found[1], data[0], data[1:])
        if key.id == found[2] and _KEY_BYTES.get(key.kind) == len(key.public):
            return key
    raise ValueError("a vkey is <name>+<8 hexadecimal digits>+<base64>, with the id of the name and the key")


def make_key(name: str, kind: int, public: bytes) -> Key:
    digest = hashlib.sha256(f"{name}\n".encode() + bytes([kind]) + public).digest()
    return Key(name, digest[:_ID_BYTES].hex(), kind, public)


def is_key_name(name: str) -> bool:
    """Without spaces, plus signs and control characters."""
    if any(each == "+" or each in SPACES or unicodedata.category(each) in ("Cc", "Cs") for each in name):
        return False
    return 0 < len(name.encode()) <= _MAX_NAME


def strict_base64(text: str) -> bytes:
    """The bytes whose one standard encoding the text is."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        data = b""
    if not data or base64.b64encode(data).decode() != text:
        raise ValueError("not base64")
    return data


def whole_number(text: str) -> int:
    """A number without leading zeros that a double keeps."""
    if not _DECIMAL.fullmatch(text) or int(text) > MAX_NUMBER:
        raise ValueError("not a number")
    return int(text)
