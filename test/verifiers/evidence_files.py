"""The files of a bundle: the tar file, what bundle.json says of them, and reading them one piece at a time.

The file is read once to hash everything in it, and again where it is checked; no file of the bundle is ever whole in
memory except bundle.json, which has about a hundred bytes for each 256 events. The events of an archive are in a file
of their own (evidence_archive.py), and count as a file of the bundle.
"""
import hashlib
import json
import re
from collections import namedtuple

from evidence_archive import EventsFile
from evidence_notes import MAX_NUMBER, Fault, NotChecked, Policy
from chain import HASH, TIME, Invalid, exact, like, read_number, read_object, refuse

BLOCK = 512
PIECE = 1 << 20
MAX_INDEX_BYTES = 256 << 20
MAX_LINE_BYTES = 16 << 20
MEMBERS = ("v", "kind", "origin", "chain", "from_sequence", "to_sequence", "filter", "created_at", "files")
EVENTS = "events.jsonl"
NEEDED = (EVENTS, "checkpoint", "heads.jsonl")
NAMES = r"(events|heads)\.jsonl|checkpoint|policy|tile/[0-9px./]+|timestamps/[1-9][0-9]{0,15}\.(tsr|checkpoint)"
TWINS = {"tsr": "checkpoint", "checkpoint": "tsr"}
MAX_POLICY_BYTES = 256 << 10

Place = namedtuple("Place", "offset size sha256")
Listed = namedtuple("Listed", "size sha256")


def parse_json(data):
    """A JSON text as Annals has it: UTF-8, no member twice, numbers as doubles. ValueError or RecursionError."""
    return json.loads(data.decode("utf-8"), parse_int=read_number, parse_float=read_number, parse_constant=refuse,
                      object_pairs_hook=read_object)


def whole(value, least, what):
    """A number of JSON as an int."""
    if not isinstance(value, float) or not least <= value <= MAX_NUMBER or value != int(value):
        raise Invalid("%s is not a whole number from %d" % (what, least))
    return int(value)


def is_version_1(value):
    return isinstance(value, float) and value == 1


MISTAKES = (Invalid, ArithmeticError, KeyError, RecursionError, TypeError, ValueError)


def header_of(name, size, time):
    """The ustar header of a regular file, as the service writes it."""
    octal = b"%011o\0"
    binary = b"\x80" + size.to_bytes(11, "big")  # larger than the octal digits allow
    fields = ((name, 100), (b"0000644\0" + b"0000000\0" * 2 + (octal % size if size < 8**11 else binary) + octal % time, 48),
              (b"        0", 109), (b"ustar\x0000", 255))
    block = b"".join(field.ljust(length, b"\0") for field, length in fields)
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def read_header(block):
    """Name and size of a regular file; ValueError for a header that is not byte for byte one of the service.

    Programs make different things of links, long names, prefixes and old formats.
    """
    name = block[:100].split(b"\0")[0]
    size = int.from_bytes(block[125:136], "big") if block[124] == 0x80 else int(block[124:135], 8)
    if not 0 <= size <= MAX_NUMBER or block != header_of(name, size, int(block[136:147], 8)):
        raise ValueError("not a header of a regular file as the service writes it")
    return name.decode("ascii"), size


def read_tar(file):
    """Where each file of a tar file is, and its SHA-256."""
    places = {}
    while True:
        block = file.read(BLOCK)
        if len(block) != BLOCK:
            raise ValueError("the tar file ends too early")
        if not any(block):
            break
        name, size = read_header(block)
        if name in places:
            raise ValueError("a file comes twice: " + name)
        offset, digest, left = file.tell(), hashlib.sha256(), size
        while left:
            piece = file.read(min(left, PIECE))
            if not piece:
                raise ValueError("the tar file ends in " + name)
            digest.update(piece)
            left -= len(piece)
        if any(file.read(-size % BLOCK)):
            raise ValueError("bytes after the end of " + name)
        places[name] = Place(offset, size, digest.hexdigest())
    second = file.read(BLOCK)
    if len(second) != BLOCK:
        raise ValueError("the tar file has no end")
    if any(second):
        raise ValueError("bytes after the end of the tar file")
    for piece in iter(lambda: file.read(PIECE), b""):
        if any(piece):
            raise ValueError("bytes after the end of the tar file")
    return places


def read_listed(given, name):
    exact(given, ("sha256", "size"), name)
    like(HASH, given["sha256"], "a sha256")
    return Listed(whole(given["size"], 0, "a size"), given["sha256"])


