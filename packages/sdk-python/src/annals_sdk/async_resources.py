"""The methods of AsyncAnnals. Generated from the OpenAPI document by `npm run generate`. Not to be edited."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from .calls import Call, new_key, page_after_epoch, path_of, tile_index
from .http_transport import Response
from .pages import AsyncPages
from .async_transport import AsyncTransport

if TYPE_CHECKING:
    from . import models as m


class Events:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewEvent,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Event:
        """Store an event."""
        call = Call(
            "create-event",
            "POST",
            "/events",
            body=body,
            idempotency_key=idempotency_key or new_key(),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Event", await self._transport.data(call))

    async def create_many(
        self,
        events: Sequence[m.NewBatchEvent],
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[m.Event]:
        """Store a batch of events."""
        call = Call(
            "create-event-batch",
            "POST",
            "/events/batch",
            body={"events": [*events]},
            idempotency_key=idempotency_key or new_key(),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("builtins.list[m.Event]", await self._transport.data(call))

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Event:
        """Get an event."""
        call = Call(
            "get-event",
            "GET",
            f"/events/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Event", await self._transport.data(call))

    async def get_with_proof(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.EventWithProof:
        """Get an event with its proof."""
        call = Call(
            "get-event",
            "GET",
            f"/events/{path_of(id)}",
            query={"include": "proof"},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.EventWithProof", await self._transport.json(call))

    def list(
        self,
        *,
        action: str | Sequence[str] | None = None,
        actor_id: str | Sequence[str] | None = None,
        actor_type: str | Sequence[str] | None = None,
        target_id: str | Sequence[str] | None = None,
        target_type: str | Sequence[str] | None = None,
        occurred_from: str | None = None,
        occurred_to: str | None = None,
        received_from: str | None = None,
        received_to: str | None = None,
        after_sequence: int | None = None,
        before_sequence: int | None = None,
        text: str | None = None,
        outcome: str | Sequence[str] | None = None,
        not_action: str | Sequence[str] | None = None,
        not_actor_id: str | Sequence[str] | None = None,
        not_actor_type: str | Sequence[str] | None = None,
        not_target_id: str | Sequence[str] | None = None,
        not_target_type: str | Sequence[str] | None = None,
        not_outcome: str | Sequence[str] | None = None,
        order: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        include: str | None = None,
        fields: Mapping[str, str | Sequence[str]] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Event, m.EventPage]:
        """List events."""
        call = Call(
            "list-events",
            "GET",
            "/events",
            query={"action": action, "actor_id": actor_id, "actor_type": actor_type, "target_id": target_id, "target_type": target_type, "occurred_from": occurred_from, "occurred_to": occurred_to, "received_from": received_from, "received_to": received_to, "after_sequence": after_sequence, "before_sequence": before_sequence, "text": text, "outcome": outcome, "not.action": not_action, "not.actor_id": not_actor_id, "not.actor_type": not_actor_type, "not.target_id": not_target_id, "not.target_type": not_target_type, "not.outcome": not_outcome, "order": order, "limit": limit, "cursor": cursor, "include": include, **(fields or {})},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def histogram(
        self,
        *,
        action: str | Sequence[str] | None = None,
        actor_id: str | Sequence[str] | None = None,
        actor_type: str | Sequence[str] | None = None,
        target_id: str | Sequence[str] | None = None,
        target_type: str | Sequence[str] | None = None,
        occurred_from: str | None = None,
        occurred_to: str | None = None,
        received_from: str | None = None,
        received_to: str | None = None,
        after_sequence: int | None = None,
        before_sequence: int | None = None,
        text: str | None = None,
        outcome: str | Sequence[str] | None = None,
        not_action: str | Sequence[str] | None = None,
        not_actor_id: str | Sequence[str] | None = None,
        not_actor_type: str | Sequence[str] | None = None,
        not_target_id: str | Sequence[str] | None = None,
        not_target_type: str | Sequence[str] | None = None,
        not_outcome: str | Sequence[str] | None = None,
        interval: str | None = None,
        by: str | None = None,
        time_zone: str | None = None,
        cursor: str | None = None,
        fields: Mapping[str, str | Sequence[str]] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.EventHistogram:
        """Count events by time."""
        call = Call(
            "count-events",
            "GET",
            "/events/histogram",
            query={"action": action, "actor_id": actor_id, "actor_type": actor_type, "target_id": target_id, "target_type": target_type, "occurred_from": occurred_from, "occurred_to": occurred_to, "received_from": received_from, "received_to": received_to, "after_sequence": after_sequence, "before_sequence": before_sequence, "text": text, "outcome": outcome, "not.action": not_action, "not.actor_id": not_actor_id, "not.actor_type": not_actor_type, "not.target_id": not_target_id, "not.target_type": not_target_type, "not.outcome": not_outcome, "interval": interval, "by": by, "time_zone": time_zone, "cursor": cursor, **(fields or {})},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.EventHistogram", await self._transport.json(call))

    async def facets(
        self,
        field: str | Sequence[str],
        *,
        action: str | Sequence[str] | None = None,
        actor_id: str | Sequence[str] | None = None,
        actor_type: str | Sequence[str] | None = None,
        target_id: str | Sequence[str] | None = None,
        target_type: str | Sequence[str] | None = None,
        occurred_from: str | None = None,
        occurred_to: str | None = None,
        received_from: str | None = None,
        received_to: str | None = None,
        after_sequence: int | None = None,
        before_sequence: int | None = None,
        text: str | None = None,
        outcome: str | Sequence[str] | None = None,
        not_action: str | Sequence[str] | None = None,
        not_actor_id: str | Sequence[str] | None = None,
        not_actor_type: str | Sequence[str] | None = None,
        not_target_id: str | Sequence[str] | None = None,
        not_target_type: str | Sequence[str] | None = None,
        not_outcome: str | Sequence[str] | None = None,
        limit: int | None = None,
        prefix: str | None = None,
        fields: Mapping[str, str | Sequence[str]] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[m.EventFacet]:
        """Count the values of fields."""
        call = Call(
            "count-values",
            "GET",
            "/events/facets",
            query={"action": action, "actor_id": actor_id, "actor_type": actor_type, "target_id": target_id, "target_type": target_type, "occurred_from": occurred_from, "occurred_to": occurred_to, "received_from": received_from, "received_to": received_to, "after_sequence": after_sequence, "before_sequence": before_sequence, "text": text, "outcome": outcome, "not.action": not_action, "not.actor_id": not_actor_id, "not.actor_type": not_actor_type, "not.target_id": not_target_id, "not.target_type": not_target_type, "not.outcome": not_outcome, "field": field, "limit": limit, "prefix": prefix, **(fields or {})},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("builtins.list[m.EventFacet]", await self._transport.data(call))


class Intake:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def kubernetes_audit(
        self,
        body: m.KubernetesEventList,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.IntakeResult:
        """Store audit events of a Kubernetes cluster."""
        call = Call(
            "store-kubernetes-audit",
            "POST",
            "/intake/kubernetes",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.IntakeResult", await self._transport.data(call))

    async def cloud_events(
        self,
        events: Sequence[Mapping[str, Any]],
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.IntakeResult:
        """Store CloudEvents."""
        call = Call(
            "store-cloudevents",
            "POST",
            "/intake/cloudevents",
            body=[*events],
            media_type="application/cloudevents-batch+json",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.IntakeResult", await self._transport.data(call))

    async def otlp_logs(
        self,
        body: m.ExportLogsServiceRequest | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.ExportLogsServiceResponse:
        """Store log records of OpenTelemetry."""
        call = Call(
            "store-otlp-logs",
            "POST",
            "/intake/otlp/v1/logs",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.ExportLogsServiceResponse", await self._transport.json(call))


class Log:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Log:
        """Get the log of evidence."""
        call = Call(
            "get-log",
            "GET",
            "/log",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Log", await self._transport.data(call))

    async def checkpoint(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> str:
        """Get the checkpoint of the log."""
        call = Call(
            "read-checkpoint",
            "GET",
            "/log/checkpoint",
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.text(call)

    async def tile(
        self,
        level: int,
        index: int,
        width: int | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> bytes:
        """Get a tile of the log."""
        call = Call(
            "read-tile",
            "GET",
            f"/log/tile/{level:d}/{tile_index(index, width)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.bytes(call)

    async def entries(
        self,
        index: int,
        width: int | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> bytes:
        """Get a bundle of entries of the log."""
        call = Call(
            "read-entries",
            "GET",
            f"/log/tile/entries/{tile_index(index, width)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.bytes(call)

    async def inclusion(
        self,
        sequence_number: int,
        *,
        size: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Inclusion:
        """Prove an event in the log."""
        call = Call(
            "prove-inclusion",
            "GET",
            "/log/inclusion",
            query={"sequence_number": sequence_number, "size": size},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Inclusion", await self._transport.data(call))

    async def consistency(
        self,
        from_: int,
        *,
        to: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Consistency:
        """Prove that the log has only grown."""
        call = Call(
            "prove-consistency",
            "GET",
            "/log/consistency",
            query={"from": from_, "to": to},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Consistency", await self._transport.data(call))

    def heads(
        self,
        *,
        after_epoch: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.EpochHead, m.EpochHeadPage]:
        """List the heads of the log."""
        call = Call(
            "list-heads",
            "GET",
            "/log/heads",
            query={"after_epoch": after_epoch, "limit": limit},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, page_after_epoch)


class Usage:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Usage:
        """Get the use of each limit."""
        call = Call(
            "get-usage",
            "GET",
            "/usage",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Usage", await self._transport.data(call))


class Exports:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewExport | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Export:
        """Export events."""
        call = Call(
            "create-export",
            "POST",
            "/exports",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Export", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Export, m.ExportPage]:
        """List exports."""
        call = Call(
            "list-exports",
            "GET",
            "/exports",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Export:
        """Get an export."""
        call = Call(
            "get-export",
            "GET",
            f"/exports/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Export", await self._transport.data(call))

    async def content(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Response:
        """Download the file of an export."""
        call = Call(
            "get-export-content",
            "GET",
            f"/exports/{path_of(id)}/content",
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.response(call)

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Delete an export."""
        call = Call(
            "delete-export",
            "DELETE",
            f"/exports/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class ApiKeys:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewApiKey,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.CreatedApiKey:
        """Create an API key."""
        call = Call(
            "create-api-key",
            "POST",
            "/api-keys",
            body=body,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.CreatedApiKey", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.ApiKey, m.ApiKeyPage]:
        """List API keys."""
        call = Call(
            "list-api-keys",
            "GET",
            "/api-keys",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def update(
        self,
        id: str,
        body: m.ApiKeyUpdate,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.ApiKey:
        """Update an API key."""
        call = Call(
            "update-api-key",
            "PATCH",
            f"/api-keys/{path_of(id)}",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.ApiKey", await self._transport.data(call))

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Revoke an API key."""
        call = Call(
            "delete-api-key",
            "DELETE",
            f"/api-keys/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class Keys:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewApiKey,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.CreatedKey:
        """Create an API key (other form)."""
        call = Call(
            "create-key",
            "POST",
            "/keys",
            body=body,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.CreatedKey", await self._transport.json(call))

    async def delete(
        self,
        key_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Revoke an API key (other form)."""
        call = Call(
            "delete-key",
            "DELETE",
            f"/keys/{path_of(key_id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class Webhooks:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewWebhook,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.CreatedWebhook:
        """Create a webhook."""
        call = Call(
            "create-webhook",
            "POST",
            "/webhooks",
            body=body,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.CreatedWebhook", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Webhook, m.WebhookPage]:
        """List webhooks."""
        call = Call(
            "list-webhooks",
            "GET",
            "/webhooks",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def update(
        self,
        id: str,
        body: m.WebhookUpdate | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Webhook:
        """Change a webhook."""
        call = Call(
            "update-webhook",
            "PATCH",
            f"/webhooks/{path_of(id)}",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Webhook", await self._transport.data(call))

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Delete a webhook."""
        call = Call(
            "delete-webhook",
            "DELETE",
            f"/webhooks/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)

    def deliveries(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Delivery, m.DeliveryPage]:
        """List the deliveries of a webhook."""
        call = Call(
            "list-deliveries",
            "GET",
            f"/webhooks/{path_of(id)}/deliveries",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def test(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.QueuedDelivery:
        """Send a test delivery."""
        call = Call(
            "test-webhook",
            "POST",
            f"/webhooks/{path_of(id)}/test",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.QueuedDelivery", await self._transport.data(call))

    async def replay_delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.QueuedDelivery:
        """Replay a delivery."""
        call = Call(
            "replay-delivery",
            "POST",
            f"/webhooks/{path_of(id)}/deliveries/{path_of(delivery_id)}/replay",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.QueuedDelivery", await self._transport.data(call))

    async def replay_events(
        self,
        id: str,
        body: m.ReplayRange,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.QueuedDeliveries:
        """Replay a range of events."""
        call = Call(
            "replay-events",
            "POST",
            f"/webhooks/{path_of(id)}/replay",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.QueuedDeliveries", await self._transport.data(call))

    async def rotate_secret(
        self,
        id: str,
        body: m.SecretRotation | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.RotatedWebhook:
        """Rotate the signing secret of a webhook."""
        call = Call(
            "rotate-secret",
            "POST",
            f"/webhooks/{path_of(id)}/rotate-secret",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.RotatedWebhook", await self._transport.data(call))


class Sinks:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewSink,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Sink:
        """Create a sink."""
        call = Call(
            "create-sink",
            "POST",
            "/sinks",
            body=body,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Sink", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Sink, m.SinkPage]:
        """List sinks."""
        call = Call(
            "list-sinks",
            "GET",
            "/sinks",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Sink:
        """Get a sink."""
        call = Call(
            "get-sink",
            "GET",
            f"/sinks/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Sink", await self._transport.data(call))

    async def update(
        self,
        id: str,
        body: m.SinkUpdate | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Sink:
        """Change a sink."""
        call = Call(
            "update-sink",
            "PATCH",
            f"/sinks/{path_of(id)}",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Sink", await self._transport.data(call))

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Delete a sink."""
        call = Call(
            "delete-sink",
            "DELETE",
            f"/sinks/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)

    async def test(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.SinkTest:
        """Test a sink."""
        call = Call(
            "test-sink",
            "POST",
            f"/sinks/{path_of(id)}/test",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.SinkTest", await self._transport.data(call))

    async def replay(
        self,
        id: str,
        body: m.SinkReplay,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.SinkReplayed:
        """Replay events to a sink."""
        call = Call(
            "replay-sink",
            "POST",
            f"/sinks/{path_of(id)}/replay",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.SinkReplayed", await self._transport.data(call))

    async def skip(
        self,
        id: str,
        body: m.SinkSkip,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.SinkSkipped:
        """Skip an event that the receiver of a sink refuses."""
        call = Call(
            "skip-sink-record",
            "POST",
            f"/sinks/{path_of(id)}/skip",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.SinkSkipped", await self._transport.data(call))

    async def status(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.SinkStatus:
        """Get the status of a sink."""
        call = Call(
            "get-sink-status",
            "GET",
            f"/sinks/{path_of(id)}/status",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.SinkStatus", await self._transport.data(call))


class WidgetTokens:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewWidgetToken | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.CreatedWidgetToken:
        """Create a widget token."""
        call = Call(
            "create-widget-token",
            "POST",
            "/widget-tokens",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.CreatedWidgetToken", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.WidgetToken, m.WidgetTokenPage]:
        """List widget tokens."""
        call = Call(
            "list-widget-tokens",
            "GET",
            "/widget-tokens",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Revoke a widget token."""
        call = Call(
            "delete-widget-token",
            "DELETE",
            f"/widget-tokens/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class Erasures:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewErasure,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Erasure:
        """Erase parts of events."""
        call = Call(
            "create-erasure",
            "POST",
            "/erasures",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Erasure", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Erasure, m.ErasurePage]:
        """List erasures."""
        call = Call(
            "list-erasures",
            "GET",
            "/erasures",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Erasure:
        """Get an erasure."""
        call = Call(
            "get-erasure",
            "GET",
            f"/erasures/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Erasure", await self._transport.data(call))

    async def cancel(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Cancel an erasure."""
        call = Call(
            "cancel-erasure",
            "DELETE",
            f"/erasures/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class Holds:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def place(
        self,
        body: m.NewHold,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Hold:
        """Place a hold."""
        call = Call(
            "place-hold",
            "POST",
            "/holds",
            body=body,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Hold", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Hold, m.HoldPage]:
        """List holds."""
        call = Call(
            "list-holds",
            "GET",
            "/holds",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def release(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Release a hold."""
        call = Call(
            "release-hold",
            "DELETE",
            f"/holds/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class Retention:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Retention:
        """Get the retention of events."""
        call = Call(
            "get-retention",
            "GET",
            "/retention",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Retention", await self._transport.data(call))

    async def set(
        self,
        body: m.NewRetention,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Retention:
        """Set the retention of events."""
        call = Call(
            "set-retention",
            "PUT",
            "/retention",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Retention", await self._transport.data(call))


class Archives:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Archive, m.ArchivePage]:
        """List archives."""
        call = Call(
            "list-archives",
            "GET",
            "/archives",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def events(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Response:
        """Download the events of an archive."""
        call = Call(
            "get-archive-events",
            "GET",
            f"/archives/{path_of(id)}/events",
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.response(call)

    async def evidence(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Response:
        """Download the evidence of an archive."""
        call = Call(
            "get-archive-evidence",
            "GET",
            f"/archives/{path_of(id)}/evidence",
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.response(call)


class RoleMappings:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewRoleMapping,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.RoleMapping:
        """Give a role to a group or a person."""
        call = Call(
            "create-role-mapping",
            "POST",
            "/role-mappings",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.RoleMapping", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.RoleMapping, m.RoleMappingPage]:
        """List role mappings."""
        call = Call(
            "list-role-mappings",
            "GET",
            "/role-mappings",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Delete a role mapping."""
        call = Call(
            "delete-role-mapping",
            "DELETE",
            f"/role-mappings/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class SearchFields:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewSearchField,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.SearchField:
        """Declare a field of events."""
        call = Call(
            "create-search-field",
            "POST",
            "/search/fields",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.SearchField", await self._transport.data(call))

    async def list(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[m.SearchField]:
        """List declared fields."""
        call = Call(
            "list-search-fields",
            "GET",
            "/search/fields",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("builtins.list[m.SearchField]", await self._transport.data(call))

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Delete a declared field."""
        call = Call(
            "delete-search-field",
            "DELETE",
            f"/search/fields/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)

    async def paths(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[m.SearchPath]:
        """List paths of events."""
        call = Call(
            "list-search-paths",
            "GET",
            "/search/paths",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("builtins.list[m.SearchPath]", await self._transport.data(call))


class Searches:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewSavedSearch,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.SavedSearch:
        """Save a search."""
        call = Call(
            "create-saved-search",
            "POST",
            "/searches",
            body=body,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.SavedSearch", await self._transport.data(call))

    async def list(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[m.SavedSearch]:
        """List saved searches."""
        call = Call(
            "list-saved-searches",
            "GET",
            "/searches",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("builtins.list[m.SavedSearch]", await self._transport.data(call))

    async def update(
        self,
        id: str,
        body: m.SavedSearchUpdate | None = None,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.SavedSearch:
        """Change a saved search."""
        call = Call(
            "update-saved-search",
            "PATCH",
            f"/searches/{path_of(id)}",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.SavedSearch", await self._transport.data(call))

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Delete a saved search."""
        call = Call(
            "delete-saved-search",
            "DELETE",
            f"/searches/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class People:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Person, m.PersonPage]:
        """List the people who have a role."""
        call = Call(
            "list-people",
            "GET",
            "/people",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)


class Workloads:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: m.NewWorkload,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Workload:
        """Trust a workload."""
        call = Call(
            "create-workload",
            "POST",
            "/workloads",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Workload", await self._transport.data(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.Workload, m.WorkloadPage]:
        """List workloads."""
        call = Call(
            "list-workloads",
            "GET",
            "/workloads",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Delete a workload."""
        call = Call(
            "delete-workload",
            "DELETE",
            f"/workloads/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.json(call)


class Verify:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def chain(
        self,
        *,
        from_sequence: int | None = None,
        to_sequence: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.Verification:
        """Verify the hash chain."""
        call = Call(
            "verify-chain",
            "GET",
            "/verify",
            query={"from_sequence": from_sequence, "to_sequence": to_sequence},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.Verification", await self._transport.data(call))


class Widget:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        action: str | Sequence[str] | None = None,
        actor_id: str | Sequence[str] | None = None,
        actor_type: str | Sequence[str] | None = None,
        target_id: str | Sequence[str] | None = None,
        target_type: str | Sequence[str] | None = None,
        occurred_from: str | None = None,
        occurred_to: str | None = None,
        received_from: str | None = None,
        received_to: str | None = None,
        after_sequence: int | None = None,
        before_sequence: int | None = None,
        text: str | None = None,
        outcome: str | Sequence[str] | None = None,
        not_action: str | Sequence[str] | None = None,
        not_actor_id: str | Sequence[str] | None = None,
        not_actor_type: str | Sequence[str] | None = None,
        not_target_id: str | Sequence[str] | None = None,
        not_target_type: str | Sequence[str] | None = None,
        not_outcome: str | Sequence[str] | None = None,
        order: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        include: str | None = None,
        fields: Mapping[str, str | Sequence[str]] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[m.WidgetEvent, m.WidgetEventPage]:
        """List the events of a widget token."""
        call = Call(
            "list-widget-events",
            "GET",
            "/widget/events",
            query={"action": action, "actor_id": actor_id, "actor_type": actor_type, "target_id": target_id, "target_type": target_type, "occurred_from": occurred_from, "occurred_to": occurred_to, "received_from": received_from, "received_to": received_to, "after_sequence": after_sequence, "before_sequence": before_sequence, "text": text, "outcome": outcome, "not.action": not_action, "not.actor_id": not_actor_id, "not.actor_type": not_actor_type, "not.target_id": not_target_id, "not.target_type": not_target_type, "not.outcome": not_outcome, "order": order, "limit": limit, "cursor": cursor, "include": include, **(fields or {})},
            timeout=timeout,
            max_retries=max_retries,
        )
        return AsyncPages(self._transport, call, None)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.WidgetEventWithProof:
        """Get an event of a widget token."""
        call = Call(
            "get-widget-event",
            "GET",
            f"/widget/events/{path_of(id)}",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.WidgetEventWithProof", await self._transport.json(call))

    async def log(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.WidgetLog:
        """Get how far the log covers the events."""
        call = Call(
            "get-widget-log",
            "GET",
            "/widget/log",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.WidgetLog", await self._transport.data(call))

    async def filters(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.WidgetFilters:
        """List the values to filter by."""
        call = Call(
            "list-widget-filters",
            "GET",
            "/widget/filters",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.WidgetFilters", await self._transport.data(call))

    async def histogram(
        self,
        *,
        action: str | Sequence[str] | None = None,
        actor_id: str | Sequence[str] | None = None,
        actor_type: str | Sequence[str] | None = None,
        target_id: str | Sequence[str] | None = None,
        target_type: str | Sequence[str] | None = None,
        occurred_from: str | None = None,
        occurred_to: str | None = None,
        received_from: str | None = None,
        received_to: str | None = None,
        after_sequence: int | None = None,
        before_sequence: int | None = None,
        text: str | None = None,
        outcome: str | Sequence[str] | None = None,
        not_action: str | Sequence[str] | None = None,
        not_actor_id: str | Sequence[str] | None = None,
        not_actor_type: str | Sequence[str] | None = None,
        not_target_id: str | Sequence[str] | None = None,
        not_target_type: str | Sequence[str] | None = None,
        not_outcome: str | Sequence[str] | None = None,
        interval: str | None = None,
        by: str | None = None,
        time_zone: str | None = None,
        cursor: str | None = None,
        fields: Mapping[str, str | Sequence[str]] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> m.EventHistogram:
        """Count the events of a widget token by time."""
        call = Call(
            "count-widget-events",
            "GET",
            "/widget/events/histogram",
            query={"action": action, "actor_id": actor_id, "actor_type": actor_type, "target_id": target_id, "target_type": target_type, "occurred_from": occurred_from, "occurred_to": occurred_to, "received_from": received_from, "received_to": received_to, "after_sequence": after_sequence, "before_sequence": before_sequence, "text": text, "outcome": outcome, "not.action": not_action, "not.actor_id": not_actor_id, "not.actor_type": not_actor_type, "not.target_id": not_target_id, "not.target_type": not_target_type, "not.outcome": not_outcome, "interval": interval, "by": by, "time_zone": time_zone, "cursor": cursor, **(fields or {})},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("m.EventHistogram", await self._transport.json(call))

    async def facets(
        self,
        field: str | Sequence[str],
        *,
        action: str | Sequence[str] | None = None,
        actor_id: str | Sequence[str] | None = None,
        actor_type: str | Sequence[str] | None = None,
        target_id: str | Sequence[str] | None = None,
        target_type: str | Sequence[str] | None = None,
        occurred_from: str | None = None,
        occurred_to: str | None = None,
        received_from: str | None = None,
        received_to: str | None = None,
        after_sequence: int | None = None,
        before_sequence: int | None = None,
        text: str | None = None,
        outcome: str | Sequence[str] | None = None,
        not_action: str | Sequence[str] | None = None,
        not_actor_id: str | Sequence[str] | None = None,
        not_actor_type: str | Sequence[str] | None = None,
        not_target_id: str | Sequence[str] | None = None,
        not_target_type: str | Sequence[str] | None = None,
        not_outcome: str | Sequence[str] | None = None,
        limit: int | None = None,
        prefix: str | None = None,
        fields: Mapping[str, str | Sequence[str]] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[m.EventFacet]:
        """Count the values of fields in the events of a widget token."""
        call = Call(
            "count-widget-values",
            "GET",
            "/widget/events/facets",
            query={"action": action, "actor_id": actor_id, "actor_type": actor_type, "target_id": target_id, "target_type": target_type, "occurred_from": occurred_from, "occurred_to": occurred_to, "received_from": received_from, "received_to": received_to, "after_sequence": after_sequence, "before_sequence": before_sequence, "text": text, "outcome": outcome, "not.action": not_action, "not.actor_id": not_actor_id, "not.actor_type": not_actor_type, "not.target_id": not_target_id, "not.target_type": not_target_type, "not.outcome": not_outcome, "field": field, "limit": limit, "prefix": prefix, **(fields or {})},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("builtins.list[m.EventFacet]", await self._transport.data(call))
