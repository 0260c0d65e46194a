"""The numbers that producers give to their events (`context.producer`): which of them are missing in an
export that was found valid. Called by __main__.py. It must never keep more than its bounds, whatever a file
claims.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Ids of producers, and gaps of all of them together.
_MAX_PRODUCERS = 10_000
_MAX_GAPS = 100_000
#: Characters of an id that are printed, and gaps.
_PRINTED_ID = 120
_PRINTED_GAPS = 20


@dataclass
class _Producer:
    id: str
    first: int
    last: int
    #: Events that the producer says it has dropped.
    dropped: int
    events: int = 1
    #: The first and the last number of each gap. They rise; one that is empty has a first above its last.
    missing: list[tuple[int, int]] = field(default_factory=list)
    #: Numbers that more than one event has, such as after a machine lost its power.
    twice: int = 0

    def gaps(self) -> list[tuple[int, int]]:
        return [gap for gap in self.missing if gap[0] <= gap[1]]


class Producers:
    """Takes events in their order, and says at the end what is missing."""

    def __init__(self) -> None:
        self._all: dict[str, _Producer] = {}
        self._gaps = 0
        #: There were more producers or gaps than are kept.
        self._is_cut = False

    def take(self, event: Mapping[str, Any]) -> None:
        given = event["context"].get("producer")
        given = given if isinstance(given, dict) else {}
        id, n, dropped = given.get("id"), _count(given.get("n")), _count(given.get("dropped"))
        if not isinstance(id, str) or n is None or dropped is None:
            return
        known = self._all.get(id)
        if known is None:
            if len(self._all) < _MAX_PRODUCERS:
                self._all[id] = _Producer(id, n, n, dropped)
            else:
                self._is_cut = True
            return
        known.events += 1
        known.dropped = max(known.dropped, dropped)
        if n <= known.last:
            self._fill(known, n)
            return
        # What a killed process may have given last, between `after` and this number, need not be there.
        after = _count(given.get("after"))
        to = n - 1 if after is None else min(n - 1, after)
        if to > known.last:
            self._add(known, (known.last + 1, to))
        known.last = n

    def _add(self, producer: _Producer, gap: tuple[int, int]) -> None:
        if self._gaps >= _MAX_GAPS:
            self._is_cut = True
            return
        producer.missing.append(gap)
        self._gaps += 1

    def _fill(self, producer: _Producer, n: int) -> None:
        """Takes the number of an event that came later than one with a higher number."""
        missing = producer.missing
        at = bisect_left(missing, n, key=lambda gap: gap[1])
        if at == len(missing) or n < missing[at][0]:
            # Before the first one of the file nothing is known.
            producer.twice += n >= producer.first
            return
        first, last = missing[at]
        # A gap that is empty then stays before others: to move many takes long.
        missing[at] = (first, n - 1) if n == last else (n + 1, last)
        if n not in (first, last):
            missing.insert(at, (first, n - 1))
            self._gaps += 1
        while missing and missing[-1][0] > missing[-1][1]:
            missing.pop()
            self._gaps -= 1

    def report(self) -> tuple[list[str], bool]:
        """A line for each producer, and whether no number is missing."""
        all = [self._all[id] for id in sorted(self._all)]
        lines = [_text_of(producer) for producer in all] or ["no event has a number of a producer"]
        if self._is_cut:
            lines.append("there are more than can be checked")
        is_whole = not self._is_cut and not any(producer.gaps() for producer in all)
        return [f"  producer  {line}" for line in lines], is_whole


def _count(value: Any) -> int | None:
    is_count = isinstance(value, float) and value.is_integer() and 0 <= value < 2**53
    return int(value) if is_count else None


def _text_of(producer: _Producer) -> str:
    id = producer.id if len(producer.id) <= _PRINTED_ID else producer.id[:_PRINTED_ID] + "…"
    # A terminal must not take what has no form.
    shown = (each if each.isprintable() else ascii(each)[1:-1] for each in json.dumps(id, ensure_ascii=False))
    numbers = f"numbers {producer.first} to {producer.last}: {_missing(producer)}"
    text = f"{''.join(shown)}, {producer.events} events, {numbers}"
    if producer.twice:
        text += f"; numbers that appear twice: {producer.twice}"
    if producer.dropped:
        text += f"; it says that it dropped {producer.dropped} events"
    return text


def _missing(producer: _Producer) -> str:
    gaps = producer.gaps()
    if not gaps:
        return "none is missing"
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in gaps]
    more = f" and {len(texts) - _PRINTED_GAPS} more gaps" if len(texts) > _PRINTED_GAPS else ""
    count = sum(last - first + 1 for first, last in gaps)
    return f"{count} missing: {', '.join(texts[:_PRINTED_GAPS])}{more}"
