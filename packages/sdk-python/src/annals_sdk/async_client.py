"""The client for asyncio. Apart from client.py, so that only programs that use it load asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from types import TracebackType

from . import async_resources
from .async_transport import AsyncTransport
from .client import BaseClient
from .verify_events import EventsCheck, EventsVerifier, ProvenPage


class Verify(async_resources.Verify):
    async def events(self, pages: AsyncIterable[ProvenPage]) -> EventsCheck:
        """Recomputes pages of a list with `include="proof"` in this process, without trust in the service."""
        verifier = EventsVerifier()
        async for page in pages:
            await asyncio.to_thread(verifier.take, page)
        return verifier.result()


class AsyncAnnals(BaseClient):
    """A client for asyncio: the methods of Annals, of which those that wait are awaited."""

    def _add_nouns(self) -> None:
        transport = AsyncTransport(self._transport)
        self.events = async_resources.Events(transport)
        self.intake = async_resources.Intake(transport)
        self.log = async_resources.Log(transport)
        self.usage = async_resources.Usage(transport)
        self.exports = async_resources.Exports(transport)
        self.api_keys = async_resources.ApiKeys(transport)
        self.keys = async_resources.Keys(transport)
        self.webhooks = async_resources.Webhooks(transport)
        self.sinks = async_resources.Sinks(transport)
        self.widget_tokens = async_resources.WidgetTokens(transport)
        self.erasures = async_resources.Erasures(transport)
        self.holds = async_resources.Holds(transport)
        self.retention = async_resources.Retention(transport)
        self.archives = async_resources.Archives(transport)
        self.role_mappings = async_resources.RoleMappings(transport)
        self.search_fields = async_resources.SearchFields(transport)
        self.searches = async_resources.Searches(transport)
        self.people = async_resources.People(transport)
        self.workloads = async_resources.Workloads(transport)
        self.verify = Verify(transport)
        #: For a client whose `api_key` is a widget token.
        self.widget = async_resources.Widget(transport)

    async def ready(self, timeout: float | None = None) -> bool:
        """Waits until the buffer is at most half full: await it before each event, and none is dropped."""
        return await asyncio.to_thread(self._tracker.ready, timeout)

    async def flush(self, timeout: float | None = None) -> bool:
        """Waits until every event tracked so far is stored or dropped. False if it is not after this time."""
        return await asyncio.to_thread(self._tracker.flush, timeout)

    async def close(self, timeout: float | None = None) -> None:
        """Takes no more events, stores what is buffered, and after this time (10 s) drops what is not."""
        await asyncio.to_thread(self._close, timeout)

    async def __aenter__(self) -> AsyncAnnals:
        return self

    async def __aexit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        await self.close()
