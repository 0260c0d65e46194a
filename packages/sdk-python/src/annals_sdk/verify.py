#!/usr/bin/env python3
"""Verifies a hash chain of format v1, as docs/hash-chain.md defines it, with the standard library alone.

Usage: verify.py FILE [PREVIOUS_HASH]. FILE holds one {"event": ..., "proof": ...} a line, in
order of sequence numbers. PREVIOUS_HASH is the known hash before the first event, for a file that does not
begin at 1. Lines that end with the manifest of an export need no record of an erasure that the export cannot have.
"""
from __future__ import annotations

import hashlib
import json
import re
import sys
from decimal import Decimal
from typing import Any

FIELDS = ("actor", "context", "diff", "metadata", "target")
COPIED = ("action", "created_at", "id", "occurred_at", "previous_hash", "received_at", "sequence_number")
GENESIS = "0" * 64
TIME = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z"
HASH = "[0-9a-f]{64}"
PATTERNS = {"id": "evt_[0-9a-z]{1,64}", "hash": HASH, "previous_hash": HASH, "created_at": TIME, "occurred_at": TIME,
            "received_at": TIME}


SALT = "[0-9a-f]{32}"
RANGE = "([1-9][0-9]{0,15})(?:-([1-9][0-9]{0,15}))?"
BOUNDS = {"after_sequence", "before_sequence"}
MISTAKES = (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError)


class Invalid(Exception):
    pass


def read_number(text: Any) -> Any:
    value = float(text)
    if Decimal(repr(value)) != Decimal(text):
        raise ValueError("a number that a double does not keep")
    return value


def read_object(pairs: Any) -> Any:
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("a member comes twice")
    return names


def refuse(constant: Any) -> Any:
    raise ValueError("not JSON: " + constant)


