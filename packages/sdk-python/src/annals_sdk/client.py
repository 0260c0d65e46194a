"""The client: a method for each route, named by its noun and its verb, and track(). async_client.py has the
one for asyncio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import random as system_random
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import resources
from .calls import Call
from .clock import SYSTEM_CLOCK, Clock
from .context import with_context
from .errors import AnnalsError
from .http_transport import Sends
from .spool import SpoolClient
from .tracker import Tracker
from .tracking_options import Tracking
from .transport import Observe, Transport, TransportOptions
from .verify_events import EventsCheck, ProvenPage, verify_events

if TYPE_CHECKING:
    from . import models as m


class Verify(resources.Verify):
    def events(self, pages: Iterable[ProvenPage]) -> EventsCheck:
        """Recomputes pages of a list with `include="proof"` in this process, without trust in the service."""
        return verify_events(pages)


class BaseClient:
    """What both clients have: track() waits for nothing, so that it is plain in both."""

    def __init__(
        self,
        base_url: str,
        api_key: str | Callable[[], str],
        *,
        timeout: float = 30.0,
        max_retries: int = 4,
        max_retry_delay: float = 90.0,
        tracking: Tracking | None = None,
        observe: Observe | None = None,
        transport: Sends | None = None,
        clock: Clock = SYSTEM_CLOCK,
        random: Callable[[], float] = system_random,
    ) -> None:
        """`base_url` is the service's address, without `/v1`.

        A function as `api_key` is called before each attempt, so that a key can be replaced. `timeout`, in
        seconds, bounds one attempt. A Retry-After beyond `max_retry_delay` is not waited for by calls.
        `transport` sends requests in place of the standard library.
        """
        options = TransportOptions(
            base_url, api_key, timeout, max_retries, max_retry_delay, observe, transport, clock, random
        )
        self._transport = Transport(options)
        tracking = tracking or Tracking()
        spool = tracking.spool
        if spool is None:
            self._tracker = Tracker(self.store_batch, clock, random, tracking)
        else:
            spool.bind(SpoolClient(self._transport.key, self._account))
            self._tracker = Tracker(self.store_batch, clock, random, tracking, spool.buffer)
        self._add_nouns()

    def _add_nouns(self) -> None:
        raise NotImplementedError

    def _account(self) -> str:
        """The account's id, for the spool, which sends no event of another account."""
        usage = self._transport.data(Call("get-usage", "GET", "/usage", max_retries=0))
        try:
            return str(usage["account_id"])
        except (KeyError, TypeError):
            raise AnnalsError("server_error", "the response has no account_id") from None

    def store_batch(self, body: bytes, key: str) -> Any:
        """Stores what `body_of` made, in one attempt. Called by the tracker and the outbox."""
        call = Call("create-event-batch", "POST", "/events/batch", idempotency_key=key)
        return self._transport.attempt(call, body)

    def _close(self, timeout: float | None) -> None:
        self._tracker.close(timeout)
        self._transport.close()

    def track(self, event: m.NewEvent) -> bool:
        """Buffers an event, to be sent with others. False if it was dropped: `on_drop` says why."""
        return self._tracker.track(with_context(event))

    @property
    def buffered(self) -> int:
        """Tracked events that are neither stored nor dropped yet."""
        return self._tracker.buffered


class Annals(BaseClient):
    """A client of Annals. Several threads can use it."""

    def _add_nouns(self) -> None:
        transport = self._transport
        self.events = resources.Events(transport)
        self.intake = resources.Intake(transport)
        self.log = resources.Log(transport)
        self.usage = resources.Usage(transport)
        self.exports = resources.Exports(transport)
        self.api_keys = resources.ApiKeys(transport)
        self.keys = resources.Keys(transport)
        self.webhooks = resources.Webhooks(transport)
        self.sinks = resources.Sinks(transport)
        self.widget_tokens = resources.WidgetTokens(transport)
        self.erasures = resources.Erasures(transport)
        self.holds = resources.Holds(transport)
        self.retention = resources.Retention(transport)
        self.archives = resources.Archives(transport)
        self.role_mappings = resources.RoleMappings(transport)
        self.search_fields = resources.SearchFields(transport)
        self.searches = resources.Searches(transport)
        self.people = resources.People(transport)
        self.workloads = resources.Workloads(transport)
        self.verify = Verify(transport)
        #: For a client whose `api_key` is a widget token.
        self.widget = resources.Widget(transport)

    def ready(self, timeout: float | None = None) -> bool:
        """Waits until the buffer is at most half full: call it before each event, and none is dropped."""
        return self._tracker.ready(timeout)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every event tracked so far is stored or dropped. False if it is not after this time."""
        return self._tracker.flush(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Takes no more events, stores what is buffered, and after this time (10 s) drops what is not."""
        self._close(timeout)

    def __enter__(self) -> Annals:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.close()
