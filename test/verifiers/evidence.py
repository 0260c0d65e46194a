#!/usr/bin/env python3
"""Verifies a bundle of evidence, offline. The keys come from the policy that the caller names, never from the bundle.

Usage: evidence.py EVIDENCE.tar --policy FILE [--events EVENTS] [--known CHECKPOINT]... [--max-anchor-lag SECONDS]
                   [--tsa-ca PEM]

The checks are in the order of the page on evidence; the first fault is named and ends the verification. Exit status:
0 valid, 1 with the reason, 2 if the verification was not possible. The parts: evidence_files.py (tar file, step 1),
evidence_archive.py (events in a file of their own), evidence_notes.py (signatures and the policy), evidence_tree.py
(step 2), evidence_events.py (steps 3 and 4), evidence_heads.py (steps 5 and 6), evidence_timestamps.py, chain.py
(hash format v1).
"""
import argparse
import sys
from collections import namedtuple
from contextlib import ExitStack
from datetime import datetime, timezone

from evidence_events import check_events
from evidence_files import Bundle
from evidence_heads import Waits, check_heads
from evidence_notes import ED25519, MAX_NOTE_BYTES, NEVER, Fault, NotChecked, Policy, make_key, read_signed, uncheckable
from evidence_timestamps import check_stamps, verify_token
from evidence_tree import Tiles
from chain import jcs

MAX_LAG_S = 26 * 3600
MAX_FILE_BYTES = 1 << 20

Known = namedtuple("Known", "origin size root")
Report = namedtuple("Report", "bundle policy checkpoint events erasures heads waits stamps unchecked known")


def account_keys(policy, origin, chain):
    """The log's keys under the name of the chain: an account's log has the key of the head log."""
    name = "%s/%s" % (origin, chain)
    return [make_key(name, ED25519, log.public) for log in policy.logs if log.name == origin and log.type == ED25519]


def known_keys(policy, origin, chain):
    """A log that follows another keeps its keys, and a policy names a key once: the keys of the new log count then."""
    name = "%s/%s" % (origin, chain)
    trusted = [log for log in policy.logs if log.type == ED25519]
    return account_keys(policy, origin, chain) or [make_key(name, ED25519, log.public) for log in trusted]


def witnesses(policy):
    return list(policy.witnesses.values())


def read_policy(data):
    try:
        policy = Policy(data)
    except ValueError as mistake:
        raise NotChecked("the policy cannot be used: %s" % mistake)
    if not policy.logs:
        raise NotChecked("the policy names no log, so it trusts none")
    return policy


def read_known(data, policy, bundle):
    """A checkpoint of the chain that the caller kept, which a log of the policy signed."""
    first, _, ending = data.partition(b"\n")[0].decode("utf-8", "replace").rpartition("/")
    origins = {log.name for log in policy.logs} | ({first} if ending == bundle.chain else set())
    for origin in sorted(origins):
        keys = known_keys(policy, origin, bundle.chain) + witnesses(policy)
        try:
            checkpoint, _ = read_signed(data, keys, "%s/%s" % (origin, bundle.chain), "a known checkpoint")
            return Known(origin, checkpoint.size, checkpoint.root)
        except Fault as fault:
            if fault.reason != "signature_missing":
                raise NotChecked(str(fault))
    raise NotChecked("a known checkpoint is not signed by a log of the policy for %s" % bundle.chain)


def check_known(known, tiles, size):
    """Step 7: the chain of the bundle begins with what was kept."""
    if known.size > size:
        raise Fault("checkpoint_conflict", "the bundle is older than a known checkpoint of size %d" % known.size)
    if tiles.root_at(known.size) != known.root:
        raise Fault("checkpoint_conflict", "the chain does not continue a known checkpoint of size %d" % known.size)


def attempt(check):
    """The answer of a check, and the fault that it found, which is raised once its turn comes."""
    try:
        return check(), None
    except (Fault, NotChecked) as fault:
        return None, fault


