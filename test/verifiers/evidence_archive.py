"""The events of an archive, which are in a file of their own: a text, or the text in one zstd frame (RFC 8878).

Where the frame ends is read from the sizes of its blocks, because decompressors differ in what they do with bytes
behind the first frame. The text is decompressed by Python 3.14, or by the program zstd, and is never whole in memory.
"""
import hashlib
import io
import os
import subprocess
from contextlib import contextmanager
from shutil import which

from evidence_notes import Fault, NotChecked

try:
    from compression import zstd
except ImportError:
    zstd = None

MAGIC = b"\x28\xb5\x2f\xfd"
MAX_WINDOW = 8 << 20
PIECE = 1 << 20
RUN_LENGTH, RESERVED = 1, 3


def mismatch(message):
    return Fault("file_mismatch", "the events %s" % message)


class Frame:
    """The first zstd frame of a file, followed from its first byte to its end."""

    def __init__(self, file):
        self.file = file
        file.seek(len(MAGIC))
        descriptor = self.number(1)
        single = descriptor >> 5 & 1
        window = 0 if single else self.number(1)
        self.number((0, 1, 2, 4)[descriptor & 3])  # the id of a dictionary
        length = ((1 if single else 0), 2, 4, 8)[descriptor >> 6]
        content = self.number(length) + (256 if length == 2 else 0)
        base = 1024 << (window >> 3)
        if (content if single else base + base // 8 * (window & 7)) > MAX_WINDOW:
            raise mismatch("are a zstd frame that needs more than %d bytes of memory" % MAX_WINDOW)
        while not self.block():
            pass
        self.end = file.tell() + (4 if descriptor & 4 else 0)

    def number(self, length):
        data = self.file.read(length)
        if len(data) < length:
            raise mismatch("are a zstd frame that was cut off")
        return int.from_bytes(data, "little")

    def block(self):
        """Skips a block, and answers whether it is the last one."""
        header = self.number(3)
        kind = header >> 1 & 3
        if kind == RESERVED:
            raise mismatch("are a damaged zstd frame")
        self.file.seek(1 if kind == RUN_LENGTH else header >> 3, os.SEEK_CUR)
        return header & 1


class EventsFile:
    """An open file, without a buffer of Python, because the program zstd reads it where it is."""

    def __init__(self, file):
        self.file = file
        file.seek(0)
        self.is_compressed = file.read(len(MAGIC)) == MAGIC
        if self.is_compressed and zstd is None and which("zstd") is None:
            raise NotChecked("without Python 3.14 or the program zstd, decompress the events before")

    def check(self, listed):
        """Step 1: the text is the listed one, byte for byte, and the file has nothing else."""
        if self.is_compressed:
            size, end = self.file.seek(0, os.SEEK_END), Frame(self.file).end
            if end != size:
                raise mismatch("are a zstd frame that was cut off" if end > size else "have bytes behind a zstd frame")
        digest, size = hashlib.sha256(), 0
        with self.text() as text:
            for piece in iter(lambda: text.read(PIECE), b""):
                digest.update(piece)
                size += len(piece)
                if size > listed.size:
                    break
        if size != listed.size or digest.hexdigest() != listed.sha256:
            raise mismatch("are not those that bundle.json names")

    @contextmanager
    def text(self):
        """The text from its beginning, as a file."""
        self.file.seek(0)
        if not self.is_compressed:
            text = io.BufferedReader(self.file, PIECE)
            try:
                yield text
            finally:
                text.detach()
        elif zstd is not None:
            try:
                with zstd.open(self.file) as text:
                    yield text
            except (zstd.ZstdError, EOFError):
                raise mismatch("are a damaged zstd frame")
        else:
            command = ("zstd", "--decompress", "--stdout", "--quiet")
            process = subprocess.Popen(command, stdin=self.file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            with process, process.stdout as text:
                try:
                    yield text
                    is_damaged = not text.read(1) and process.wait() != 0
                finally:
                    process.kill()
            if is_damaged:
                raise mismatch("are a damaged zstd frame")
