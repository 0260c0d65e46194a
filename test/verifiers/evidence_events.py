"""Steps 3 and 4: the events of a bundle, by hash format v1, and the records of what was erased from them."""
import hashlib
import re
from datetime import datetime, timedelta, timezone

from evidence_files import MISTAKES, is_version_1, whole
from evidence_notes import Fault
from verify_chain import COPIED, FIELDS, GENESIS, HASH, PATTERNS, Invalid, exact, jcs, like

START = datetime(1970, 1, 1, tzinfo=timezone.utc)
SALT = "[0-9a-f]{32}"


def microseconds(text):
    """A time of the interface in microseconds since 1970; ValueError for a day that the calendar does not have."""
    year, month, day, hour, minute, second, fraction = map(int, re.findall("[0-9]+", text))
    time = datetime(year, month, day, hour, minute, second, fraction, timezone.utc)
    return (time - START) // timedelta(microseconds=1)


def parts_of(value):
    """A list of some of the five parts, each once."""
    if not isinstance(value, list) or not value or len(set(value)) != len(value) or not set(value) <= set(FIELDS):
        raise Invalid("not a list of parts")
    return value


class Event:
    """A line of events.jsonl, with the form that it must have. Nothing of it is verified yet."""

    def __init__(self, record):
        event, proof = exact(record, ("event", "proof"), "the line")["event"], record["proof"]
        if not isinstance(event, dict):
            raise Invalid("the event is not an object")
        self.erased = parts_of(event["erased"]) if "erased" in event else []
        exact(event, FIELDS + COPIED + ("hash",) + (("erased",) if self.erased else ()), "the event")
        exact(proof, ("v", "chain", "salts", "digests"), "the proof")
        for name, pattern in PATTERNS.items():
            like(pattern, event[name], name)
        if not is_version_1(proof["v"]) or not isinstance(event["action"], str):
            raise Invalid("unknown version of the proof, or no action")
        like("acct_[0-9a-z]{1,64}", proof["chain"], "the chain")
        for field, digest in exact(proof["digests"], FIELDS, "digests").items():
            like(HASH, digest, "the digest of " + field)
        if not isinstance(proof["salts"], dict) or not set(proof["salts"]) <= set(FIELDS):
            raise Invalid("salts of other parts")
        for field in FIELDS:
            like(SALT, proof["salts"].get(field, "0" * 32), "the salt of " + field)
            if not isinstance(event[field], dict):
                raise Invalid(field + " is not an object")
        self.number = whole(event["sequence_number"], 1, "sequence_number")
        self.members, self.chain = event, proof["chain"]
        self.salts, self.digests = proof["salts"], proof["digests"]
        self.created_at = microseconds(event["created_at"])
        self.texts = {field: jcs(event[field]).encode() for field in FIELDS}
        self.leaf = jcs(dict({name: event[name] for name in COPIED}, v=1.0, chain=self.chain,
                             digests=self.digests)).encode()

    def check_values(self):
        """The values give the digests, an erased part has neither value nor salt, and the leaf gives the hash."""
        for field in FIELDS:
            salt = self.salts.get(field)
            if field in self.erased:
                if salt is not None or self.members[field] != {}:
                    raise Fault("erased_value_present", "%s is erased and has a value or a salt" % field)
            elif salt is None or self.digest(field, salt) != self.digests[field]:
                raise Fault("digest_mismatch", "%s is not what was hashed" % field)
        if hashlib.sha256(b"\0" + self.leaf).hexdigest() != self.members["hash"]:
            raise Fault("hash_mismatch", "the hash is not that of the event")

    def digest(self, field, salt):
        return hashlib.sha256(bytes.fromhex(salt) + self.texts[field]).hexdigest()


