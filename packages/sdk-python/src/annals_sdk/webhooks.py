"""Verifies deliveries of webhooks. Called by the servers that receive them.

It never parses a body before its signature is verified.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

_SECRET_PREFIX = "whsec_"
_TOLERANCE_S = {"standard": 300.0, "service": 3_600.0}


class WebhookError(Exception):
    """Why a delivery is not accepted. Respond with 400 or 401."""

    def __init__(
        self, reason: Literal["missing_header", "wrong_signature", "wrong_time", "not_json"], message: str
    ) -> None:
        super().__init__(message)
        self.reason = reason


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    signature: Literal["standard", "service"] = "standard",
    tolerance: float | None = None,
    now: Callable[[], float] = time.time,
) -> Any:
    """The payload of a delivery. `body` is what arrived, before any JSON parser.

    While a secret is replaced, give both. `standard` verifies `webhook-signature`, which covers the time of
    the attempt; `service` verifies `X-Service-Signature`, which covers the body alone. `tolerance` is in
    seconds.
    """
    content = body.encode() if isinstance(body, str) else bytes(body)
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(each.startswith(_SECRET_PREFIX) for each in secrets):
        raise ValueError(f"a webhook's secret begins with {_SECRET_PREFIX}")
    is_signed = _is_standard(content, headers, secrets) if signature == "standard" else None
    if is_signed is None:
        is_signed = _is_service(content, headers, secrets)
    if not is_signed:
        raise WebhookError("wrong_signature", "no signature of the delivery matches")
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        raise WebhookError("not_json", "the body is not JSON") from None
    limit = _TOLERANCE_S[signature] if tolerance is None else tolerance
    try:
        sent_at = _sent_at(payload, headers, signature)
    except (ValueError, TypeError, KeyError):
        sent_at = float("nan")
    if not abs(now() - sent_at) <= limit:
        raise WebhookError("wrong_time", f"the timestamp is outside the tolerance of {limit:g} s")
    return payload


def _sent_at(payload: Any, headers: Mapping[str, str], signature: str) -> float:
    if signature == "standard":
        return float(_header(headers, "webhook-timestamp"))
    return datetime.fromisoformat(payload["timestamp"].replace("Z", "+00:00")).timestamp()


def _is_standard(body: bytes, headers: Mapping[str, str], secrets: Iterable[str]) -> bool:
    given = [each.partition(",") for each in _header(headers, "webhook-signature").split(" ")]
    before = f"{_header(headers, 'webhook-id')}.{_header(headers, 'webhook-timestamp')}."
    signatures = [_from_base64(text) for version, _, text in given if version == "v1"]
    keys = [_from_base64(secret[len(_SECRET_PREFIX) :]) for secret in secrets]
    return _matches([key for key in keys if key], signatures, before.encode() + body)


def _is_service(body: bytes, headers: Mapping[str, str], secrets: Iterable[str]) -> bool:
    given = _header(headers, "x-service-signature")
    if not re.fullmatch("[0-9a-f]{64}", given):
        return False
    return _matches([secret.encode() for secret in secrets], [bytes.fromhex(given)], body)


def _matches(keys: Iterable[bytes], signatures: Iterable[bytes], signed: bytes) -> bool:
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    return any(hmac.compare_digest(one, other) for one in expected for other in signatures)


def _from_base64(text: str) -> bytes:
    """Empty for a text that is not base64."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _header(headers: Mapping[str, str], name: str) -> str:
    value = next((value for each, value in headers.items() if each.lower() == name), None)
    if not value:
        raise WebhookError("missing_header", f"the header {name} is missing")
    return value
