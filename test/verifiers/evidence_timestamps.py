"""Time stamps (RFC 3161) over checkpoints of the head log. OpenSSL verifies their signatures."""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections import namedtuple
from datetime import datetime, timezone

from evidence_notes import MAX_NOTE_BYTES, Fault, NotChecked, read_signed

MAX_TOKEN_BYTES = 64 << 10
OPENSSL_TIMEOUT_S = 30

Stamp = namedtuple("Stamp", "size root time")


def der_values(data):
    """The values in a sequence of DER values: (tag, content) each. ValueError if a length does not fit."""
    values, at = [], 0
    while at < len(data):
        if at + 2 > len(data) or data[at] & 31 == 31:
            raise ValueError("not DER")
        tag, length, start = data[at], data[at + 1], at + 2
        if length > 127:
            digits = length & 127
            length = int.from_bytes(data[start : start + digits], "big")
            start += digits
            if digits == 0 or digits > 4 or length < 128:
                raise ValueError("not DER")
        if start + length > len(data):
            raise ValueError("a value is cut off")
        values.append((tag, data[start : start + length]))
        at = start + length
    return values


def read_token(response):
    """SHA-256 and time of the token of a response: what it was made over, and when.

    The way to it: TimeStampResp > ContentInfo > SignedData > EncapsulatedContentInfo > TSTInfo.
    """
    (outer,) = der_values(response)
    status, content = der_values(outer[1])
    if der_values(status[1])[0][1] not in (b"\0", b"\1"):
        raise ValueError("the time stamp was not granted")
    signed_data = der_values(der_values(content[1])[1][1])[0][1]
    encapsulated = der_values(signed_data)[2][1]
    ((_, info),) = der_values(der_values(encapsulated)[1][1])
    ((_, members),) = der_values(info)
    _, _, imprint, _, (tag, time) = der_values(members)[:5]
    algorithm, digest = der_values(imprint[1])
    sha256 = bytes.fromhex("608648016503040201")
    if der_values(algorithm[1])[0][1] != sha256 or tag != 0x18:
        raise ValueError("the token is not over SHA-256, or has no time")
    match = re.fullmatch(rb"([0-9]{14})(\.[0-9]+)?Z", time)
    if not match:
        raise ValueError("not a time of a token")
    made = datetime.strptime(match[1].decode(), "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
    return digest[1], int(made.timestamp()) + (1 if match[2] else 0)


def verify_token(response, digest, time, authorities):
    """Whether OpenSSL accepts the signature, and its certificate at the time of the token."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "token.tsr")
        with open(path, "wb") as file:
            file.write(response)
        command = ["openssl", "ts", "-verify", "-digest", digest.hex(), "-in", path, "-CAfile", authorities,
                   "-attime", str(time), "-partial_chain"]
        run = subprocess.run(command, capture_output=True, timeout=OPENSSL_TIMEOUT_S, check=False)
    return run.returncode == 0 and b"Verification: OK" in run.stdout + run.stderr


def check_stamps(bundle, policy, authorities, verify=verify_token):
    """Tokens over checkpoints of the head log. Answers those that were verified, and how many were not."""
    names = [name for name in bundle.files if name.startswith("timestamps/")]
    stamps, keys = [], policy.logs + list(policy.witnesses.values())
    for name in sorted(names):
        match = re.fullmatch(r"timestamps/([1-9][0-9]{0,15})\.(tsr|checkpoint)", name, re.ASCII)
        twin = "timestamps/%s.%s" % (match[1], "tsr" if match[2] == "checkpoint" else "checkpoint") if match else ""
        if twin not in names:
            raise Fault("timestamp_invalid", "%s: it is not a token, or a checkpoint, with its twin" % name)
        if match[2] == "tsr":
            continue
        data = bundle.read(name, MAX_NOTE_BYTES)
        log, _ = read_signed(data, keys, bundle.origin, name)
        token = bundle.read(twin, MAX_TOKEN_BYTES)
        try:
            digest, time = read_token(token)
        except (ValueError, IndexError, OverflowError) as mistake:
            raise Fault("timestamp_invalid", "%s: %s" % (twin, mistake))
        if digest != hashlib.sha256(data).digest() or log.size != int(match[1]):
            raise Fault("timestamp_invalid", "%s: it is over something else" % twin)
        if authorities is None:
            continue
        if verify is verify_token and shutil.which("openssl") is None:
            raise NotChecked("time stamps cannot be verified: openssl is not installed")
        if not verify(token, digest, time, authorities):
            raise Fault("timestamp_invalid", "%s: the authorities given did not sign it" % twin)
        stamps.append(Stamp(log.size, log.root, time))
    return stamps, len(names) // 2 - len(stamps)
