"""The calls of AsyncAnnals: those of Transport in threads of the loop's executor, so that neither needs a
library for HTTP. A call whose task is cancelled goes on in its thread until it has ended.
"""

from __future__ import annotations

import asyncio
from typing import Any

from .calls import Call
from .http_transport import Response
from .transport import Transport


class AsyncTransport:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def json(self, call: Call) -> Any:
        return await asyncio.to_thread(self._transport.json, call)

    async def data(self, call: Call) -> Any:
        return await asyncio.to_thread(self._transport.data, call)

    async def text(self, call: Call) -> str:
        return await asyncio.to_thread(self._transport.text, call)

    async def bytes(self, call: Call) -> bytes:
        return await asyncio.to_thread(self._transport.bytes, call)

    async def response(self, call: Call) -> Response:
        return await asyncio.to_thread(self._transport.response, call)
