#!/usr/bin/env python3
"""Changes the files of a valid bundle of evidence, one at a time, and writes what evidence.py says, as JSON lines.

Usage: evidence_mutations.py FOLDER POLICY COUNT SEED NAME... The files named are changed in turn. Where bundle.json
can be made to fit a change, it mostly is, so that the checks behind the list of files are what finds it. All changes
are in one process, because starting one takes longer than a verification.
"""
import copy
import hashlib
import io
import json
import os
import random
import sys
import tarfile

import evidence
from evidence_files import MISTAKES, parse_json
from evidence_notes import Fault, parse_note

INDEX = "bundle.json"
# Nothing vouches for these two but the list of files, and the operator can write another list.
UNLISTED = ("policy", INDEX)
# Members of bundle.json that are the operator's word; a result names the filter.
OPERATORS_WORD = ("created_at", "filter")
RELISTED = 0.8


def read_folder(folder):
    files = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder).replace(os.sep, "/")] = file.read()
    return files


def make_tar(files):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    file.seek(0)
    return file


def relist(files):
    index = json.loads(files[INDEX])
    index["files"] = {name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
                      for name, data in files.items() if name != INDEX}
    return dict(files, **{INDEX: json.dumps(index).encode()})


# Changes of bytes


def flip(data, at, draw):
    return data[:at] + bytes([data[at] ^ draw.randint(1, 255)]) + data[at + 1 :]


def remove(data, at, draw):
    return data[:at] + data[at + draw.choice((1, 2, 32)) :]


def insert(data, at, draw):
    return data[:at] + bytes([draw.randint(0, 255)]) + data[at:]


def cut(data, at, draw):
    return data[:at]


def swap(data, at, draw):
    other = draw.randrange(len(data))
    low, high = min(at, other), max(at, other)
    return data[:low] + data[high : high + 1] + data[low + 1 : high] + data[low : low + 1] + data[high + 1 :]


# Changes of lines, and of values in them


def change_lines(data, at, draw):
    lines, line = data.splitlines(True), data[:at].count(b"\n")
    kind = draw.choice(("without", "twice", "moved"))
    moved = lines.pop(line) if kind != "twice" else lines[line]
    if kind != "without":
        lines.insert(draw.randrange(len(lines) + 1), moved)
    return b"".join(lines)


def change_value(data, at, draw):
    lines, line = data.splitlines(True), data[:at].count(b"\n")
    if len(lines) < 2 or lines[0].strip() == b"{":  # one text of JSON, not a line each
        lines, line = [data], 0
    value = json.loads(lines[line])
    holder, keys = draw.choice(list(places_of(value)))
    key = draw.choice(keys)
    if draw.random() < 0.3:
        del holder[key]
    else:
        holder[key] = another(holder[key], draw)
    lines[line] = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return b"".join(lines)


def places_of(value):
    """The objects and lists in a value that are not empty, with their names or places."""
    if isinstance(value, (dict, list)) and value:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        yield value, keys
        for key in keys:
            yield from places_of(value[key])


def another(value, draw):
    if isinstance(value, str) and value:
        at = draw.randrange(len(value))
        return value[:at] + draw.choice("0af9Z+ ") + value[at + 1 :]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return draw.choice((value + 1, value - 1, -value, value * 256, True))
    return draw.choice((None, {}, [], "", 1, {"id": "x"}))


BYTES = (flip, remove, insert, cut, swap)
TEXTS = BYTES + (change_lines,)
VALUES = TEXTS + (change_value, change_value)


def kinds_for(name):
    if name.startswith("tile/"):
        return BYTES
    return VALUES if name.endswith((".jsonl", ".json")) else TEXTS


# What a verifier must not refuse


class Meaning:
    """What a file says: without white space in JSON, signatures of unknown keys, and the operator's word."""

    def __init__(self, policy, bundle):
        origin, chain = (json.loads(bundle[INDEX])[name] for name in ("origin", "chain"))
        keys = policy.logs + evidence.witnesses(policy) + evidence.account_keys(policy, origin, chain)
        self.known = {(key.name, key.id) for key in keys}

    def of(self, name, data):
        try:
            if name == INDEX:
                return {key: value for key, value in parse_json(data).items() if key not in OPERATORS_WORD}
            if name.endswith(".jsonl"):
                return [self.of_line(parse_json(line)) for line in data.split(b"\n")[:-1]] + data.split(b"\n")[-1:]
        except MISTAKES + (AttributeError,):
            pass
        return data

    def of_line(self, line):
        if isinstance(line.get("checkpoint"), str):
            text, signatures = parse_note(line["checkpoint"].encode())
            line["checkpoint"] = (text, [each for each in signatures if each[:2] in self.known])
        return line


def mutations(files, names, count, draw, meaning):
    """Changes that mean something else: what each is, and the files."""
    made = 0
    while made < count:
        name = names[made % len(names)]
        data, kind = files[name], draw.choice(kinds_for(name))
        at = draw.randrange(len(data))
        changed = kind(data, at, draw)
        if meaning.of(name, changed) == meaning.of(name, data):
            continue
        made += 1
        mutated = dict(copy.copy(files), **{name: changed})
        is_relisted = name not in UNLISTED and draw.random() < RELISTED
        what = "%s: %s at %d%s" % (name, kind.__name__, at, ", relisted" if is_relisted else "")
        yield what, relist(mutated) if is_relisted else mutated


def verdict(files, policy):
    try:
        evidence.verify(make_tar(files), policy)
    except Fault as fault:
        return {"reason": fault.reason, "message": fault.message}
    except Exception as error:  # a verifier that breaks has not verified
        return {"reason": "broken", "message": repr(error)}
    return {"reason": "accepted", "message": ""}


def main(folder, policy_path, count, seed, *names):
    files, policy = read_folder(folder), evidence.read_file(policy_path)
    meaning = Meaning(evidence.read_policy(policy), files)
    print(json.dumps(dict(verdict(files, policy), what="unchanged")))
    for what, mutated in mutations(files, names or sorted(files), int(count), random.Random(int(seed)), meaning):
        print(json.dumps(dict(verdict(mutated, policy), what=what)))


if __name__ == "__main__":
    main(*sys.argv[1:])
