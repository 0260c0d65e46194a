"""node-clients.ts in Python: a process with one client, which tracks events at a server that fails. Started by
main.ts with CLIENT BASE_URL COUNT END [SPOOL].
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "packages/sdk-python/src"))

client, url, count, end, *spools = sys.argv[1:]
markers = range(1, int(count) + 1)
FLUSH_S = 120
told = 0


def tell(events):
    global told
    told += len(events)


def annals():
    from annals_sdk import Annals, Spool, Tracking

    is_left = bool(spools) and os.path.exists(spools[0])
    spool = Spool(spools[0]) if spools else None
    tracking = Tracking(spool=spool, on_drop=lambda drop: tell(drop.events), on_stall=lambda _: None)
    made = Annals(url, "k", tracking=tracking)
    if not is_left:
        for marker in markers:
            made.track({"action": "a", "metadata": {"marker": marker}})
    print("tracked", flush=True)
    if end == "flush":
        made.close(FLUSH_S)


def segment():
    from segment.analytics.client import Client

    made = Client("k", host=url, on_error=lambda _, events: tell(events))
    for marker in markers:
        is_taken, _ = made.track(user_id="u", event="e", properties={"marker": marker})
        if not is_taken:
            tell([marker])
    print("tracked", flush=True)
    if end == "flush":
        made.flush()
        made.join()


def posthog():
    from posthog import Posthog

    made = Posthog("phc_k", host=url, on_error=lambda _, events: tell(events))
    for marker in markers:
        made.capture("e", distinct_id="u", properties={"marker": marker})
    print("tracked", flush=True)
    if end == "flush":
        made.shutdown()


{"annals": annals, "segment": segment, "posthog": posthog}[client]()
print(json.dumps({"told": told}), flush=True)
