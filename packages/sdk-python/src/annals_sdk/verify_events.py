"""Recomputes the hashes of listed events from their proofs, page by page: what the service says of itself is
not believed. It never finds verified what it did not check.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from .verify import COPIED, FIELDS, GENESIS, HASH, MISTAKES, SALT, Erasures, Invalid, digest_of, jcs

_MAX_FAULTS = 100

LinkState = Literal["verified", "differs", "unchecked"]
EventState = Literal["verified", "differs", "unchecked"]
#: `hidden`: neither the part's salt nor all of its value is shown, or the part is erased. Its digest is still
#: in the hash.
PartState = Literal["verified", "differs", "hidden"]


class _Data(TypedDict):
    data: Sequence[Any]


class ProvenPage(_Data, total=False):
    """A page of a list with `include="proof"`, or of a widget's."""

    proofs: Sequence[Any]


@dataclass(frozen=True)
class EventCheck:
    #: `unchecked`: there is no proof, or one of a later version.
    state: EventState
    parts: dict[str, PartState] = field(default_factory=dict)
    hash: Literal["verified", "differs"] | None = None


@dataclass(frozen=True)
class EventFault:
    id: str
    sequence_number: int
    check: EventCheck
    link: LinkState


@dataclass(frozen=True)
class EventsCheck:
    #: `unchecked`: an event came without its proof, or there was none at all.
    state: EventState
    events: int
    links_checked: int
    #: Links to events that are not among them: a filter or the beginning of a range left them out.
    links_unchecked: int
    #: Parts that were erased. Nothing but their digests is left to verify.
    erased_parts: int
    #: Erased parts that no later record `annals.erasure` among the events names.
    erasures_unchecked: int
    #: The first 100 events that differ, or whose link does.
    faults: list[EventFault]


def verify_events(pages: Iterable[ProvenPage]) -> EventsCheck:
    verifier = EventsVerifier()
    for page in pages:
        verifier.take(page)
    return verifier.result()


def check_event(event: Mapping[str, Any], proof: Any = None) -> EventCheck:
    """Lists return the proofs next to the events; elsewhere the proof is a member of the event."""
    proof = event.get("proof") if proof is None else proof
    if not isinstance(proof, dict) or isinstance(proof.get("v"), bool) or proof.get("v") != 1:
        return EventCheck("unchecked")
    salts, digests = _members(proof.get("salts")), _members(proof.get("digests"))
    erased = event.get("erased")
    parts: dict[str, PartState] = {}
    for name in FIELDS:
        is_erased = isinstance(erased, list) and name in erased
        check = _check_erased if is_erased else _check_part
        parts[name] = check(name, event.get(name), salts.get(name), digests.get(name))
    hash: Literal["verified", "differs"] = "verified" if _is_hash_right(event, proof, digests) else "differs"
    differs = hash == "differs" or "differs" in parts.values()
    return EventCheck("differs" if differs else "verified", parts, hash)


def check_links(events: Sequence[Mapping[str, Any]]) -> list[LinkState]:
    """For each event, in the order given, whether it links to the one before it. Any order will do."""
    hashes: dict[Any, Any] = {0: GENESIS}
    for event in events:
        number, own = event["sequence_number"], event["hash"]
        # Two different events with one number: nothing can link to both.
        hashes[number] = None if hashes.get(number, own) != own else own
    return [_link_of(event, hashes) for event in events]


def _link_of(event: Mapping[str, Any], hashes: Mapping[Any, Any]) -> LinkState:
    number = event["sequence_number"]
    if number - 1 not in hashes:
        return "unchecked"
    before = hashes[number - 1]
    is_linked = before is not None and before == event["previous_hash"] and hashes[number] is not None
    return "verified" if is_linked else "differs"


def _check_erased(name: str, value: Any, salt: Any, digest: Any) -> PartState:
    """An erased part has neither a salt nor a member."""
    return "hidden" if value in (None, {}) and salt is None else "differs"


def _check_part(name: str, value: Any, salt: Any, digest: Any) -> PartState:
    if salt is None:
        return "hidden" if _is_withheld(name, value) else "differs"
    value = {} if value is None else value
    if not isinstance(value, dict) or not _is_like(SALT, salt):
        return "differs"
    try:
        return "verified" if digest_of(salt, _doubles(value)) == digest else "differs"
    except MISTAKES:
        return "differs"


