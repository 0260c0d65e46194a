"""Guarantee: with a spool, each event that track() took is stored once and in order, however often processes
are killed; what cannot be sent is kept and named; a folder is claimed once, and only for its account.
"""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annals_sdk import Annals, Drop, Spool, Tracking
from annals_sdk.spool import claims, own_folder
from annals_sdk.spool.folder import Folder, sync_path
from annals_sdk.spool.lines import line_of, read_lines
from annals_sdk.spool.owner import Owner, key_digest
from conftest import Answer, Received, Server, failed

SOURCE = str(Path(__file__).parents[1] / "src")


class Store:
    """Answers as the service does: what has a known key is stored already. A third of the answers are bad."""

    def __init__(self, account: str = "acct_1", is_faulty: bool = True) -> None:
        self._account = account
        self._is_faulty = is_faulty
        self._random = random.Random(1)
        self._lock = threading.Lock()
        self._keys: set[str] = set()
        self.actions: list[str] = []

    def __call__(self, received: Received) -> Answer:
        if received.path == "/v1/usage":
            return 200, {}, {"data": {"account_id": self._account}}
        if received.body is None:
            return None  # The client was killed before it had sent the whole body: nothing is stored.
        with self._lock:
            dice = self._random.random() if self._is_faulty else 1.0
            if dice < 0.1:
                return failed(429, "rate_limit_exceeded", retry_after="0")
            if received.headers["idempotency-key"] not in self._keys:
                self._keys.add(received.headers["idempotency-key"])
                self.actions += [event["action"] for event in received.body["events"]]
            if dice < 0.2:
                return failed(500, "server_error", retry_after="0")
            return None if dice < 0.3 else (201, {}, {"data": []})


OWNER = "20260131T080000000Z-0123456789ab"
LATER_OWNER = "20260131T081000000Z-0123456789ab"

PRODUCER = """
import sys
from annals_sdk import Annals, Spool, Tracking
url, folder, name, count = sys.argv[1:]
tracking = Tracking(spool=Spool(folder, sync="none"), batch_events=7, max_wait=0.005)
annals = Annals(url, "k", random=lambda: 0.0, tracking=tracking)
for at in range(int(count)):
    if annals.track({"action": f"{name}.{at}"}):
        print(at, flush=True)
annals.flush()
"""


def produce(server: Server, folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PRODUCER, server.url, str(folder), name, str(count)]
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_killed_processes_lose_nothing_and_store_nothing_twice(server: Server, tmp_path: Path) -> None:
    store = Store()
    server.answer = store
    taken: list[str] = []
    dice = random.Random(2)
    for kill in range(6):
        # Few: one that runs ahead at a high load would leave more than the last one can send in time.
        process = produce(server, tmp_path, f"p{kill}", 200)
        assert process.stdout is not None
        for _ in range(dice.randrange(5, 200)):
            taken.append(f"p{kill}.{process.stdout.readline().strip()}")
        process.send_signal(signal.SIGKILL)
        taken += [f"p{kill}.{line.strip()}" for line in process.stdout if line.endswith("\n")]
        process.wait()
    last = produce(server, tmp_path, "last", 1)
    assert last.wait() == 0
    claimed = [action for action in store.actions if not action.startswith("last")]
    # The last event of a process may be written, and not be said to be.
    assert [action for action in taken if action not in set(claimed)] == []
    assert len(set(claimed)) == len(claimed)
    assert len(claimed) - len(taken) <= 6
    for kill in range(6):
        numbers = [int(each.split(".")[1]) for each in claimed if each.startswith(f"p{kill}.")]
        assert numbers == list(range(len(numbers)))


def annals_of(server: Server, folder: Path, drops: list[Drop] | None = None, **options: Any) -> Annals:
    told: Callable[[Drop], object] = (drops if drops is not None else []).append
    key = options.pop("key", "k")
    given = {"batch_events": 5, "max_wait": 0.005, **options}
    tracking = Tracking(spool=given.pop("spool", None) or Spool(folder), on_drop=told, **given)  # type: ignore[arg-type]
    return Annals(server.url, key, random=lambda: 0.0, tracking=tracking)


