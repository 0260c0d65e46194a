"""`python -m annals_sdk verify FILE [PREVIOUS_HASH]` verifies an export with proofs, as verify.py has it."""

from __future__ import annotations

import sys

from . import verify

USAGE = "usage: python -m annals_sdk verify FILE [PREVIOUS_HASH]"


def main(words: list[str]) -> None:
    match words:
        case ["verify", path]:
            verify.main(path)
        case ["verify", path, previous]:
            verify.main(path, previous)
        case _:
            sys.exit(USAGE)


main(sys.argv[1:])
