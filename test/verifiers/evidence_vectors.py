#!/usr/bin/env python3
"""Writes what the parts of evidence.py answer for the worked examples in a folder, as one JSON text.

Usage: evidence_vectors.py FOLDER. A note's answer is the list of its signers, or the reason of its fault.
"""
import json
import os
import sys

from evidence_mutations import read_folder
from evidence_notes import (
    Fault, MLDSA44PublicKey, NotChecked, Policy, cosigned_message, parse_note, parse_vkey, read_signed, signers_of)
from evidence_tree import WIDTH, Tiles, inner, is_consistent, is_included, leaf_hash, map_root, tile_name

PATHS = ((0, 0, 256), (0, 2, 88), (1, 0, 2), (0, 999, 256), (0, 1000, 256), (2, 1234067, 256))


def signers(note, names):
    try:
        found = signers_of(parse_note(note.encode()), list(names), "note")
    except (Fault, ValueError) as fault:
        return str(fault).split(":")[0]
    return [names[key] for key, _ in found]


def notes(given):
    names = {parse_vkey(key["vkey"]): name for name, key in given["keys"].items()}
    names[parse_vkey(given["account_vkey"])] = "account"
    ids = [key.id.hex() for key in names if names[key] != "account"]
    policy = Policy(given["policy"].encode())
    return {"ids": ids, "valid": [signers(each["note"], names) for each in given["valid"]],
            "invalid": [signers(each["note"], names) for each in given["invalid"]],
            "policy": [names[key] for key in policy.logs + list(policy.witnesses.values())]}


def mldsa(given):
    if MLDSA44PublicKey is None:
        return None
    message = cosigned_message(parse_vkey(given["vkey"]), given["note_text"], given["time"]).hex()
    answers = [signers(given["note_text"] + "\n" + each["line"].rstrip("\n") + "\n",
                       {parse_vkey(each.get("vkey", given["vkey"])): "w4"})
               for each in [{"line": given["valid"]}] + given["invalid"]]
    return {"message": message, "valid": answers[0], "invalid": answers[1:]}


def root_of(leaves):
    """The definition of RFC 6962, section 2.1, which needs no other part of this verifier."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return inner(root_of(leaves[:split]), root_of(leaves[split:]))


def tree(given):
    leaves = [leaf_hash(b"leaf %d" % index) for index in range(600)]
    roots = {size: root_of(leaves[:size]) for size in range(1, 601)}

    def included(each, change=0):
        proof = [bytes.fromhex(text) for text in each["proof"]]
        index, size = each["index"] + change, each["size"]
        return is_included(index, size, leaves[each["index"]], roots[size], proof)

    def consistent(each, proof):
        return is_consistent(each["from"], roots[each["from"]], each["to"], roots[each["to"]], proof)

    proofs = [[bytes.fromhex(text) for text in each["proof"]] for each in given["consistency"]]
    return {"roots": {str(size): roots[int(size)].hex() for size in given["roots"] if size != "0"},
            "included": [included(each) for each in given["inclusion"]],
            "elsewhere": [included(each, -1) for each in given["inclusion"]],
            "consistent": [consistent(*pair) for pair in zip(given["consistency"], proofs)],
            "longer": [consistent(each, proof + leaves[:1]) for each, proof in zip(given["consistency"], proofs)],
            "paths": [tile_name(*path) for path in PATHS]}


def maps(given):
    def root(head, chain):
        path = [bytes.fromhex(text) for text in head["path"]]
        return map_root(chain, head["record"].encode(), path).hex()

    return {"roots": [[root(head, head["chain"]) for head in each["heads"]] for each in given["maps"]],
            "others": [[root(head, "acct_other") for head in each["heads"]] for each in given["maps"]]}


class Files:
    """The files of a log, as a bundle of evidence has its own."""

    def __init__(self, files):
        self.files = files

    def read(self, name, most):
        return self.files[name][:most]


def entries_of(data):
    entries = []
    while data:
        length = int.from_bytes(data[:2], "big")
        entries.append(data[2 : 2 + length])
        data = data[2 + length :]
    return entries


def log_size(given):
    """The size of a log whose checkpoint, tiles and entries agree, or the reason why they do not."""
    bundles = {name: data for name, data in given.items() if name.startswith("tile/entries/")}
    try:
        key = parse_vkey(given["vkey"].decode())
        checkpoint, _ = read_signed(given["checkpoint"], [key], key.name, "checkpoint")
        tiles = Tiles(Files({name: data for name, data in given.items() if name not in bundles}), checkpoint.size, 0)
        tiles.check(checkpoint.root)
        for index in range((checkpoint.size + WIDTH - 1) // WIDTH):
            name = tiles.name(0, index).replace("tile/0/", "tile/entries/")
            leaves = [leaf_hash(entry) for entry in entries_of(bundles[name])]
            if leaves != tiles.hashes(0, index):
                raise Fault("inclusion_mismatch", "%s has other entries" % name)
    except (Fault, NotChecked, ValueError) as fault:
        return str(fault).split(":")[0]
    return checkpoint.size


def log(folder):
    """The size of a log, and what is said of it if the first byte of a file is another."""
    given = read_folder(folder)
    changed = {name: log_size({**given, name: bytes([data[0] ^ 1]) + data[1:]}) for name, data in given.items()}
    return {"size": log_size(given), "changed": changed}


def main(folder):
    answers = {name: log(os.path.join(folder, name)) for name in ("log", "head-log")}
    for name, part in (("note", notes), ("cosignature-mldsa", mldsa), ("tree", tree), ("map", maps)):
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            answers[name] = part(json.load(file))
    print(json.dumps(answers))


if __name__ == "__main__":
    main(sys.argv[1])