def left_behind(
    folder: Path,
    state: str,
    *lines: bytes,
    account: str | None = "acct_1",
    key: str | None = None,
    name: str = OWNER,
) -> Path:
    """The folder of a process that is gone."""
    owner = folder / name
    owner.mkdir(parents=True)
    who = {"account": account, "key": key, "boot_id": None, "pid_namespace": None, "pid": 1, "started": None}
    (owner / "owner.json").write_text(json.dumps(who))
    os.utime(owner / "owner.json", (0, 0))
    (owner / f"0000000007.{state}").write_bytes(b"".join(lines))
    return owner


def event(action: str) -> bytes:
    return line_of(json.dumps({"action": action}).encode())


@pytest.mark.parametrize("state", ["open", "ready", "sent"])
def test_what_a_process_left_is_sent_under_its_name(server: Server, tmp_path: Path, state: str) -> None:
    store = Store(is_faulty=False)
    server.answer = store
    torn = b'0123456789abcdef {"torn' if state == "open" else b""
    left_behind(tmp_path, state, event("a1"), event("a2"), torn)
    annals = annals_of(server, tmp_path)
    annals.track({"action": "own"})
    assert annals.flush(10)
    annals.close()
    keys = [each.headers.get("idempotency-key") for each in server.received if each.method == "POST"]
    assert store.actions == ["a1", "a2", "own"]
    assert keys[0] == f"{OWNER}-0000000007"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "lines",
    [
        [event("a1"), b"0123456789abcdef {}\n", event("a2")],
        [event("a1"), event("a2"), b'0123456789abcdef {"lost'],
    ],
    ids=["changed", "without its end"],
)
def test_a_damaged_line_is_kept_and_the_others_are_sent(
    server: Server, tmp_path: Path, lines: list[bytes]
) -> None:
    store = Store(is_faulty=False)
    server.answer = store
    left_behind(tmp_path, "ready", *lines)
    annals = annals_of(server, tmp_path)
    annals.track({"action": "own"})
    annals.flush(10)
    annals.close()
    assert store.actions == ["a1", "a2", "own"]
    assert [each.name for each in tmp_path.glob("*/*.damaged")] == ["0000000007.damaged"]
    assert Spool(tmp_path).stats().damaged == 1


def test_another_account_never_sends_it(server: Server, tmp_path: Path) -> None:
    store = Store("acct_2", is_faulty=False)
    server.answer = store
    left_behind(tmp_path, "ready", event("a1"))
    annals = annals_of(server, tmp_path)
    annals.track({"action": "own"})
    annals.flush(10)
    annals.close()
    assert store.actions == ["own"]
    assert len(list(tmp_path.glob("*/*.ready"))) == 1


