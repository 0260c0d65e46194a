"""A WSGI application that tracks each request, and some events before its workers are forked. Run by the
servers of python-servers.test.ts.
"""

from __future__ import annotations

import os

from without_hooks import unnoticed

unnoticed()

from annals_sdk import Annals  # noqa: E402

annals = Annals(os.environ["ANNALS_URL"], "k")
# The thread and the connection of the parent, which are not those of its children.
annals.track({"action": "loaded"})
annals.flush(10)
annals.track({"action": "before-fork"})


def application(environ, start_response):
    annals.track({"action": environ["PATH_INFO"][1:]})
    start_response("200 OK", [("content-type", "text/plain")])
    return [b""]
