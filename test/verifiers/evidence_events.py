"""Steps 3 and 4: the events of a bundle, by hash format v1, and the records of what was erased from them."""
import hashlib
import re
from datetime import datetime, timedelta, timezone

from chain import COPIED, FIELDS, GENESIS, HASH, PATTERNS, SALT, Erasures, Invalid, erased_of, exact, jcs, like
from evidence_files import MISTAKES, is_version_1, whole
from evidence_notes import Fault

START = datetime(1970, 1, 1, tzinfo=timezone.utc)


def microseconds(text):
    """A time of the interface in microseconds since 1970; ValueError for a day that the calendar does not have."""
    year, month, day, hour, minute, second, fraction = map(int, re.findall("[0-9]+", text))
    time = datetime(year, month, day, hour, minute, second, fraction, timezone.utc)
    return (time - START) // timedelta(microseconds=1)


class Event:
    """A line of events.jsonl, with the form that it must have. Nothing of it is verified yet."""

    def __init__(self, record):
        event, proof = exact(record, ("event", "proof"), "the line")["event"], record["proof"]
        if not isinstance(event, dict):
            raise Invalid("the event is not an object")
        self.erased = erased_of(event)
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


def check_erasures(erasures):
    """Each erased part has a record."""
    for field, number, _ in erasures.unrecorded():
        raise Fault("erasure_unrecorded", "sequence number %d: %s is erased, and no later record names it"
                    % (number, field))


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
        erasures.take(event.number, event.members)
        see(event)
    if count == 0:
        raise Fault("sequence_gap", "there is not one event")
    if previous != bundle.last and not bundle.filter:
        raise Fault("sequence_gap", "the events end at %d, not at %d" % (previous, bundle.last))
    check_erasures(erasures)
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
