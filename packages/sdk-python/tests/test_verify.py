"""Guarantee: the vectors of the service are valid, and nothing is that differs from them, in both forms."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from annals_sdk import verify_events
from annals_sdk.producers import Producers
from annals_sdk.verify import GENESIS
from annals_sdk.verify_events import check_links

FOLDER = Path(__file__).parents[1]
VECTORS: list[Any] = json.loads((FOLDER.parents[1] / "test/vectors/hash-v1.json").read_text())


def page(events: list[Any]) -> Any:
    return {"data": events, "proofs": [each["proof"] for each in VECTORS]}


def events() -> list[Any]:
    return [copy.deepcopy(each["event"]) for each in VECTORS]


def test_the_vectors_are_verified_as_one_page_and_as_several() -> None:
    whole = verify_events([page(events())])
    single = [{"data": [each["event"]], "proofs": [each["proof"]]} for each in VECTORS]
    assert (whole.state, whole.events, whole.faults) == ("verified", len(VECTORS), [])
    assert verify_events(single) == whole  # type: ignore[arg-type]


def test_each_change_is_found() -> None:
    seen = []
    for name, value in [
        ("action", "x"),
        ("metadata", {"x": 1}),
        ("hash", "0" * 64),
        ("previous_hash", "1" * 64),
    ]:
        changed = events()
        changed[0][name] = value
        seen.append(verify_events([page(changed)]).state)
    assert seen == ["differs"] * 4


def test_an_event_that_does_not_link_to_the_one_before_it_is_found() -> None:
    hashes = ["a" * 64, "b" * 64, "c" * 64]
    chain = [
        {"sequence_number": at + 1, "hash": own, "previous_hash": before}
        for at, (own, before) in enumerate(zip(hashes, [GENESIS, *hashes], strict=False))
    ]
    assert check_links(chain) == ["verified"] * 3
    chain[1]["previous_hash"] = "d" * 64
    assert check_links(chain) == ["verified", "differs", "verified"]
    assert check_links(chain[::2]) == ["verified", "unchecked"]


def test_what_has_no_proof_is_unchecked() -> None:
    assert verify_events([{"data": events()}]).state == "unchecked"
    assert verify_events([]).state == "unchecked"


def run(*words: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(FOLDER / "src")}
    command = [sys.executable, "-m", "annals_sdk", *words]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    return ended.returncode, (ended.stdout + ended.stderr).strip()


def test_the_command_verifies_a_file(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    lines = [json.dumps({"event": each["event"], "proof": each["proof"]}) for each in VECTORS]
    file.write_text("".join(f"{line}\n" for line in lines))
    assert run("verify", str(file)) == (0, f"valid: {len(VECTORS)} events")
    file.write_text("".join(f"{line}\n" for line in lines).replace("invoice", "invoicf"))
    assert run("verify", str(file))[0] == 1
    usage = "usage: python -m annals_sdk verify [--producers] FILE [PREVIOUS_HASH]"
    for words in [
        (),
        (str(file), "0" * 64, "x"),
        ("--producers",),
        ("--producers", str(file), "0" * 64, "x"),
    ]:
        code, text = run("verify", *words)
        assert (code, text.split("\n")[0]) == (1, usage), words


def test_the_command_lists_missing_numbers_of_producers(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    lines = [json.dumps({"event": each["event"], "proof": each["proof"]}) for each in VECTORS]
    file.write_text("".join(f"{line}\n" for line in lines))
    said = f"valid: {len(VECTORS)} events\n  producer  no event has a number of a producer"
    assert run("verify", "--producers", str(file)) == (0, said)
    file.write_text("\n")
    assert run("verify", "--producers", str(file))[0] == 1


def numbered(n: float, id: str = "p", dropped: float = 0.0) -> dict[str, Any]:
    return {"context": {"producer": {"id": id, "n": n, "dropped": dropped}}}


def test_what_is_kept_of_producers_is_bounded() -> None:
    many = Producers()
    for at in range(10_001):
        many.take(numbered(1.0, f"p{at}"))
    lines, is_whole = many.report()
    assert (len(lines), lines[-1], is_whole) == (
        10_001,
        "  producer  there are more than can be checked",
        False,
    )
    gaps = Producers()
    for at in range(100_002):
        gaps.take(numbered(2.0 * at))
    assert gaps.report()[0][-1] == "  producer  there are more than can be checked"
    assert "100000 missing: 1, 3, 5" in gaps.report()[0][0]
    assert gaps.report()[0][0].endswith("39 and 99980 more gaps")


def test_what_a_killed_process_may_have_given_last_need_not_be_there() -> None:
    producers = Producers()
    for n, more in [(1.0, {}), (10.0, {"after": 4.0})]:
        event = numbered(n)
        event["context"]["producer"].update(more)
        producers.take(event)
    assert "3 missing: 2-4" in producers.report()[0][0]


def test_an_id_cannot_control_a_terminal() -> None:
    producers = Producers()
    producers.take(numbered(1.0, '\x1b[2J"\u202e' + "x" * 200))
    assert producers.report()[0][0].startswith('  producer  "\\u001b[2J\\"\\u202ex')
    assert 'x…", 1 events' in producers.report()[0][0]
