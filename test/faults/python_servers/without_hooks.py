"""The control of python-servers.test.ts: with the fault `fork-unnoticed`, the SDK does not learn of a fork.
Imported by the programs beside it before annals_sdk.
"""

from __future__ import annotations

import os


def unnoticed() -> None:
    if os.environ.get("FAULT") != "fork-unnoticed":
        return
    register, os.register_at_fork = os.register_at_fork, lambda **_: None
    from annals_sdk import http_transport, tracker

    http_transport.notice_fork = tracker.notice_fork = lambda: None
    os.register_at_fork = register
