"""The driver of annals-sdk for test/clients: reads commands from stdin, a line each, and writes a response
for each, as test/clients/README.md describes. A fault can be switched on, so that tests show that a case can
fail.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3] / "packages/sdk-python/src"))

from file_faults import fill_disk, spoil_files

from annals_sdk import Annals, Drop, Spool, Stall, Tracking, verify_events, verify_webhook
from driver_clock import DriverClock
from faults import FaultyTransport, faulty_event, faulty_tracking

#: How often to look whether the client waits for its clock.
POLL_S = 0.0005


def shown(drop: Drop) -> dict[str, Any]:
    """As the protocol has it: an error by its type and status."""
    error = drop.error
    actions = [event["action"] for event in drop.events]
    return {
        "reason": drop.reason,
        "actions": actions,
        "type": getattr(error, "type", None),
        "status": getattr(error, "status", None),
    }


class Run:
    """What one `open` has made."""

    def __init__(self, command: dict[str, Any]) -> None:
        self.fault = command.get("fault")
        self.clock = DriverClock(self.fault == "clock-paused", command.get("now"))
        self.drops: list[dict[str, Any]] = []
        self.warnings: list[dict[str, Any]] = []
        self.problems: list[str] = []
        spoil_files(self.fault)
        self.spool = self._spool(command)
        self._keys = command["keys"]
        self._asked = 0
        self._tracked = 0
        count = 2 if self.fault == "no-order" else 1
        self.clients = [self._client(command) for _ in range(count)]

    def _client(self, command: dict[str, Any]) -> Annals:
        names = {"batch_events": "batch_events", "batch_bytes": "batch_bytes", "max_events": "max_events"}
        options = {name: command[given] for name, given in names.items() if given in command}
        if "max_wait_ms" in command:
            options["max_wait"] = command["max_wait_ms"] / 1_000
        tracking = Tracking(on_drop=self._dropped, on_stall=self._stalled, spool=self.spool, **options)
        return Annals(
            command["base_url"],
            self._key,
            timeout=command.get("timeout_ms", 30_000) / 1_000,
            tracking=faulty_tracking(self.fault, tracking),
            transport=FaultyTransport(self.fault),
            clock=self.clock,
            random=lambda: 0.0,
        )

    def _spool(self, command: dict[str, Any]) -> Spool | None:
        if "spool" not in command or self.fault == "no-spool":
            return None
        options = {name: command[name] for name in ("max_bytes", "producer") if name in command}
        if self.fault == "no-bound":
            options.pop("max_bytes", None)
        if self.fault == "numbers-before-acceptance":
            options.pop("producer", None)
        return Spool(command["spool"], on_problem=self._failed, **options)

    def _failed(self, error: Exception) -> None:
        self.problems.append(errno.errorcode.get(getattr(error, "errno", None) or 0, str(error)))

    def _key(self) -> str:
        at = 0 if self.fault == "key-kept" else min(self._asked, len(self._keys) - 1)
        self._asked += 1
        return str(self._keys[at])

    def _dropped(self, drop: Drop) -> None:
        self.drops.append(shown(drop))

    def _stalled(self, stall: Stall) -> None:
        self.warnings.append({"type": stall.type, "status": stall.status, "waiting": stall.waiting})

    def track(self, command: dict[str, Any]) -> bool:
        event = command["event"]
        if command.get("not_a_number"):
            event = {**event, "metadata": {"value": float("nan")}}
        client = self.clients[self._tracked % len(self.clients)]
        self._tracked += 1
        if self.fault == "numbers-before-acceptance":
            producer = {"id": "billing-000000000000", "n": self._tracked, "dropped": 0}
            event = {**event, "context": {"producer": producer}}
        return client.track(faulty_event(self.fault, event))

    def _settle(self) -> None:
        """The client waits for its clock or has nothing to send, and not for the network."""
        while any(client.buffered for client in self.clients) and not self.clock.is_waited_for:
            time.sleep(POLL_S)

    def advance(self, ms: int, at_once: bool) -> None:
        self._settle()
        until = self.clock.ms + ms
        if at_once:
            self.clock.ms = until
        while self.clock.step(until):
            self._settle()


def verified(command: dict[str, Any]) -> bool:
    if "pages" in command:
        return verify_events(command["pages"]).state == "verified"
    webhook = command["webhook"]
    try:
        now = webhook["now"] / 1_000
        verify_webhook(webhook["body"], webhook["headers"], webhook["secret"], now=lambda: now)
        return True
    except Exception:
        return False


def answer(run: Run, command: dict[str, Any]) -> dict[str, Any]:
    name = command["command"]
    if name == "ready" and run.fault != "ready-at-once":
        for client in run.clients:
            client.ready()
    if name == "flush":
        for client in run.clients:
            client.flush()
    if name == "close" and run.fault != "no-close":
        for client in run.clients:
            client.close(command["ms"] / 1_000)
    if name == "advance":
        run.advance(command["ms"], command.get("at_once", False))
    if name == "disk" and run.fault != "no-disk-faults":
        fill_disk(command["full"])
    if name == "verify":
        return {"valid": run.fault == "verify-anything" or verified(command)}
    return {}


def main() -> None:
    run: Run
    writing = threading.Lock()

    def respond(command: dict[str, Any], result: dict[str, Any]) -> None:
        with writing:
            print(json.dumps({"id": command["id"], **result}), flush=True)

    def later(run: Run, command: dict[str, Any]) -> None:
        try:
            respond(command, answer(run, command))
        except Exception as error:
            respond(command, {"error": repr(error)})

    for line in sys.stdin:
        command = json.loads(line)
        if command["command"] == "open":
            run = Run(command)
            respond(command, {})
        elif command["command"] == "track":
            respond(command, {"tracked": run.track(command)})
        elif command["command"] == "disk":
            respond(command, answer(run, command))
        elif command["command"] == "drops":
            kept = run.spool and asdict(run.spool.stats())
            told = {"drops": run.drops, "warnings": run.warnings, "problems": run.problems}
            respond(command, {**told, "kept": kept})
        else:
            threading.Thread(target=later, args=(run, command), daemon=True).start()


if __name__ == "__main__":
    main()
    # No clock moves any longer, so that what waits for it would wait forever.
    os._exit(0)