def _is_withheld(name: str, value: Any) -> bool:
    """Only the id and the type of an actor or a target may be shown without the salt of the part."""
    shown = {"id", "type"} if name in ("actor", "target") else set()
    return value is None or (isinstance(value, dict) and set(value) <= shown)


def _is_hash_right(event: Mapping[str, Any], proof: Mapping[str, Any], digests: Mapping[str, Any]) -> bool:
    number = event.get("sequence_number")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number < 2**53:
        return False
    if not all(_is_like(HASH, digests.get(name)) for name in FIELDS):
        return False
    leaf: dict[str, Any] = {name: event.get(name) for name in COPIED}
    leaf.update(chain=proof.get("chain"), digests={name: digests[name] for name in FIELDS})
    texts = [value for name, value in leaf.items() if name not in ("sequence_number", "digests")]
    if not all(isinstance(text, str) for text in texts):
        return False
    try:
        text = jcs({**leaf, "v": 1.0, "sequence_number": float(number)})
        return hashlib.sha256(b"\0" + text.encode()).hexdigest() == event.get("hash")
    except MISTAKES:
        return False


def _doubles(value: Any) -> Any:
    """Numbers as the format has them. Raises ValueError for one that a double does not keep."""
    if isinstance(value, dict):
        return {name: _doubles(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_doubles(each) for each in value]
    if isinstance(value, int) and not isinstance(value, bool):
        if int(float(value)) != value:
            raise ValueError("a number that a double does not keep")
        return float(value)
    return value


def _is_like(pattern: str, value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


def _members(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


class EventsVerifier:
    """Takes pages, and says at the end what is verified."""

    def __init__(self) -> None:
        self._events = self._checked = self._unchecked = self._unproven = self._faulty = 0
        self._faults: list[EventFault] = []
        self._erasures = Erasures()
        self._before: list[Any] = []

    def take(self, page: ProvenPage) -> None:
        data, proofs = page["data"], page.get("proofs") or []
        links = self._links_of(data)
        for at, event in enumerate(data):
            check = check_event(event, proofs[at] if at < len(proofs) else None)
            self._events += 1
            self._take_erasures(event, check)
            self._unproven += check.state == "unchecked"
            if check.state != "differs" and links[at] != "differs":
                continue
            self._faulty += 1
            if len(self._faults) < _MAX_FAULTS:
                self._faults.append(EventFault(event["id"], event["sequence_number"], check, links[at]))
        self._before = list(data[-1:])

    def result(self) -> EventsCheck:
        is_unchecked = self._unproven > 0 or self._events == 0
        state: EventState = "differs" if self._faulty else "unchecked" if is_unchecked else "verified"
        unrecorded = sum(last - first + 1 for _, first, last in self._erasures.unrecorded())
        parts = self._erasures.parts
        return EventsCheck(
            state, self._events, self._checked, self._unchecked, parts, unrecorded, self._faults
        )

    def _links_of(self, data: Sequence[Any]) -> list[LinkState]:
        """The links of a page. In descending order, the last event before it links into it."""
        links = check_links([*self._before, *data])
        if self._before:
            across = links.pop(0)
            # Counted as unchecked with its own page.
            if data and self._before[0]["sequence_number"] == data[0]["sequence_number"] + 1:
                self._unchecked -= 1
                self._checked += 1
                # Shown with the event that it leads to, whose page this is.
                if across == "differs":
                    links[0] = "differs"
        self._unchecked += links.count("unchecked")
        self._checked += len(links) - links.count("unchecked")
        return links

    def _take_erasures(self, event: Mapping[str, Any], check: EventCheck) -> None:
        """Only a record that is what the chain has hashed says what was erased."""
        erased = event.get("erased")
        named = [name for name in FIELDS if isinstance(erased, list) and name in erased]
        is_record = check.state == "verified" and check.parts.get("metadata") == "verified"
        shown: dict[str, Any] = {"action": event.get("action"), "metadata": {}}
        try:
            if is_record:
                shown["metadata"] = _doubles(event["metadata"])
            self._erasures.take(event["sequence_number"], {**shown, "erased": named} if named else shown)
        except (*MISTAKES, Invalid):
            self._unproven += 1
