"""A Celery task that tracks an event, with a broker of files. Run by a worker of python-servers.test.ts; as a
program, it sends twelve of them.
"""

from __future__ import annotations

import os

from celery import Celery
from without_hooks import unnoticed

unnoticed()

from annals_sdk import Annals  # noqa: E402
from annals_sdk.integrations.celery import connect  # noqa: E402

folder = os.environ["BROKER"]
app = Celery("tasks", broker="filesystem://")
app.conf.broker_transport_options = {
    "data_folder_in": folder,
    "data_folder_out": folder,
    "control_folder": folder,
}
annals = Annals(os.environ["ANNALS_URL"], "k")
connect(annals)
annals.track({"action": "loaded"})
annals.flush(10)


@app.task(name="record")
def record(number):
    annals.track({"action": f"task-{number}"})


if __name__ == "__main__":
    for number in range(12):
        record.delay(number)