def verify(file, policy, known=(), lag=MAX_LAG_S, authorities=None, verify_stamp=verify_token, events=None):
    """Verifies an open file. `policy` and `known` are bytes, `authorities` is the path of a PEM file, `events` the open
    file with the events of an archive.

    Steps 5 and 6 are read before the events, which are read once: an event meets the head that covers it. What they
    find is raised after the faults of the events, so that the first fault is that of the page.
    """
    policy = read_policy(policy)
    bundle = Bundle(file, events)
    known = [read_known(data, policy, bundle) for data in known]

    keys = account_keys(policy, bundle.origin, bundle.chain) + witnesses(policy)
    name = "%s/%s" % (bundle.origin, bundle.chain)
    checkpoint, _ = read_signed(bundle.read("checkpoint", MAX_NOTE_BYTES), keys, name, "checkpoint")
    if bundle.last > checkpoint.size:
        raise Fault("inclusion_mismatch", "the checkpoint does not cover the last event")
    tiles = Tiles(bundle, checkpoint.size, bundle.first - 1)
    tiles.check(checkpoint.root)

    heads, head_fault = attempt(lambda: check_heads(bundle, policy, checkpoint))
    stamps, stamp_fault = attempt(lambda: check_stamps(bundle, policy, authorities, verify_stamp))
    verified, unchecked = stamps or ((), 0)
    older = [each for each in known if each.origin != bundle.origin]
    waits = Waits(heads or [], verified, policy, lag, [each.size for each in older])

    erasures, events = check_events(bundle, tiles, waits.see)
    for fault in (head_fault, stamp_fault):
        if fault:
            raise fault
    for each in older:  # they except events from step 6, so they are checked before it
        check_known(each, tiles, checkpoint.size)
    if waits.fault:
        raise waits.fault
    for each in known:
        check_known(each, tiles, checkpoint.size)
    return Report(bundle, policy, checkpoint, events, erasures, heads, waits, verified, unchecked, known)


def day_and_time(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def seen_by(head, policy):
    names = {key: name for name, key in policy.witnesses.items()}
    seen = sorted((time, names[key]) for key, time in head.signed if key in names)
    return ", ".join("%s %s" % (name, day_and_time(time)) for time, name in seen)


def lines_of(report):
    """What an auditor reads of a valid bundle."""
    bundle, waits, policy = report.bundle, report.waits, report.policy
    yield "valid: %d events, %d to %d of %s" % (report.events, bundle.first, bundle.last, bundle.chain)
    yield "log: %s, the chain's checkpoint has size %d" % (bundle.origin, report.checkpoint.size)
    yield "erased parts: %d, records: %d" % (report.erasures.parts, report.erasures.count)
    times = [time for time in waits.times if time < NEVER]
    if waits.by:
        yield "anchored by %s" % waits.by + ("" if not times else ", from %s to %s" % (
            day_and_time(times[0]), day_and_time(times[-1])))
        if waits.longest:
            yield "longest wait: %d s, sequence number %d" % waits.longest
        if waits.excepted:
            yield "older than the log, so without a wait: %d events" % waits.excepted
        yield "last head seen by %s" % (seen_by(report.heads[-1], policy) or "no witness")
    if waits.unanchored:
        yield "not anchored: %d events" % waits.unanchored
    for known in report.known:
        yield "continues a known checkpoint of %s, size %d" % (known.origin, known.size)
    yield from not_checked(report)


def not_checked(report):
    bundle = report.bundle
    if bundle.filter:
        yield "not checked: what the filter left out; it is %s" % jcs(bundle.filter)
    if report.policy.quorum is None:
        yield "not checked: whether the log is as old as it says; that takes witnesses, who saw its epoch 1"
    if report.unchecked:
        yield "not checked: %d time stamps, for which no authority was given" % report.unchecked
    for name, key in report.policy.witnesses.items():
        if uncheckable(key):
            yield "not checked: cosignatures of %s, ML-DSA-44, without the package cryptography" % name


def read_file(path):
    with open(path, "rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise NotChecked("%s has more than %d bytes" % (path, MAX_FILE_BYTES))
    return data


def seconds(text):
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


def main(arguments):
    parser = argparse.ArgumentParser(description="Verifies a bundle of evidence.")
    parser.add_argument("bundle", metavar="EVIDENCE.tar")
    parser.add_argument("--policy", metavar="FILE", required=True)
    parser.add_argument("--events", metavar="EVENTS")
    parser.add_argument("--known", metavar="CHECKPOINT", action="append", default=[])
    parser.add_argument("--max-anchor-lag", metavar="SECONDS", type=seconds, default=MAX_LAG_S)
    parser.add_argument("--tsa-ca", metavar="PEM")
    given = parser.parse_args(arguments)
    try:
        known = [read_file(path) for path in given.known]
        if given.tsa_ca and b"-----BEGIN CERTIFICATE-----" not in read_file(given.tsa_ca):
            raise NotChecked("%s has no certificate" % given.tsa_ca)
        with ExitStack() as opened:
            file = opened.enter_context(open(given.bundle, "rb"))
            events = given.events and opened.enter_context(open(given.events, "rb", buffering=0))
            report = verify(file, read_file(given.policy), known, given.max_anchor_lag, given.tsa_ca, events=events)
    except Fault as fault:
        print("invalid: %s" % fault, file=sys.stderr)
        return 1
    except (NotChecked, OSError) as mistake:
        print("not checked: %s" % mistake, file=sys.stderr)
        return 2
    print("\n".join(lines_of(report)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
