"""Steps 5 and 6: the heads of the chain in the head log, and when a quorum had seen the events."""
from collections import namedtuple

from evidence_files import MISTAKES, is_version_1, parse_json, whole
from evidence_notes import NEVER, Fault, read_signed
from evidence_tree import is_consistent, is_included, leaf_hash, map_root
from chain import HASH, TIME, Invalid, exact, jcs, like

HEAD_MEMBERS = ("epoch", "entry", "head", "path", "checkpoint", "inclusion", "consistency")

Head = namedtuple("Head", "epoch size seen signed log_size log_root")


def hashes(values, most, what):
    if not isinstance(values, list) or len(values) > most:
        raise Invalid("%s is not a list of at most %d hashes" % (what, most))
    for value in values:
        like(HASH, value, "a hash of " + what)
    return [bytes.fromhex(value) for value in values]


class HeadLine:
    """A line of heads.jsonl, with the form that it must have."""

    def __init__(self, record):
        exact(record, HEAD_MEMBERS, "the line")
        self.epoch = whole(record["epoch"], 1, "epoch")
        if not isinstance(record["entry"], str) or not isinstance(record["checkpoint"], str):
            raise Invalid("entry or checkpoint is not a text")
        self.entry, self.note = record["entry"].encode(), record["checkpoint"].encode()
        head = exact(record["head"], ("chain", "root", "size", "v"), "head")
        like("acct_[0-9a-z]{1,64}", head["chain"], "the chain of head")
        like(HASH, head["root"], "the root of head")
        if not is_version_1(head["v"]):
            raise Invalid("unknown version of a head")
        self.chain, self.root, self.record = head["chain"], bytes.fromhex(head["root"]), jcs(head).encode()
        self.size = whole(head["size"], 1, "the size of head")
        self.path = hashes(record["path"], 256, "path")
        self.inclusion = hashes(record["inclusion"], 64, "inclusion")
        self.consistency = hashes(record["consistency"], 64, "consistency")

    def map_of_entry(self):
        """The root of the map that the entry states; Invalid if it is not the entry of this epoch."""
        entry = parse_json(self.entry)
        exact(entry, ("epoch", "heads", "kind", "time", "v"), "the entry")
        like(TIME, entry["time"], "the entry's time")
        like(HASH, entry["heads"], "the entry's heads")
        if entry["kind"] != "heads" or not is_version_1(entry["v"]) or entry["epoch"] != self.epoch:
            raise Invalid("the entry is of another kind, version or epoch")
        if jcs(entry).encode() != self.entry:
            raise Invalid("the entry is not canonical")
        return bytes.fromhex(entry["heads"])


def check_heads(bundle, policy, checkpoint):
    """Step 5. `checkpoint` is the chain's own. Answers a Head for each line, with the time at which a quorum saw it."""
    heads, keys = [], policy.logs + list(policy.witnesses.values())
    for number, record in bundle.lines("heads.jsonl"):
        place = "heads.jsonl line %d" % number
        try:
            line = HeadLine(record)
        except MISTAKES as mistake:
            raise Fault("file_malformed", "%s: %s" % (place, mistake))
        log, signed = read_signed(line.note, keys, bundle.origin, place)
        before = heads[-1] if heads else Head(0, 0, NEVER, (), 0, b"")
        try:
            check_place(line, log, bundle, before)
        except MISTAKES as mistake:
            raise Fault("head_mismatch", "%s: %s" % (place, mistake))
        if line.size < before.size or (log.size == before.log_size and log.root != before.log_root) or \
                not is_consistent(line.size, line.root, checkpoint.size, checkpoint.root, line.consistency):
            raise Fault("consistency_mismatch", "%s: its head does not lead to the checkpoint" % place)
        heads.append(Head(line.epoch, line.size, policy.quorum_time(signed), signed, log.size, log.root))
    if not heads or heads[-1].size != checkpoint.size:
        raise Fault("quorum_missing", "the last head is not that of the checkpoint")
    if policy.quorum and heads[-1].seen == NEVER:
        raise Fault("quorum_missing", "the last head lacks the cosignatures of a quorum")
    return heads


def check_place(line, log, bundle, before):
    if line.epoch <= before.epoch:
        raise Invalid("epochs do not rise")
    if line.chain != bundle.chain:
        raise Invalid("the head is of another chain")
    root = line.map_of_entry()
    if not is_included(line.epoch - 1, log.size, leaf_hash(line.entry), log.root, line.inclusion):
        raise Invalid("the entry is not in the tree of the head log")
    if map_root(line.chain, line.record, line.path) != root:
        raise Invalid("the head is not in the map of the epoch")


# When an event was seen


class Waits:
    """Step 6: the time from an event's created_at until a quorum, or a time stamp, had seen a head that covers it."""

    def __init__(self, heads, stamps, policy, lag, known):
        self.lag, self.fault, self.longest, self.at = lag, None, None, 0
        self.excepted = self.unanchored = 0
        self.sizes = [head.size for head in heads]
        times = [head.seen if policy.quorum else stamped(head, stamps) for head in heads]
        is_timed = any(time < NEVER for time in times)
        self.by = "witnesses" if policy.quorum else "time stamps" if is_timed else None
        is_oldest = bool(heads) and heads[0].epoch == 1 and times[0] < NEVER
        self.older = max([heads[0].size if is_oldest else 0, *known])
        # What an earlier head could not have, a later one can: who saw it then had seen all before it.
        for at in reversed(range(len(times) - 1)):
            times[at] = min(times[at], times[at + 1])
        self.times = times

    def see(self, event):
        while self.at < len(self.sizes) and self.sizes[self.at] < event.number:
            self.at += 1
        time = self.times[self.at] if self.at < len(self.times) else NEVER
        if self.by is None:  # nothing shows how old the log is, so that nothing is older
            self.unanchored += 1
        elif event.number <= self.older:
            self.excepted += 1
        elif time == NEVER:  # after the last time stamp: with witnesses, a quorum has seen the last head
            self.unanchored += 1
        else:
            self.judge(event, time)

    def judge(self, event, time):
        wait = time - event.created_at / 1e6
        if self.longest is None or wait > self.longest[0]:
            self.longest = (wait, event.number)
        if wait > self.lag and self.fault is None:
            self.fault = Fault("anchored_late", "sequence number %d: anchored %d s after it was created; %d s are allowed"
                               % (event.number, wait, self.lag))


def stamped(head, stamps):
    """The earliest time stamp over the head log's checkpoint that holds the head."""
    return min((stamp.time for stamp in stamps if (stamp.size, stamp.root) == (head.log_size, head.log_root)),
               default=NEVER)