class Bundle:
    """Step 1: an open bundle, of which the files are those that bundle.json names, and no others.

    `events` is the open file with the events of an archive.
    """

    def __init__(self, file, events=None):
        self.file = file
        try:
            self.files = read_tar(file)
            if self.files["bundle.json"].size > MAX_INDEX_BYTES:
                raise ValueError("bundle.json is too long")
            self.take_index(parse_json(self.read("bundle.json", MAX_INDEX_BYTES)), events)
        except MISTAKES as mistake:
            raise Fault("file_mismatch", "not a bundle of evidence (%s)" % mistake)
        for name in NEEDED:
            if name not in self.files and not (name == EVENTS and self.listed_events):
                raise Fault("file_mismatch", "%s is missing" % name)
        self.check_policy()
        if self.events:
            self.events.check(self.listed_events)

    def check_policy(self):
        """The policy is not used, but a reader who opens it should find what it is called."""
        try:
            data = self.read("policy", MAX_POLICY_BYTES) if "policy" in self.files else b"quorum none\n"
            if len(data) > MAX_POLICY_BYTES:
                raise ValueError("it is too long")
            Policy(data)
        except ValueError as mistake:
            raise Fault("file_malformed", "policy: %s" % mistake)

    def take_index(self, index, events):
        apart = isinstance(index, dict) and "events" in index
        exact(index, MEMBERS + (("events",) if apart else ()), "bundle.json")
        if not is_version_1(index["v"]) or index["kind"] != "annals-evidence":
            raise Invalid("another kind or version")
        like("[^\0-\x20]{1,512}", index["origin"], "origin")
        like("acct_[0-9a-z]{1,64}", index["chain"], "chain")
        like(TIME, index["created_at"], "created_at")
        if not isinstance(index["filter"], dict) or not isinstance(index["files"], dict):
            raise Invalid("filter or files is not an object")
        self.origin, self.chain, self.filter = index["origin"], index["chain"], index["filter"]
        self.created_at = index["created_at"]
        self.first = whole(index["from_sequence"], 1, "from_sequence")
        self.last = whole(index["to_sequence"], self.first, "to_sequence")
        self.listed_events = read_listed(index["events"], "events") if apart else None
        self.events = self.open_events(events, EVENTS in index["files"])
        self.check_files(index["files"])

    def open_events(self, events, are_inside):
        if self.listed_events and are_inside:
            raise Invalid("the events are named twice")
        if self.listed_events and not events:
            raise NotChecked("the events of an archive are in a file of their own: name it with --events")
        if events and not self.listed_events:
            raise NotChecked("the bundle has its events itself: --events is for an archive")
        return events and EventsFile(events)

    def check_files(self, listed):
        if set(listed) != set(self.files) - {"bundle.json"}:
            differ = sorted(set(listed) ^ (set(self.files) - {"bundle.json"}))
            raise Invalid("only listed or only there: %s" % ", ".join(differ[:3]))
        for name, given in listed.items():
            base, _, ending = name.rpartition(".")
            is_alone = name.startswith("timestamps/") and "%s.%s" % (base, TWINS.get(ending)) not in listed
            if not re.fullmatch(NAMES, name, re.ASCII) or is_alone:
                raise Invalid("%s does not belong to a bundle" % name)
            size, sha256 = read_listed(given, name)
            if size != self.files[name].size or sha256 != self.files[name].sha256:
                raise Invalid("%s is not what bundle.json says" % name)

    def read(self, name, limit):
        """The bytes of a file, up to a limit that the caller knows to be above what is valid."""
        place = self.files[name]
        self.file.seek(place.offset)
        return self.file.read(min(place.size, limit + 1))

    def lines(self, name):
        """The lines of a file of JSON lines: their numbers, from 1, and their values."""
        for number, line in enumerate(self.texts(name), 1):
            try:
                if not line.endswith(b"\n"):
                    raise Invalid("it has no end, or more than %d bytes" % MAX_LINE_BYTES)
                if b"\r" in line:
                    raise Invalid("it has a carriage return, where some readers end a line")
                value = parse_json(line)
            except MISTAKES as mistake:
                raise Fault("file_malformed", "%s line %d: %s" % (name, number, mistake))
            yield number, value

    def texts(self, name):
        """The lines as bytes, of which one that is too long is cut off."""
        if name == EVENTS and self.events:
            with self.events.text() as text:
                yield from iter(lambda: text.readline(MAX_LINE_BYTES), b"")
            return
        place = self.files[name]
        at, end = place.offset, place.offset + place.size
        while at < end:
            self.file.seek(at)
            line = self.file.readline(min(end - at, MAX_LINE_BYTES))
            at += len(line)
            yield line
