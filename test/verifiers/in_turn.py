#!/usr/bin/env python3
"""Runs scripts of this folder in turn, each as if it were a program of its own, because starting one takes longer than
most of them do. Called by python-evidence.ts.

Reads a line of JSON for each run, {"script": "evidence.py", "parameters": [...]}, and answers it with a line
{"status": 0, "text": "..."}: the exit status, and what it printed on both streams. Modules that the scripts import are
loaded once, and so keep what they remember: signatures of Ed25519 that were verified.
"""
import contextlib
import io
import json
import os
import sys
import traceback
from functools import lru_cache

FOLDER = os.path.dirname(os.path.abspath(__file__))


@lru_cache
def code_of(script):
    path = os.path.join(FOLDER, script)
    with open(path, "rb") as file:
        return compile(file.read(), path, "exec")


def status_of(script, parameters):
    """The exit status of a script, as Python gives it to a process."""
    sys.argv = [script, *parameters]
    try:
        exec(code_of(script), {"__name__": "__main__"})
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main(asked, answers):
    for line in asked:
        printed, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
            status = status_of(**json.loads(line))
        text = (printed.getvalue() + errors.getvalue()).strip()
        print(json.dumps({"status": status, "text": text}), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
