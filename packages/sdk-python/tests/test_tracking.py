"""Guarantee: what track() takes is sent once and in order, or named, also in forked processes, at the exit of
the interpreter, and where no thread can start. `test/clients` has the cases that all SDKs share.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from annals_sdk import Annals, Drop, Tracking, TrackingLimits
from conftest import Answer, Server, failed

SOURCE = str(Path(__file__).parents[1] / "src")


def test_batches_are_sent_in_order_and_compressed(server: Server) -> None:
    with Annals(server.url, "k", tracking=Tracking(batch_events=2)) as annals:
        for at in range(5):
            assert annals.track({"action": f"a{at}", "metadata": {"text": "x" * 600}})
        assert annals.flush(10)
    assert server.actions == [["a0", "a1"], ["a2", "a3"], ["a4"]]
    assert [each.headers.get("content-encoding") for each in server.received] == ["gzip", "gzip", None]
    assert all("occurred_at" in event for each in server.received for event in each.body["events"])


def test_nothing_runs_before_the_first_event_and_after_close(server: Server) -> None:
    before = threading.active_count()
    annals = Annals(server.url, "k")
    opened = threading.active_count()
    annals.track({"action": "a1"})
    annals.close()
    names = [each.name for each in threading.enumerate()]
    assert (opened, "annals_sdk" in names) == (before, False)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), "\ud800", datetime(2026, 1, 31)])
def test_what_json_lacks_is_named(value: Any) -> None:
    drops: list[Drop] = []
    annals = Annals("http://127.0.0.1:1", "k", tracking=Tracking(on_drop=drops.append))
    assert not annals.track({"action": "a1", "metadata": {"value": value}})
    assert [drop.reason for drop in drops] == ["unserializable"]


def test_times_with_an_offset_are_json(server: Server) -> None:
    with Annals(server.url, "k") as annals:
        annals.track({"action": "a1", "metadata": {"at": datetime(2026, 1, 31, tzinfo=timezone.utc)}})
    assert server.received[0].body["events"][0]["metadata"] == {"at": "2026-01-31T00:00:00+00:00"}


def test_clients_share_a_bound(server: Server) -> None:
    server.answer = lambda _: failed(500, "server_error")
    drops: list[Drop] = []
    tracking = Tracking(limits=TrackingLimits(max_events=2), on_drop=drops.append)
    one, other = (Annals(server.url, "k", tracking=tracking) for _ in range(2))
    assert (one.track({"action": "a1"}), other.track({"action": "a2"})) == (True, True)
    assert not one.track({"action": "a3"})
    assert not other.ready(0.01)
    one.close(0)
    other.close(0)
    assert [drop.reason for drop in drops][:1] == ["full"]
    assert other.ready(0)


def test_a_callback_that_raises_changes_nothing(server: Server) -> None:
    def raises(_: Any) -> None:
        raise RuntimeError("of a test")

    answers: list[Answer] = [
        failed(503, "server_error"),
        failed(422, "validation_error"),
        (201, {}, {"data": []}),
    ]
    server.answer = lambda _: answers.pop(0)
    tracking = Tracking(on_drop=raises, on_retry=raises, batch_events=1)
    with Annals(server.url, "k", tracking=tracking) as annals:
        annals.track({"action": "a1"})
        annals.track({"action": "a2"})
        assert annals.flush(10)
    assert server.actions == [["a1"], ["a1"], ["a2"]]


def run(code: str, *parameters: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    command = [sys.executable, "-c", code, *parameters]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=True)


AT_EXIT = """
import sys
from annals_sdk import Annals
annals = Annals(sys.argv[1], "k")
for at in range(100):
    annals.track({"action": f"a{at}"})
"""


def test_the_end_of_main_sends_what_is_buffered(server: Server) -> None:
    run(AT_EXIT, server.url)
    assert sum(len(actions) for actions in server.actions) == 100


FORK = """
import os, sys
from annals_sdk import Annals
annals = Annals(sys.argv[1], "k")
annals.track({"action": "warm"})
annals.flush()
annals.track({"action": "parent"})
children = []
for at in range(4):
    child = os.fork()
    if child == 0:
        annals.track({"action": f"child{at}"})
        annals.close()
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
annals.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_after_a_fork_each_process_sends_its_own_events(server: Server) -> None:
    run(FORK, server.url)
    sent = sorted(action for actions in server.actions for action in actions)
    assert sent == ["child0", "child1", "child2", "child3", "parent", "warm"]


THREADLESS = """
import sys, threading
from annals_sdk import Annals

def start(self):
    raise RuntimeError("can't start new thread")

threading.Thread.start = start
annals = Annals(sys.argv[1], "k")
annals.track({"action": "a1"})
annals.flush()
annals.track({"action": "a2"})
"""


def test_where_no_thread_can_start_the_caller_of_flush_sends(server: Server) -> None:
    run(THREADLESS, server.url)
    assert server.actions == [["a1"], ["a2"]]


WITHOUT_HOOKS = """
import ctypes, os, sys
from annals_sdk import Annals
annals = Annals(sys.argv[1], "k")
annals.track({"action": "parent"})
annals.flush()
# The fork of C, which calls none of Python's hooks.
child = ctypes.PyDLL(None).fork()
if child == 0:
    annals.track({"action": "child"})
    annals.close()
    os._exit(0)
os.waitpid(child, 0)
annals.track({"action": "parent"})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the fork of C is called by its name")
def test_a_worker_that_was_forked_without_the_hooks_sends(server: Server) -> None:
    run(WITHOUT_HOOKS, server.url)
    assert server.actions == [["parent"], ["child"], ["parent"]]
    assert server.connections >= 2
