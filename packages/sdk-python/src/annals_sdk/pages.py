"""A list of the interface: iterate over it, and it asks for one page after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

from .calls import Call

Item = TypeVar("Item")
Page = TypeVar("Page")

#: Returns the query of the page after this one.
Next = Callable[[Mapping[str, Any]], "dict[str, Any] | None"]


class _Sends(Protocol):
    def json(self, call: Call) -> Any: ...


class _SendsLater(Protocol):
    async def json(self, call: Call) -> Any: ...


def _by_cursor(page: Mapping[str, Any]) -> dict[str, Any] | None:
    cursor = page.get("next_cursor")
    return None if cursor is None else {"cursor": cursor}


def _after(call: Call, page: Mapping[str, Any], next: Next | None) -> Call | None:
    query = (next or _by_cursor)(page)
    return None if query is None else replace(call, query={**(call.query or {}), **query})


class Pages(Generic[Item, Page]):
    """The items of a list. `pages()` has them page by page."""

    def __init__(self, transport: _Sends, call: Call, next: Next | None) -> None:
        self._transport = transport
        self._call = call
        self._next = next

    def page(self) -> Page:
        """The first page."""
        page: Page = self._transport.json(self._call)
        return page

    def pages(self) -> Iterator[Page]:
        call: Call | None = self._call
        while call is not None:
            page = self._transport.json(call)
            yield page
            call = _after(call, page, self._next)

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            data: list[Item] = page["data"]  # type: ignore[index]
            yield from data

    def to_list(self, limit: int | None = None) -> list[Item]:
        """All items, at most `limit`."""
        items: list[Item] = []
        if limit is not None and limit <= 0:
            return items
        for item in self:
            items.append(item)
            if len(items) == limit:
                break
        return items


class AsyncPages(Generic[Item, Page]):
    """The items of a list. `pages()` has them page by page."""

    def __init__(self, transport: _SendsLater, call: Call, next: Next | None) -> None:
        self._transport = transport
        self._call = call
        self._next = next

    async def page(self) -> Page:
        """The first page."""
        page: Page = await self._transport.json(self._call)
        return page

    async def pages(self) -> AsyncIterator[Page]:
        call: Call | None = self._call
        while call is not None:
            page = await self._transport.json(call)
            yield page
            call = _after(call, page, self._next)

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            data: list[Item] = page["data"]  # type: ignore[index]
            for item in data:
                yield item

    async def to_list(self, limit: int | None = None) -> list[Item]:
        """All items, at most `limit`."""
        items: list[Item] = []
        if limit is not None and limit <= 0:
            return items
        async for item in self:
            items.append(item)
            if len(items) == limit:
                break
        return items
