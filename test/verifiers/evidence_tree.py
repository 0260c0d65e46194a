"""Merkle trees (RFC 6962), their proofs and tiles (C2SP's tlog-tiles), and the map of heads.

Hashes are bytes. A proof is checked by computing the roots that it leads to, as RFC 9162 (section 2.1) describes.
"""
import hashlib
import re
from functools import lru_cache

from evidence_notes import Fault, NotChecked

WIDTH = 256
HASH_BYTES = 32
TILE_NAME = r"tile/(0|[1-9][0-9]?)/((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?"


def leaf_hash(entry):
    return hashlib.sha256(b"\0" + entry).digest()


def inner(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


# Proofs


def is_included(index, size, leaf, root, proof):
    """Whether the proof leads from the leaf at `index` to the root of a tree of `size` leaves."""
    if not 0 <= index < size:
        return False
    node, last = leaf, size - 1
    for sibling in proof:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = inner(sibling, node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = inner(node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and node == root


def is_consistent(old_size, old_root, size, root, proof):
    """Whether the proof shows that the tree of `old_size` leaves is a prefix of that of `size`."""
    if not 1 <= old_size <= size:
        return False
    if old_size == size:
        return not proof and old_root == root
    path = list(proof)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    index, last = old_size - 1, size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old_node = node = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            old_node, node = inner(sibling, old_node), inner(sibling, node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = inner(node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and old_node == old_root and node == root


def map_root(chain, head_record, path):
    """The root of the map in which the chain has this head and the siblings of `path`, from the top down."""
    key = hashlib.sha256(b"annals/chain/v1\n" + chain.encode()).digest()
    node = hashlib.sha256(b"\0" + key + hashlib.sha256(head_record).digest()).digest()
    bits = int.from_bytes(key, "big")
    for depth in reversed(range(len(path))):
        is_right = bits >> (255 - depth) & 1
        node = inner(path[depth], node) if is_right else inner(node, path[depth])
    return node


# Tiles


def tile_name(level, index, width):
    parts = ["%03d" % (index % 1000)]
    while index >= 1000:
        index //= 1000
        parts.insert(0, "x%03d" % (index % 1000))
    return "tile/%d/%s" % (level, "/".join(parts)) + ("" if width == WIDTH else ".p/%d" % width)


def fold(nodes):
    """The root of a tree of which these are the leaves; a power of two of them, so that it is perfect."""
    while len(nodes) > 1:
        nodes = [inner(nodes[i], nodes[i + 1]) for i in range(0, len(nodes), 2)]
    return nodes[0]


class Tiles:
    """The tiles of a tree of `size` leaves in a bundle, which has none of level 0 that end before `first`."""

    def __init__(self, bundle, size, first):
        self.bundle, self.size = bundle, size
        self.first_tile = max(0, first - 1) // WIDTH
        self.hashes = lru_cache(maxsize=8)(self.read)

    def count(self, level):
        """How many tiles a level has, and how wide its last one is."""
        nodes = self.size >> 8 * level
        return (nodes + WIDTH - 1) // WIDTH, (nodes - 1) % WIDTH + 1

    def name(self, level, index):
        count, last_width = self.count(level)
        return tile_name(level, index, last_width if index == count - 1 else WIDTH)

    def read(self, level, index):
        """The hashes of a tile."""
        name = self.name(level, index)
        count, last_width = self.count(level)
        width = last_width if index == count - 1 else WIDTH
        data = self.bundle.read(name, WIDTH * HASH_BYTES)
        if len(data) != width * HASH_BYTES:
            raise Fault("inclusion_mismatch", "%s does not have %d hashes" % (name, width))
        return [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]

    def leaf(self, index):
        return self.hashes(0, index // WIDTH)[index % WIDTH]

    def root_at(self, size):
        """The root of the tree when it had `size` leaves: its perfect subtrees, the smallest first, from the right."""
        root, level = None, 0
        while size >> 8 * level:
            nodes = size >> 8 * level
            width = nodes % WIDTH
            if width and self.name(level, nodes // WIDTH) not in self.bundle.files:
                raise NotChecked("the bundle has no tiles for the size %d" % size)
            row = self.hashes(level, nodes // WIDTH)[:width] if width else []
            while row:
                perfect = len(row) & -len(row)
                subtree = fold(row[len(row) - perfect :])
                row = row[: len(row) - perfect]
                root = subtree if root is None else inner(subtree, root)
            level += 1
        return hashlib.sha256().digest() if root is None else root

    def check(self, root):
        """Every tile is there, they give the root, and each full one gives the entry above it."""
        found = [self.check_name(name) for name in self.bundle.files if name.startswith("tile/")]
        level = 0
        while self.size >> 8 * level:
            for index in range(self.first_tile if level == 0 else 0, self.count(level)[0]):
                if self.name(level, index) not in self.bundle.files:
                    raise Fault("inclusion_mismatch", "%s is missing" % self.name(level, index))
            level += 1
        if self.root_at(self.size) != root:
            raise Fault("inclusion_mismatch", "the tiles do not give the root of the checkpoint")
        for level, index, width in sorted(found, reverse=True):
            hashes = self.read(level, index)
            if width == WIDTH and fold(hashes) != self.hashes(level + 1, index // WIDTH)[index % WIDTH]:
                raise Fault("inclusion_mismatch", "%s is not the entry above it" % self.name(level, index))

    def check_name(self, name):
        """Level, index and width of a tile that the tree has."""
        match = re.fullmatch(TILE_NAME, name, re.ASCII)
        level, index = (int(match[1]), int(re.sub("[x/]", "", match[2]))) if match else (64, 0)
        width = int(match[3] or WIDTH) if match else 0
        if level > 6 or index >= self.count(level)[0] or self.name(level, index) != name:
            raise Fault("inclusion_mismatch", "%s: the tree does not have this tile" % name)
        return level, index, width
