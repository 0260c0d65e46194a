"""`python -m annals_sdk verify FILE [PREVIOUS_HASH]` verifies an export with proofs, as verify.py has it.
`python -m annals_sdk outbox` sends the events of an outbox.
"""

from __future__ import annotations

import sys

from . import verify
from .outbox import command

USAGE = """usage: python -m annals_sdk verify FILE [PREVIOUS_HASH]
       python -m annals_sdk outbox [--producer NAME]"""


def main(words: list[str]) -> None:
    match words:
        case ["verify", path]:
            verify.main(path)
        case ["verify", path, previous]:
            verify.main(path, previous)
        case ["outbox", *options]:
            command.main(options)
        case _:
            sys.exit(USAGE)


main(sys.argv[1:])
