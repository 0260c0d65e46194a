"""Signed notes: checkpoints, signatures, cosignatures, and the policy that says whose of them count.

Written from the pages of C2SP (signed-note, tlog-checkpoint, tlog-cosignature, tlog-policy). The standard
library suffices. ML-DSA-44 cosignatures need the package `cryptography`; without it they count for nothing.
"""
import base64
import hashlib
import re
import struct
from collections import namedtuple

from evidence_ed25519 import is_signed

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
    MLDSA44PublicKey.from_public_bytes(bytes(1312))
except Exception:  # not installed, or over an OpenSSL that does not have it
    MLDSA44PublicKey = None

ED25519, COSIGNATURE, MLDSA44 = 0x01, 0x04, 0x06
PUBLIC_KEY_BYTES = {ED25519: 32, COSIGNATURE: 32, MLDSA44: 1312}
SIGNATURE_BYTES = {ED25519: 64, COSIGNATURE: 8 + 64, MLDSA44: 8 + 2420}
MAX_SIGNATURES = 128
MAX_NOTE_BYTES = 1 << 20
MAX_NUMBER = 2**53 - 1
NEVER = float("inf")


class Fault(Exception):
    """The bundle is not valid; `reason` is one of the words of the page."""

    def __init__(self, reason, message):
        super().__init__("%s: %s" % (reason, message))
        self.reason, self.message = reason, message


class NotChecked(Exception):
    """What the caller gave does not allow a verification."""


# Keys


Key = namedtuple("Key", "name id type public")


def decode_base64(text):
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("not the one base64 text of its bytes")
    return data


def make_key(name, kind, public):
    material = name.encode() + b"\n" + bytes([kind]) + public
    return Key(name, hashlib.sha256(material).digest()[:4], kind, public)


def check_key_name(name):
    if not name or "+" in name or re.search(r"\s", name):
        raise ValueError("a key's name is empty, or has a space or a plus")


def parse_vkey(text):
    name, key_id, material = text.split("+", 2)
    check_key_name(name)
    data = decode_base64(material)
    kind, public = int.from_bytes(data[:1], "big"), data[1:]
    if len(public) != PUBLIC_KEY_BYTES.get(kind):
        raise ValueError("a key of another type or length: " + name)
    key = make_key(name, kind, public)
    if key.id.hex() != key_id:
        raise ValueError("the id of a key does not fit its name and bytes: " + name)
    return key


# Notes and checkpoints


Note = namedtuple("Note", "text signatures")
Checkpoint = namedtuple("Checkpoint", "origin size root")
Signed = namedtuple("Signed", "key time")


def parse_note(data):
    """The text of a note and its signatures, (name, key id, bytes) each; ValueError if it is not a note."""
    whole = data.decode("utf-8")
    if re.search(r"[\x00-\x09\x0b-\x1f]", whole):
        raise ValueError("a control character in a note")
    text, blank, rest = whole.rpartition("\n\n")
    if not blank or (rest and not rest.endswith("\n")):
        raise ValueError("not a note")
    signatures = []
    for line in rest.split("\n")[:-1]:
        mark, name, encoded = line.split(" ")
        check_key_name(name)
        signature = decode_base64(encoded)
        if mark != "\u2014" or len(signature) < 5:
            raise ValueError("not a line of a signature")
        signatures.append((name, signature[:4], signature[4:]))
    if len(signatures) > MAX_SIGNATURES:
        raise ValueError("more than %d signatures" % MAX_SIGNATURES)
    return Note(text + "\n", signatures)


def parse_checkpoint(text):
    """The three lines of a checkpoint; Annals writes no extension lines, so ValueError if there are more."""
    origin, size, root, end = text.split("\n")
    if not origin or end or not re.fullmatch("0|[1-9][0-9]{0,15}", size) or int(size) > MAX_NUMBER:
        raise ValueError("not a checkpoint")
    hashed = decode_base64(root)
    if len(hashed) != 32:
        raise ValueError("the root of a checkpoint is not 32 bytes")
    return Checkpoint(origin, int(size), hashed)


def cosigned_message(key, text, time):
    """The bytes that an ML-DSA-44 cosignature signs."""
    origin, size, root = parse_checkpoint(text)
    name, origin = key.name.encode(), origin.encode()
    return b"".join([b"subtree/v1\n\0", bytes([len(name)]), name, struct.pack(">Q", time), bytes([len(origin)]),
                     origin, struct.pack(">QQ", 0, size), root])


def verify_signature(key, text, signature):
    """The time that a cosignature states, 0 for a signature without one; None if it is wrong."""
    if len(signature) != SIGNATURE_BYTES[key.type]:
        return None
    if key.type == ED25519:
        return 0 if is_signed(key.public, text.encode(), signature) else None
    time = struct.unpack(">Q", signature[:8])[0]
    if time >= 2**63:
        return None
    if key.type == COSIGNATURE:
        message = ("cosignature/v1\ntime %d\n%s" % (time, text)).encode()
        return time if is_signed(key.public, message, signature[8:]) else None
    try:
        MLDSA44PublicKey.from_public_bytes(key.public).verify(signature[8:], cosigned_message(key, text, time))
        return time
    except (InvalidSignature, ValueError):
        return None


