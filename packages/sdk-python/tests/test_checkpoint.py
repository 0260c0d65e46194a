"""Guarantee: a checkpoint is accepted only by what its caller trusts, and the error says why it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annals_sdk import CheckpointError, Cosignature, verify_checkpoint

VECTORS: Any = json.loads((Path(__file__).parents[3] / "test/vectors/evidence/note.json").read_text())
LOG: str = VECTORS["keys"]["log"]["vkey"]
POLICY: str = VECTORS["policy"]
ALONE, _, WITNESSED, OF_ACCOUNT = (each["note"] for each in VECTORS["valid"][:4])
ACCOUNT = "acct_29a6a5e3c39862766d20"
#: The log has signed it, by its own name.
OF_ANOTHER = (
    "log.example.com/others\n12\nRbdxxxsOKTMWTlvW285UAG0X8UrUHZi81ya97ZWfnJQ=\n\n— log.example.com/vectors "
    "gyfgluEw+mabkcwaHEF3P89GF4gMOn5zzrHecsG3xaa02eHpgdunPrR0ZfLzvCJH/naL/yrV0iLv66EaPrWTRyJGjwg=\n"
)


def reason_of(note: str, trusted: str, account: str | None = None) -> str:
    try:
        verify_checkpoint(note, trusted, account=account)
    except CheckpointError as refused:
        return refused.reason
    return "accepted"


@pytest.mark.parametrize(
    ("note", "trusted", "account", "reason"),
    [
        (ALONE, LOG, None, "accepted"),
        (ALONE, LOG + "\n", None, "accepted"),
        (WITNESSED, POLICY, None, "accepted"),
        (ALONE, POLICY, None, "quorum_missing"),
        (OF_ACCOUNT, LOG, ACCOUNT, "accepted"),
        (OF_ACCOUNT, LOG, "acct_1", "signature_missing"),
        (OF_ACCOUNT, LOG, None, "signature_missing"),
        (OF_ANOTHER, LOG, None, "signature_missing"),
        (ALONE, VECTORS["keys"]["next"]["vkey"], None, "signature_missing"),
        (ALONE.replace("\n12\n", "\n13\n"), LOG, None, "signature_invalid"),
        ("x", LOG, None, "malformed"),
        ("x\n\n", LOG, None, "malformed"),
        (ALONE + "\ud800", LOG, None, "malformed"),
    ],
)
def test_a_checkpoint_is_accepted_by_what_its_caller_trusts(
    note: str, trusted: str, account: str | None, reason: str
) -> None:
    assert reason_of(note, trusted, account) == reason


def test_a_checkpoint_says_what_was_signed() -> None:
    found = verify_checkpoint(WITNESSED, POLICY)
    root = "45b771c71b0e2933164e5bd6dbce54006d17f14ad41d98bcd726bded959f9c94"
    assert (found.origin, found.size, found.root) == ("log.example.com/vectors", 12, root)
    assert (len(found.witnesses), found.uncounted) == (2, [])
    assert found.witnesses[0] == Cosignature("w1", 1_772_500_000)


@pytest.mark.parametrize(
    ("trusted", "said"),
    [
        ("", "it has no quorum line"),
        ("x", "line 1: a vkey is"),
        (LOG + "x", "line 1: a vkey is"),
        (f"log {LOG}\n# é\nwitness w", "line 3: witness <name>"),
        ("quorum none\r", "control characters"),
        ("quorum none\nquorum none", "line 2: there is a second quorum"),
        (f"log {LOG}\nlog {LOG}", "line 2: the public key appears twice"),
        ("# \ud800\nquorum none", "control characters"),
        ("quorum none\n#" + "é" * (1 << 17), "too long"),
    ],
)
def test_a_policy_that_cannot_be_used_is_named(trusted: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        verify_checkpoint(ALONE, trusted)
