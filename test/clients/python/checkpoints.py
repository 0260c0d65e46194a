"""Says of each checkpoint why the SDK for Python does not accept it. Run by python-checkpoints.test.ts. It
reads and writes lines of JSON.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import Any

from annals_sdk import CheckpointError, checkpoint, verify_checkpoint

# Many questions are about the same signatures, each of which takes milliseconds.
checkpoint.is_signed = cache(checkpoint.is_signed)


def reason_of(asked: dict[str, Any]) -> str:
    try:
        verify_checkpoint(asked["note"], asked["trusted"], account=asked.get("account"))
    except CheckpointError as refused:
        return refused.reason
    except ValueError:
        return "unusable"
    return "accepted"


for line in sys.stdin:
    print(json.dumps(reason_of(json.loads(line))))