def test_of_four_that_claim_a_folder_one_wins(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_ours = claims._is_ours
    # Each has found that its owner is gone before the first one renames it.
    all_found = threading.Barrier(4)

    def wait(*owners: Any) -> bool:
        is_found = is_ours(*owners)
        all_found.wait(10)
        return is_found

    monkeypatch.setattr(claims, "_is_ours", wait)
    store = Store(is_faulty=False)
    server.answer = store
    left_behind(tmp_path, "ready", *[event(f"a{at}") for at in range(20)])
    starts = [annals_of(server, tmp_path) for _ in range(4)]
    for at, annals in enumerate(starts):
        annals.track({"action": f"own{at}"})
    for annals in starts:
        annals.flush(10)
        annals.close()
    keys = [each.headers.get("idempotency-key") for each in server.received]
    assert keys.count(f"{OWNER}-0000000007") == 1
    assert sorted(store.actions) == sorted([f"a{at}" for at in range(20)] + [f"own{at}" for at in range(4)])


@pytest.mark.parametrize("step", ["write_owner", "load"])
def test_a_disk_that_fails_in_a_claim_delays_it_at_most(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    store = Store(is_faulty=False)
    server.answer = store
    left_behind(tmp_path, "ready", event("a1"))

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    problems: list[Exception] = []
    with monkeypatch.context() as patched:
        patched.setattr(Folder, step, fail)
        annals = annals_of(server, tmp_path, spool=Spool(tmp_path, on_problem=problems.append))
        annals.flush(10)
    annals.close()
    annals_of(server, tmp_path).close()
    assert store.actions == ["a1"]
    assert len(problems) == 1


def test_an_own_folder_that_cannot_be_written_stops_no_claim(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(is_faulty=False)
    server.answer = store
    left_behind(tmp_path, "ready", event("a1"), account=None, key=key_digest("k"))
    # The service is asked for the account, which is written to the own folder.
    left_behind(tmp_path, "ready", event("a2"), name=LATER_OWNER)
    write_owner = Folder.write_owner

    def fail(folder: Folder, owner: Owner, now: float) -> None:
        if folder.is_own and (folder.path / "owner.json").exists():
            raise OSError(errno.ENOSPC, "no space left")
        write_owner(folder, owner, now)

    monkeypatch.setattr(Folder, "write_owner", fail)
    problems: list[Exception] = []
    annals = annals_of(server, tmp_path, spool=Spool(tmp_path, on_problem=problems.append))
    annals.track({"action": "own"})
    annals.flush(10)
    annals.close()
    assert store.actions == ["a1", "a2", "own"]
    assert problems != []


def test_refused_events_are_kept_and_halves_have_names_of_their_own(server: Server, tmp_path: Path) -> None:
    def answer(received: Received) -> Answer:
        if received.body is None:
            return 200, {}, {"data": {"account_id": "acct_1"}}
        if any(each["action"] == "bad" for each in received.body["events"]):
            return failed(422, "validation_error")
        return 201, {}, {"data": []}

    server.answer = answer
    drops: list[Drop] = []
    annals = annals_of(server, tmp_path, drops, max_wait=5.0)
    for action in ["a1", "a2", "bad", "a3", "a4"]:
        annals.track({"action": action})
    annals.flush(10)
    annals.close()
    assert server.actions == [
        ["a1", "a2", "bad", "a3", "a4"],
        ["a1", "a2", "bad"],
        ["a1", "a2"],
        ["bad"],
        ["a3", "a4"],
    ]
    keys = [each.headers["idempotency-key"] for each in server.received if each.body]
    endings = [key.partition("-0000000001")[2] for key in keys]
    assert endings == ["", "-1", "-1-1", "-1-2", "-2"]
    assert [(drop.reason, [each["action"] for each in drop.events]) for drop in drops] == [
        ("refused", ["bad"])
    ]
    [kept] = tmp_path.glob("*/*.refused")
    assert [json.loads(text)["action"] for text in read_lines(kept.read_bytes()).texts] == ["bad"]


def test_close_leaves_what_is_not_sent_to_the_next_client(server: Server, tmp_path: Path) -> None:
    server.answer = lambda _: failed(503, "server_error")
    drops: list[Drop] = []
    annals = annals_of(server, tmp_path, drops)
    annals.track({"action": "a1"})
    annals.close(0.2)
    store = Store(is_faulty=False)
    server.answer = store
    following = annals_of(server, tmp_path)
    following.track({"action": "a2"})
    following.flush(10)
    following.close()
    assert (store.actions, drops) == (["a1", "a2"], [])


def test_a_full_spool_drops_by_name(server: Server, tmp_path: Path) -> None:
    server.answer = lambda _: failed(503, "server_error")
    drops: list[Drop] = []
    annals = annals_of(server, tmp_path, drops, spool=Spool(tmp_path, max_bytes=200))
    took = [annals.track({"action": f"a{at}"}) for at in range(5)]
    annals.close(0)
    assert took == [True, True, False, False, False]
    assert [drop.reason for drop in drops] == ["full"] * 3


def test_a_disk_that_refuses_leaves_events_in_memory(server: Server, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    store = Store(is_faulty=False)
    server.answer = store
    annals = annals_of(server, blocked / "spool")
    assert annals.track({"action": "a1"})
    annals.flush(10)
    annals.close()
    assert store.actions == ["a1"]


def test_files_that_are_complete_but_wait_are_flushed_soon(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = lambda _: failed(503, "server_error")
    flushed: set[str] = set()
    is_flushed = threading.Event()

    def sync(path: Path) -> None:
        sync_path(path)
        flushed.add(path.name)
        if {"0000000002.open", "0000000003.open"} <= flushed:
            is_flushed.set()

    monkeypatch.setattr(own_folder, "sync_path", sync)
    annals = annals_of(server, tmp_path, batch_events=2)
    for action in ["a1", "a2", "a3", "a4", "a5"]:
        annals.track({"action": action})
    # The first batch is repeated, so the others are not sealed.
    assert is_flushed.wait(10)
    annals.close(0)
