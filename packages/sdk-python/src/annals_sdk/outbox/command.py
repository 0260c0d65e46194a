"""`python -m annals_sdk outbox`: sends what an outbox has, until SIGTERM or SIGINT. Called by __main__.py."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from ..client import Annals
from . import Outbox

_DRIVERS = ("psycopg", "psycopg2")


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m annals_sdk outbox",
        description="Sends the events of an outbox until SIGTERM. It needs psycopg or psycopg2, and the "
        "environment variables ANNALS_URL, ANNALS_KEY and DATABASE_URL, of the database with the tables.",
    )
    parser.add_argument("--producer", help="numbers the events in context.producer")
    options = parser.parse_args(words)
    missing = [name for name in ("ANNALS_URL", "ANNALS_KEY", "DATABASE_URL") if not os.environ.get(name)]
    if missing:
        parser.error(f"{missing[0]} is not set")
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.WARNING)
    stop = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: stop.set())
    url, key = os.environ["ANNALS_URL"], os.environ["ANNALS_KEY"]
    Outbox(Annals(url, key), _connecting(os.environ["DATABASE_URL"]), producer=options.producer).run(stop)


def _connecting(url: str) -> Callable[[], Any]:
    for name in _DRIVERS:
        try:
            driver = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        return lambda: driver.connect(url)
    sys.exit(f"none of {', '.join(_DRIVERS)} is installed")
