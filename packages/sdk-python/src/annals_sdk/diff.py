"""What changed between two states of an object, as the `diff` of an event."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from .json_text import json_of
from .models import Diff

_ABSENT = object()


def diff(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, *, omit: Collection[str] = ()
) -> Diff:
    """The members that differ, at every depth; arrays are compared whole.

    `omit` names members that are left out at every depth, such as passwords.
    """
    removed, added = _changes(_without(_json(before), omit), _without(_json(after), omit))
    return {"before": removed, "after": added}


def _json(state: Mapping[str, Any] | None) -> Any:
    return json.loads(json_of(dict(state or {})))


def _without(value: Any, omitted: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {name: _without(each, omitted) for name, each in value.items() if name not in omitted}
    return [_without(each, omitted) for each in value] if isinstance(value, list) else value


def _changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    removed: dict[str, Any] = {}
    added: dict[str, Any] = {}
    for name in {**before, **after}:
        old, new = before.get(name, _ABSENT), after.get(name, _ABSENT)
        if isinstance(old, dict) and isinstance(new, dict):
            inner, outer = _changes(old, new)
            if inner:
                removed[name] = inner
            if outer:
                added[name] = outer
        elif old is _ABSENT or new is _ABSENT or not _is_same(old, new):
            if old is not _ABSENT:
                removed[name] = old
            if new is not _ABSENT:
                added[name] = new
    return removed, added


def _is_same(old: Any, new: Any) -> bool:
    """Python takes True for 1, at every depth."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_is_same, old, new))
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_is_same(each, new[name]) for name, each in old.items())
    return isinstance(old, bool) == isinstance(new, bool) and bool(old == new)
