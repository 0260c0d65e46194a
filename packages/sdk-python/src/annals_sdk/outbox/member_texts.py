"""Members of JSON objects as texts, so that an event gets a member and keeps its other bytes: parsed and
written again, 1e400 would be no JSON. Called by statements.py, with valid JSON. The SDK for TypeScript has
the same functions.
"""

from __future__ import annotations

import json
import re

#: Strings, and what stands before, between and after members and values.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]')


def member_of(text: str, name: str) -> str | None:
    """The text of a value. Of members with one name the last one counts, as for json.loads."""
    values = [value for each, value in _members_of(text) if json.loads(each) == name]
    return values[-1] if values else None


def with_member(text: str, name: str, value: str) -> str:
    """The object with a member, instead of others of its name. Makes an object of null."""
    others = [f"{each}:{its}" for each, its in _members_of(text) if json.loads(each) != name]
    members = ",".join([*others, f'"{name}":{value}'])
    return f"{{{members}}}"


def _members_of(text: str) -> list[tuple[str, str]]:
    """The texts of names, with their quotes, and of values."""
    texts: list[str] = []
    depth = start = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "}]":
            depth -= 1
        if depth == 0 or (depth == 1 and token[0] in ":,"):
            texts.append(text[start : token.start()].strip())
            start = token.end()
        if token[0] in "{[":
            depth += 1
    # The first one stands before the brace; an empty object has one more.
    return list(zip(texts[1::2], texts[2::2], strict=False))