def signers_of(note, keys, what):
    """Which of these keys signed a note. Lines of other keys are ignored, also of another key with a known name.

    A cosignature that states no time says nothing of when, so it does not count; nor does one of ML-DSA-44 that
    cannot be verified here (`uncheckable`).
    """
    known = {(key.name, key.id): key for key in keys}
    signed = []
    for name, key_id, signature in note.signatures:
        key = known.get((name, key_id))
        if key is None or (key.type == MLDSA44 and uncheckable(key)):
            continue
        time = verify_signature(key, note.text, signature)
        if time is None:
            raise Fault("signature_invalid", "%s: the signature of %s is wrong" % (what, name))
        if time > 0 or key.type == ED25519:
            signed.append(Signed(key, time))
    return signed


def uncheckable(key):
    return key.type == MLDSA44 and MLDSA44PublicKey is None


def read_signed(data, keys, origin, what):
    """A checkpoint under an origin that one of its log's keys signed, and all known keys that signed it."""
    try:
        note = parse_note(data)
        checkpoint = parse_checkpoint(note.text)
    except ValueError as mistake:
        raise Fault("file_malformed", "%s: %s" % (what, mistake))
    signed = signers_of(note, keys, what)
    if checkpoint.origin != origin or not any(key.name == origin and time == 0 for key, time in signed):
        raise Fault("signature_missing", "%s: a log of the policy has not signed it under %s" % (what, origin))
    return checkpoint, signed


# The policy


class Policy:
    """A tlog-policy file: `logs` and `witnesses` (by name) are keys, `groups` are (threshold, members).

    `quorum` is the name of a witness or a group, or None for `quorum none`.
    """

    def __init__(self, data):
        if re.search(rb"[^\t\n\x20-\x7e\x80-\xff]", data):
            raise ValueError("a control character")
        self.logs, self.witnesses, self.groups, self.quorum = [], {}, {}, None
        self.members, has_quorum = set(), False
        # Each octet of a policy stands for itself: names are compared as octets.
        for line in data.decode("latin-1").split("\n"):
            words = [word for word in re.split("[ \t]+", line) if word]
            if not words or words[0].startswith("#"):
                continue
            kind, rest = words[0], words[1:]
            if kind == "log" and len(rest) in (1, 2):
                self.add_log(parse_policy_key(rest[0]))
            elif kind == "witness" and len(rest) in (2, 3):
                self.add_witness(rest[0], parse_policy_key(rest[1]))
            elif kind == "group" and len(rest) >= 3:
                self.add_group(rest[0], rest[1], rest[2:])
            elif kind == "quorum" and len(rest) == 1 and not has_quorum:
                has_quorum, self.quorum = True, None if rest[0] == "none" else self.defined(rest[0])
            else:
                raise ValueError("a line that a policy does not have: " + line)
        if not has_quorum:
            raise ValueError("it has no quorum")

    def add_log(self, key):
        if key.type == COSIGNATURE or key.public in [log.public for log in self.logs]:
            raise ValueError("a log with a witness's key, or a key twice: " + key.name)
        self.logs.append(key)

    def add_witness(self, name, key):
        if key.type == ED25519 or key.public in [witness.public for witness in self.witnesses.values()]:
            raise ValueError("a witness with a log's key, or a key twice: " + name)
        self.witnesses[self.new(name)] = key

    def add_group(self, name, threshold, members):
        for member in members:
            if self.defined(member) in self.members:
                raise ValueError("a member of two groups: " + member)
            self.members.add(member)
        if not re.fullmatch("any|all|[1-9][0-9]{0,3}", threshold):
            raise ValueError("not a threshold: " + threshold)
        needed = {"any": 1, "all": len(members)}.get(threshold) or int(threshold)
        if needed > len(members):
            raise ValueError("a threshold above the number of members: " + name)
        self.groups[self.new(name)] = (needed, members)

    def new(self, name):
        if name == "none" or name in self.witnesses or name in self.groups:
            raise ValueError("a name that is taken: " + name)
        return name

    def defined(self, name):
        if name not in self.witnesses and name not in self.groups:
            raise ValueError("a name that is not defined above it: " + name)
        return name

    def time_of(self, name, times):
        """When a witness or a group had seen what was signed at these times, or NEVER."""
        if name in self.witnesses:
            return times.get(self.witnesses[name], NEVER)
        needed, members = self.groups[name]
        return sorted(self.time_of(member, times) for member in members)[needed - 1]

    def quorum_time(self, signed):
        """The time at which the earliest cosignatures made a quorum; NEVER without one."""
        times = {}
        for key, time in signed:
            times[key] = min(time, times.get(key, NEVER))
        return NEVER if self.quorum is None else self.time_of(self.quorum, times)


def parse_policy_key(text):
    return parse_vkey(text.encode("latin-1").decode("utf-8"))
