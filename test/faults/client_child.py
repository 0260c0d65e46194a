"""client-child.ts in Python: a client with a spool that tracks events until it is killed. Started by
client-kills.test.ts with BASE_URL KEY FOLDER RUN. It prints the number of events that were accepted.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "packages/sdk-python/src"))

from annals_sdk import Annals, Spool, Tracking

PRINT_EACH = 20


def end_with_the_test() -> None:
    """The test has ended, or was killed."""
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_the_test, daemon=True).start()
base_url, api_key, folder, run = sys.argv[1:]
spool = Spool(folder, max_bytes=4_000_000)
tracking = Tracking(spool=spool, batch_events=100, max_wait=0.02, on_stall=lambda _: None)
annals = Annals(base_url, api_key, tracking=tracking)
number = 0
while annals.ready():
    number += 1
    if not annals.track({"action": "tracked", "metadata": {"run": int(run), "number": number}}):
        break
    if number % PRINT_EACH == 0:
        print(number, flush=True)