def exact(value: Any, names: Any, what: Any) -> Any:
    """The members of an object that has these and no other; of an export every one has a meaning."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise Invalid("%s does not have exactly the members %s" % (what, ", ".join(names)))
    return value


def like(pattern: Any, value: Any, what: Any) -> Any:
    if not isinstance(value, str) or not re.fullmatch(pattern, value, re.ASCII):
        raise Invalid("%s is not what it must be" % what)


def number(value: Any) -> Any:
    """ECMAScript's text of a double; Python's repr has the same shortest digits in another layout."""
    if value == 0:
        return "0"
    parts: Any = Decimal(repr(abs(value))).as_tuple()
    digits, exponent = parts.digits, parts.exponent
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


TEXT = json.JSONEncoder(ensure_ascii=False).encode


def jcs(value: Any) -> Any:
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(jcs(name) + ":" + jcs(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str) and "\0" in value:
        raise ValueError("U+0000")
    return TEXT(value)  # strings, true, false, null: as RFC 8785 has them


def parts_of(value: Any) -> Any:
    """A list of some of the five parts, each once."""
    if not isinstance(value, list) or not value or len(set(value)) != len(value) or not set(value) <= set(FIELDS):
        raise Invalid("not a list of parts")
    return value


def erased_of(event: Any) -> Any:
    """The erased parts of an event, which are in the order of the parts; none if it has no such member."""
    if not isinstance(event, dict) or "erased" not in event:
        return []
    erased = parts_of(event["erased"])
    if erased != sorted(erased):
        raise Invalid("the erased parts are not in their order")
    return erased


def check_shape(event: Any, proof: Any) -> Any:
    if not isinstance(proof, dict) or type(proof.get("v")) is not float or proof["v"] != 1:
        raise Invalid("unknown proof version")
    exact(proof, ("v", "chain", "salts", "digests"), "the proof")
    exact(event, FIELDS + COPIED + ("hash",) + (("erased",) if erased_of(event) else ()), "the event")
    like("acct_[0-9a-z]{1,64}", proof["chain"], "the chain")
    for name, pattern in PATTERNS.items():
        like(pattern, event[name], name)
    for field, digest in exact(proof["digests"], FIELDS, "digests").items():
        like(HASH, digest, "digests of " + field)
    if not isinstance(proof["salts"], dict) or not set(proof["salts"]) <= set(FIELDS):
        raise Invalid("salts of other parts")
    for field, salt in proof["salts"].items():
        like(SALT, salt, "salts of " + field)
    if not isinstance(event["action"], str) or not all(isinstance(event[field], dict) for field in FIELDS):
        raise Invalid("not an event")
    place = event["sequence_number"]
    if not isinstance(place, float) or place != int(place) or not 1 <= place < 2**53:
        raise Invalid("not a sequence number")


def check_hash(event: Any, proof: Any) -> Any:
    for field in FIELDS:
        salt = proof["salts"].get(field)
        if field in erased_of(event):
            if salt is not None or event[field] != {}:
                raise Invalid("erased_value_present in " + field)
        elif salt is None or digest_of(salt, event[field]) != proof["digests"][field]:
            raise Invalid("digest_mismatch in " + field)
    leaf = {name: event[name] for name in COPIED}
    leaf.update(v=1.0, chain=proof["chain"], digests={field: proof["digests"][field] for field in FIELDS})
    if hashlib.sha256(b"\0" + jcs(leaf).encode()).hexdigest() != event["hash"]:
        raise Invalid("hash_mismatch")


def digest_of(salt: Any, part: Any) -> Any:
    return hashlib.sha256(bytes.fromhex(salt) + jcs(part).encode()).hexdigest()


class Erasures:
    """The erased parts of the events so far, in runs, and the records that name them.

    A record counts for events before it, and only if its own metadata is not erased.
    """

    def __init__(self) -> None:
        self.runs: list[Any] = []  # [first number, last number, parts]
        self.records: list[Any] = []  # (parts, first number, last number)
        self.parts = self.count = 0

    def take(self, number: Any, event: Any) -> Any:
        erased = erased_of(event)
        self.parts += len(erased)
        last = self.runs[-1] if self.runs else None
        if erased and last and last[1] == number - 1 and last[2] == erased:
            last[1] = number
        elif erased:
            self.runs.append([number, number, erased])
        if "metadata" not in erased:
            ranges = recorded(event["action"], event["metadata"])
            self.count += bool(ranges)
            self.records += [(parts, first, min(last, number - 1)) for parts, first, last in ranges]

    def unrecorded(self) -> Any:
        """The erased parts that no later record names: (part, first number, last number) each."""
        for field in FIELDS:
            runs = [(first, last) for first, last, parts in self.runs if field in parts]
            ranges = union(record[1:] for record in self.records if field in record[0])
            yield from ((field, *gap) for gap in uncovered(runs, ranges))


def uncovered(runs: Any, ranges: Any) -> Any:
    """The numbers of the runs that are in no range. Both rise."""
    at = 0
    for number, last in runs:
        while number <= last:
            while at < len(ranges) and ranges[at][1] < number:
                at += 1
            start, end = ranges[at] if at < len(ranges) else (last + 1, last)
            if start > number:
                yield number, min(last, start - 1)
            number = end + 1


def union(ranges: Any) -> Any:
    """The same numbers in ranges that rise and do not touch."""
    merged: list[Any] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        elif first <= last:
            merged.append([first, last])
    return merged


def whole(value: Any, least: Any) -> Any:
    """A whole number that a double keeps, from `least` on."""
    if type(value) is not float or value != int(value) or not least <= value < 2**53:
        raise Invalid("not a whole number from %d on" % least)
    return int(value)


def recorded(action: Any, metadata: Any) -> Any:
    """What a record names: (parts, first number, last number) each. One with another form names nothing."""
    try:
        if action == "annals.retention":
            return [(FIELDS, 1, whole(metadata["through_sequence"], 1))]
        if action == "annals.erasure":
            parts, ranges, before = parts_of(metadata["parts"]), [], 0
            for text in metadata["sequence_numbers"].split(","):
                bounds: Any = re.fullmatch(RANGE, text, re.ASCII)
                first, last = int(bounds[1]), int(bounds[2] or bounds[1])
                if not before < first <= last:
                    return []
                ranges.append((parts, first, last))
                before = last
            return ranges
    except MISTAKES + (Invalid,):
        pass
    return []


def may_lack_records(manifest: Any) -> Any:
    """Whether the manifest says that later events are missing on purpose."""
    try:
        ends_early = manifest["range"]["to_sequence"] != manifest["head"]["sequence_number"]
        return ends_early or not set(manifest["filter"]) <= BOUNDS
    except MISTAKES as fault:
        raise Invalid("not a manifest (%a)" % fault)


def check_erasures(erasures: Any, manifest: Any) -> Any:
    """Each erased part has a record. Answers how many parts have none in lines that need not have it."""
    missing = list(erasures.unrecorded())
    if missing and (manifest is None or not may_lack_records(manifest)):
        raise Invalid("sequence number %d: erasure_unrecorded in %s" % (missing[0][1], missing[0][0]))
    return sum(last - first + 1 for _, first, last in missing)


def verify(lines: Any, previous: Any, take: Any = None) -> Any:
    """Answers the number of events, of erased parts, and of those whose record is not in the lines; raises Invalid.
    `previous`: the known hash before the first. `take` is called with each event."""
    count, last, chain, ended, manifest, erasures = 0, None, None, False, None, Erasures()
    for number_of_line, line in enumerate(lines, 1):
        place = "line %d" % number_of_line
        try:
            record = json.loads(line, parse_int=read_number, parse_float=read_number, parse_constant=refuse,
                                object_pairs_hook=read_object)
            if ended:
                raise Invalid("follows the manifest")
            if "manifest" in record:  # the last line of an export: it adds nothing to the chain
                exact(record, ("manifest", "manifest_sha256"), "the manifest's line")
                ended, manifest = True, record["manifest"]
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
        except MISTAKES as fault:
            raise Invalid("%s: not an event with its proof (%a)" % (place, fault))
        last, previous, chain = event["sequence_number"], event["hash"], proof["chain"]
        erasures.take(int(last), event)
        if take:
            take(event)
    if count == 0:
        raise Invalid("no events")
    return count, erasures.parts, check_erasures(erasures, manifest)


def report(events: Any, erased: Any, unrecorded: Any) -> Any:
    text = "valid: %d events" % events
    if erased:
        text += ", %d erased parts" % erased
    if unrecorded:
        text += ", of which %d have their record elsewhere" % unrecorded
    return text


def main(path: Any, previous: Any = None, take: Any = None) -> Any:
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            print(report(*verify(file, previous, take)))
    except (Invalid, UnicodeDecodeError) as invalid:
        sys.exit("invalid: %s" % invalid)


if __name__ == "__main__":
    main(*sys.argv[1:3])
