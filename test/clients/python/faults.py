"""The faults that the driver can have: each breaks one rule of docs/sdk-contract.md, from outside of the SDK.
`test/clients/typescript/faults.ts` has the same.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin
from uuid import uuid4

from annals_sdk import HttpTransport, Request, Response, Tracking

STORED = Response(201, {"content-type": "application/json"}, b"{}")


class FaultyTransport:
    def __init__(self, fault: str | None) -> None:
        self._fault = fault
        self._send = HttpTransport()

    def __call__(self, request: Request) -> Response:
        response = self._attempt(request)
        if self._fault == "no-retry-after":
            response.headers.pop("retry-after", None)
        if response.status != 422 or self._fault not in ("no-details", "refuses-all"):
            return response
        error = json.loads(response.read())["error"]
        named = [{"field": f"events[{at}]", "message": ""} for at in range(9)]
        error["details"] = named if self._fault == "refuses-all" else []
        return Response(422, response.headers, json.dumps({"error": error}).encode())

    def _attempt(self, request: Request) -> Response:
        if self._fault == "any-account" and request.url.endswith("/v1/usage"):
            return Response(200, {}, b'{"data": {"account_id": "acct_b"}}')
        if self._fault == "new-key-per-attempt":
            request = replace(request, headers={**request.headers, "idempotency-key": str(uuid4())})
        if self._fault == "events-rewritten" and request.body is not None:
            request = replace(request, body=json.dumps(json.loads(request.body)).encode())
        if self._fault == "redirects-followed":
            response = self._send(request)
            if response.status != 302:
                return response
            url = urljoin(request.url, response.headers["location"])
            return self._send(replace(request, method="GET", url=url, body=None))
        if self._fault != "failure-is-success":
            return self._send(request)
        try:
            response = self._send(request)
            return response if response.status < 300 else STORED
        except OSError:
            return STORED


def faulty_tracking(fault: str | None, tracking: Tracking) -> Tracking:
    if fault == "no-bound":
        told = {"on_drop": tracking.on_drop, "on_stall": tracking.on_stall}
        return Tracking(**told, max_wait=5.0)
    if fault == "silent-drops":
        return replace(tracking, on_drop=lambda _: None)
    if fault == "silent-stalls":
        return replace(tracking, on_stall=lambda _: None)
    return tracking


def faulty_event(fault: str | None, event: dict[str, Any]) -> dict[str, Any]:
    """NaN as JavaScript writes it."""
    if fault != "nan-as-null" or "metadata" not in event:
        return event
    text = json.dumps(event["metadata"]).replace("NaN", "null")
    return {**event, "metadata": json.loads(text)}