class Erasures:
    """The erased parts of the events so far, in runs, and the records that name them.

    A record counts for events before it, and only if its own metadata is not erased.
    """

    def __init__(self):
        self.runs = []  # [first number, last number, parts]
        self.records = []  # (parts, first number, last number, number of the record)
        self.parts = self.count = 0

    def take(self, event):
        self.parts += len(event.erased)
        last = self.runs[-1] if self.runs else None
        if event.erased and last and last[1] == event.number - 1 and last[2] == event.erased:
            last[1] = event.number
        elif event.erased:
            self.runs.append([event.number, event.number, event.erased])
        if "metadata" not in event.erased:
            ranges = recorded(event.members["action"], event.members["metadata"])
            self.count += bool(ranges)
            self.records += [(parts, first, min(last, event.number - 1)) for parts, first, last in ranges]

    def check(self):
        """Each erased part has a record."""
        covered = {field: union(record[1:] for record in self.records if field in record[0]) for field in FIELDS}
        at = dict.fromkeys(FIELDS, 0)
        for first, last, parts in self.runs:
            for field in parts:
                ranges = covered[field]
                while at[field] < len(ranges) and ranges[at[field]][1] < first:
                    at[field] += 1
                start, end = ranges[at[field]] if at[field] < len(ranges) else (last + 1, last)
                if start > first or end < last:
                    number = first if start > first else end + 1
                    raise Fault("erasure_unrecorded", "sequence number %d: %s is erased, and no later record names it"
                                % (number, field))


def union(ranges):
    """The same numbers in ranges that rise and do not touch."""
    merged = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        elif first <= last:
            merged.append([first, last])
    return merged


def recorded(action, metadata):
    """What a record names: (parts, first number, last number) each. One with another form names nothing."""
    try:
        if action == "annals.retention":
            return [(FIELDS, 1, whole(metadata["through_sequence"], 1, "through_sequence"))]
        if action == "annals.erasure":
            parts, ranges, before = parts_of(metadata["parts"]), [], 0
            for text in metadata["sequence_numbers"].split(","):
                first, last = re.fullmatch("([1-9][0-9]{0,15})(?:-([1-9][0-9]{0,15}))?", text, re.ASCII).groups()
                first, last = int(first), int(last or first)
                if not before < first <= last:
                    return []
                ranges.append((parts, first, last))
                before = last
            return ranges
    except MISTAKES + (AttributeError,):
        pass
    return []


def check_events(bundle, tiles, see):
    """Steps 3 and 4. Every event that was verified is given to `see`. Answers the erasures and how many events."""
    erasures, count, previous = Erasures(), 0, bundle.first - 1
    for line, record in bundle.lines("events.jsonl"):
        place = "events.jsonl line %d: " % line
        try:
            event = Event(record)
        except MISTAKES as mistake:
            raise Fault("file_malformed", place + str(mistake))
        try:
            check_event(event, previous, bundle, tiles)
        except Fault as fault:
            raise Fault(fault.reason, "%ssequence number %d: %s" % (place, event.number, fault.message))
        previous, count = event.number, count + 1
        erasures.take(event)
        see(event)
    if count == 0:
        raise Fault("sequence_gap", "there is not one event")
    if previous != bundle.last and not bundle.filter:
        raise Fault("sequence_gap", "the events end at %d, not at %d" % (previous, bundle.last))
    erasures.check()
    return erasures, count


def check_event(event, previous, bundle, tiles):
    if event.chain != bundle.chain:
        raise Fault("chain_mismatch", "the event is of %s" % event.chain)
    if event.number <= previous or event.number > bundle.last or (event.number != previous + 1 and not bundle.filter):
        raise Fault("sequence_gap", "it follows %d" % previous)
    event.check_values()
    # The tree has the hash of the event before, also where a filter left that event out.
    link = tiles.leaf(event.number - 2).hex() if event.number > 1 else GENESIS
    if event.members["previous_hash"] != link:
        raise Fault("link_mismatch", "previous_hash is not the hash of the event before")
    if event.members["hash"] != tiles.leaf(event.number - 1).hex():
        raise Fault("inclusion_mismatch", "the tree has another hash in its place")
