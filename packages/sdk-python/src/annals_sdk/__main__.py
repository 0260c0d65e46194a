"""`python -m annals_sdk verify [--producers] FILE [PREVIOUS_HASH]` verifies an export with proofs, as
verify.py has it. With `--producers` it lists the numbers of producers that are missing, and exits with 1 if
there are any.
`python -m annals_sdk outbox` sends the events of an outbox.
"""

from __future__ import annotations

import sys

from . import verify
from .outbox import command
from .producers import Producers

USAGE = """usage: python -m annals_sdk verify [--producers] FILE [PREVIOUS_HASH]
       python -m annals_sdk outbox [--producer NAME]"""


def _verify_numbers(path: str, previous: str | None = None) -> None:
    producers = Producers()
    verify.main(path, previous, producers.take)
    lines, is_whole = producers.report()
    print("\n".join(lines))
    sys.exit(0 if is_whole else 1)


def main(words: list[str]) -> None:
    match words:
        case ["verify", "--producers", path, *previous] if len(previous) < 2:
            _verify_numbers(path, *previous)
        case ["verify", path, *previous] if path != "--producers" and len(previous) < 2:
            verify.main(path, *previous)
        case ["outbox", *options]:
            command.main(options)
        case _:
            sys.exit(USAGE)


main(sys.argv[1:])
