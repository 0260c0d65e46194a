#!/usr/bin/env python3
"""Verifies a hash chain of format v1, as docs/hash-chain.md defines it, with the standard library alone.

Usage: verify_chain.py FILE [PREVIOUS_HASH]. FILE holds one {"event": ..., "proof": ...} a line, in
order of sequence numbers. PREVIOUS_HASH is the known hash before the first event, for a file that does not
begin at 1.
"""
import hashlib
import json
import sys
from decimal import Decimal

FIELDS = ("actor", "context", "diff", "metadata", "target")
COPIED = ("action", "created_at", "id", "occurred_at", "previous_hash", "received_at", "sequence_number")
GENESIS = "0" * 64


class Invalid(Exception):
    pass


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
    return json.dumps(value, ensure_ascii=False)  # strings, true, false, null: as RFC 8785 has them


def check_hash(event, proof):
    if proof["v"] != 1:
        raise Invalid("unknown proof version")
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
    count, last, chain = 0, None, None
    for number_of_line, line in enumerate(lines, 1):
        place = "line %d" % number_of_line
        try:
            record = json.loads(line, parse_int=float)
            if "manifest" in record:  # the last line of an export: it adds nothing to the chain
                continue
            count += 1
            event, proof = record["event"], record["proof"]
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
        except (ArithmeticError, KeyError, TypeError, ValueError) as fault:
            raise Invalid("%s: not an event with its proof (%r)" % (place, fault))
        last, previous, chain = event["sequence_number"], event["hash"], proof["chain"]
    if count == 0:
        raise Invalid("no events")
    return count


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
            print("valid: %d events" % verify(file, sys.argv[2] if len(sys.argv) > 2 else None))
    except Invalid as invalid:
        sys.exit("invalid: %s" % invalid)
