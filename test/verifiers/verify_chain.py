#!/usr/bin/env python3
"""Verifies a hash chain of format v1, as docs/hash-chain.md defines it, with the standard library alone.

Usage: verify_chain.py FILE [PREVIOUS_HASH]. FILE holds one {"event": ..., "proof": ...} a line, in
order of sequence numbers. PREVIOUS_HASH is the known hash before the first event, for a file that does not
begin at 1.
"""
import hashlib
import json
import re
import sys
from decimal import Decimal

FIELDS = ("actor", "context", "diff", "metadata", "target")
COPIED = ("action", "created_at", "id", "occurred_at", "previous_hash", "received_at", "sequence_number")
GENESIS = "0" * 64
TIME = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z"
HASH = "[0-9a-f]{64}"
PATTERNS = {"id": "evt_[0-9a-z]{1,64}", "hash": HASH, "previous_hash": HASH, "created_at": TIME, "occurred_at": TIME,
            "received_at": TIME}


class Invalid(Exception):
    pass


def read_number(text):
    value = float(text)
    if Decimal(repr(value)) != Decimal(text):
        raise ValueError("a number that a double does not keep")
    return value


def read_object(pairs):
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("a member comes twice")
    return names


def refuse(constant):
    raise ValueError("not JSON: " + constant)


def exact(value, names, what):
    """The members of an object that has these and no other; of an export every one has a meaning."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise Invalid("%s does not have exactly the members %s" % (what, ", ".join(names)))
    return value


def like(pattern, value, what):
    if not isinstance(value, str) or not re.fullmatch(pattern, value, re.ASCII):
        raise Invalid("%s is not what it must be" % what)


def number(value):
    """ECMAScript's text of a double; Python's repr has the same shortest digits in another layout."""
    if value == 0:
        return "0"
    _, digits, exponent = Decimal(repr(abs(value))).as_tuple()
    n = len(digits) + exponent
    d = "".join(map(str, digits)).rstrip("0")
    if len(d) <= n <= 21:
        text = d + "0" * (n - len(d))
    elif 0 < n <= 21:
        text = d[:n] + "." + d[n:]
    elif -6 < n <= 0:
        text = "0." + "0" * -n + d
    else:
        text = d[0] + ("." + d[1:] if len(d) > 1 else "") + "e%+d" % (n - 1)
    return "-" + text if value < 0 else text


def jcs(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(jcs(name) + ":" + jcs(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str) and "\0" in value:
        raise ValueError("U+0000")
    return json.dumps(value, ensure_ascii=False)  # strings, true, false, null: as RFC 8785 has them


def check_shape(event, proof):
    if not isinstance(proof, dict) or type(proof.get("v")) is not float or proof["v"] != 1:
        raise Invalid("unknown proof version")
    exact(proof, ("v", "chain", "salts", "digests"), "the proof")
    exact(event, FIELDS + COPIED + ("hash",), "the event")
    like("acct_[0-9a-z]{1,64}", proof["chain"], "the chain")
    for name, pattern in PATTERNS.items():
        like(pattern, event[name], name)
    for member, pattern in (("salts", "[0-9a-f]{32}"), ("digests", HASH)):
        for field, value in exact(proof[member], FIELDS, member).items():
            like(pattern, value, "%s of %s" % (member, field))
    if not isinstance(event["action"], str) or not all(isinstance(event[field], dict) for field in FIELDS):
        raise Invalid("not an event")
    place = event["sequence_number"]
    if not isinstance(place, float) or place != int(place) or not 1 <= place < 2**53:
        raise Invalid("not a sequence number")


def check_hash(event, proof):
    for field in FIELDS:
        data = bytes.fromhex(proof["salts"][field]) + jcs(event[field]).encode()
        if hashlib.sha256(data).hexdigest() != proof["digests"][field]:
            raise Invalid("digest_mismatch in " + field)
    leaf = {name: event[name] for name in COPIED}
    leaf.update(v=1.0, chain=proof["chain"], digests={field: proof["digests"][field] for field in FIELDS})
    if hashlib.sha256(b"\0" + jcs(leaf).encode()).hexdigest() != event["hash"]:
        raise Invalid("hash_mismatch")


def verify(lines, previous):
    """Answers the number of events; raises Invalid. `previous`: the known hash before the first."""
    count, last, chain, ended = 0, None, None, False
    for number_of_line, line in enumerate(lines, 1):
        place = "line %d" % number_of_line
        try:
            record = json.loads(line, parse_int=read_number, parse_float=read_number, parse_constant=refuse,
                                object_pairs_hook=read_object)
            if ended:
                raise Invalid("follows the manifest")
            if "manifest" in record:  # the last line of an export: it adds nothing to the chain
                exact(record, ("manifest", "manifest_sha256"), "the manifest's line")
                ended = True
                continue
            count += 1
            exact(record, ("event", "proof"), "the line")
            event, proof = record["event"], record["proof"]
            check_shape(event, proof)
            place = "sequence number " + number(event["sequence_number"])
            check_hash(event, proof)
            if last is not None and event["sequence_number"] != last + 1:
                raise Invalid("sequence_gap")
            expected = GENESIS if event["sequence_number"] == 1 else previous
            if expected is not None and event["previous_hash"] != expected:
                raise Invalid("link_mismatch")
            if chain not in (None, proof["chain"]):
                raise Invalid("another chain")
        except Invalid as fault:
            raise Invalid("%s: %s" % (place, fault))
        except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError) as fault:
            raise Invalid("%s: not an event with its proof (%a)" % (place, fault))
        last, previous, chain = event["sequence_number"], event["hash"], proof["chain"]
    if count == 0:
        raise Invalid("no events")
    return count


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
            print("valid: %d events" % verify(file, sys.argv[2] if len(sys.argv) > 2 else None))
    except (Invalid, UnicodeDecodeError) as invalid:
        sys.exit("invalid: %s" % invalid)
