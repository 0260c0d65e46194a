"""The types of the interface. Generated from the OpenAPI document by `npm run generate`. Not to be edited."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union


class AccountCheckpoint(TypedDict):
    origin: str
    epoch: int
    time: str
    size: int
    root: str
    checkpoint: str


class Actor(TypedDict, total=False):
    """Who did it."""

    id: str
    type: str
    meta: dict[str, Any]


class _ApiKeyRequired(TypedDict):
    id: str
    name: str
    key_prefix: str
    scopes: list[Scope]
    created_at: str


class ApiKey(_ApiKeyRequired, total=False):
    expires_at: str
    allowed_ips: list[str]
    last_used_at: str


class ApiKeyPage(TypedDict):
    data: list[ApiKey]
    has_more: bool
    next_cursor: str | None


class _ApiKeyUpdateRequired(TypedDict):
    name: str


class ApiKeyUpdate(_ApiKeyUpdateRequired, total=False):
    expires_at: str | None
    allowed_ips: list[str] | None


class ArchiveEvents(TypedDict):
    """Its events with proofs, as JSON Lines that are compressed with zstd."""

    sha256: str
    size_bytes: int


class ArchiveEvidence(TypedDict):
    """What proves its events: a bundle of evidence without them."""

    sha256: str
    size_bytes: int


class Archive(TypedDict):
    id: str
    month: str
    from_sequence: int
    to_sequence: int
    events: ArchiveEvents
    evidence: ArchiveEvidence
    created_at: str
    written_at: str


class ArchivePage(TypedDict):
    data: list[Archive]
    has_more: bool
    next_cursor: str | None


class AzureEventHubsSinkConfig(TypedDict):
    url: str
    event_hub: str
    shared_access_key_name: str
    shared_access_key: str


class AzureEventHubsSinkConfigShown(TypedDict):
    url: str
    event_hub: str
    shared_access_key_name: str


Consistency = TypedDict(
    "Consistency",
    {
        "from": "int",
        "from_root": "str",
        "to": "int",
        "to_root": "str",
        "hashes": "list[str]",
    },
)


class CoveredWitnessesItem(TypedDict):
    name: str
    time: str


class Covered(TypedDict):
    sequence_number: int
    epoch: int
    time: str
    witnesses: list[CoveredWitnessesItem]


class _CreatedApiKeyRequired(TypedDict):
    id: str
    name: str
    key_prefix: str
    scopes: list[Scope]
    created_at: str


class CreatedApiKey(_CreatedApiKeyRequired, total=False):
    expires_at: str
    allowed_ips: list[str]
    last_used_at: str
    key: str


class _CreatedKeyRequired(TypedDict):
    id: str
    name: str
    scopes: list[Scope]
    created_at: str


class CreatedKey(_CreatedKeyRequired, total=False):
    key: str
    expires_at: str
    allowed_ips: list[str]


class _CreatedWebhookRequired(TypedDict):
    id: str
    url: str
    events: list[EventPattern]
    active: bool
    created_at: str


class CreatedWebhook(_CreatedWebhookRequired, total=False):
    filter: WebhookFilter
    disabled_reason: Literal["failing", "erasure"] | str
    disabled_at: str
    dropped: DroppedDeliveries
    secret: str


class CreatedWidgetToken(TypedDict):
    id: str
    token_prefix: str
    filter: EventFilter
    parts: list[Literal["actor.meta", "target.meta", "context", "diff", "metadata"] | str]
    origins: list[str]
    viewer: WidgetViewer | None
    expires_at: str
    created_at: str
    token: str


class _DeliveryRequired(TypedDict):
    id: str
    event: str
    status: Literal["success", "failed"] | str
    status_code: int | None
    failure: Literal["status", "address", "connection", "tls", "timeout", "response", "interrupted"] | str | None
    attempts: int
    next_retry_at: str | None


class Delivery(_DeliveryRequired, total=False):
    delivered_at: str
    last_attempt_at: str


class DeliveryPage(TypedDict):
    data: list[Delivery]
    has_more: bool
    next_cursor: str | None


class Diff(TypedDict, total=False):
    """What changed."""

    before: dict[str, Any]
    after: dict[str, Any]


class DroppedDeliveries(TypedDict):
    """Deliveries that were not queued, because the account had too many pending. Absent if there are none."""

    count: int
    first_sequence_number: int | None
    last_sequence_number: int | None
    last_at: str


class EpochHeadHead(TypedDict):
    """The record of the account's head in this epoch."""

    chain: str
    root: str
    size: int
    v: Literal[1]


class EpochHead(TypedDict):
    epoch: int
    entry: str
    head: EpochHeadHead
    path: list[str]
    checkpoint: str
    inclusion: list[str]
    consistency: list[str]


class EpochHeadPage(TypedDict):
    data: list[EpochHead]
    has_more: bool


class ErasureCopies(TypedDict):
    """Null before, and if the service has no such copies."""

    exports: str | None
    webhooks: str | None


class Erasure(TypedDict):
    id: str
    status: Literal["pending", "running", "completed", "cancelled"] | str
    actor_id: str | None
    target_id: str | None
    event_id: str | None
    parts: list[Literal["actor", "context", "diff", "metadata", "target"] | str]
    reference: str | None
    up_to_sequence: int
    erased: int
    held: int
    created_at: str
    begins_at: str | None
    ended_at: str | None
    copies: ErasureCopies
    vacuumed_at: str | None


class ErasurePage(TypedDict):
    data: list[Erasure]
    has_more: bool
    next_cursor: str | None


class _ErrorErrorRequired(TypedDict):
    type: Literal["authentication_error", "scope_error", "plan_feature_unavailable", "plan_limit_exceeded", "not_found", "validation_error", "rate_limit_exceeded", "server_error"] | str
    message: str


class ErrorError(_ErrorErrorRequired, total=False):
    code: Literal["unauthorized", "forbidden"] | str
    details: list[FieldFault]


class Error(TypedDict):
    error: ErrorError


class _EventRequired(TypedDict):
    id: str
    sequence_number: int
    action: str
    actor: Actor
    target: Target
    context: dict[str, Any]
    diff: Diff
    metadata: dict[str, Any]
    hash: str
    previous_hash: str
    occurred_at: str
    received_at: str
    created_at: str


class Event(_EventRequired, total=False):
    erased: list[Literal["actor", "context", "diff", "metadata", "target"] | str]


class EventCreatedPayload(TypedDict):
    id: str
    event: Literal["event.created"] | str
    data: Event
    timestamp: str


class EventFacetValuesItem(TypedDict):
    value: str
    count: int


class EventFacetCounted(TypedDict):
    events: int
    from_sequence: int


class EventFacet(TypedDict):
    field: str
    values: list[EventFacetValuesItem]
    other: int
    missing: int
    distinct: int
    exact: bool
    counted: EventFacetCounted


class EventFilterNot(TypedDict, total=False):
    """Leaves out events that any of these members selects."""

    action: str | list[str]
    actor_id: str | list[str]
    actor_type: str | list[str]
    target_id: str | list[str]
    target_type: str | list[str]
    outcome: str | list[str]
    fields: dict[str, str | list[str]]


EventFilter = TypedDict(
    "EventFilter",
    {
        "action": "str | list[str]",
        "actor_id": "str | list[str]",
        "actor_type": "str | list[str]",
        "target_id": "str | list[str]",
        "target_type": "str | list[str]",
        "occurred_from": "str",
        "occurred_to": "str",
        "received_from": "str",
        "received_to": "str",
        "after_sequence": "int",
        "before_sequence": "int",
        "outcome": "str | list[str]",
        "fields": "dict[str, str | list[str]]",
        "not": "EventFilterNot",
    },
    total=False,
)


class EventHistogramDataItem(TypedDict):
    time: str
    value: str | None
    count: int


class EventHistogram(TypedDict):
    data: list[EventHistogramDataItem]
    values: list[str]
    total: int
    interval: Literal["1m", "5m", "15m", "1h", "1d", "1w"] | str
    time_zone: str
    complete: bool
    counted_from_sequence: int
    next_cursor: str | None


class _EventPageRequired(TypedDict):
    data: list[Event]
    has_more: bool
    next_cursor: str | None


class EventPage(_EventPageRequired, total=False):
    proofs: list[Proof]


class EventVerifiedPayload(TypedDict):
    id: str
    event: Literal["event.verified"] | str
    data: Verification
    timestamp: str


class EventWithProof(TypedDict):
    data: Event
    proof: Proof


class Export(TypedDict):
    id: str
    status: Literal["pending", "running", "completed", "failed"] | str
    format: Literal["jsonl", "csv", "csv_bom", "parquet", "evidence"] | str
    filter: SearchFilter
    event_count: int | None
    sha256: str | None
    size_bytes: int | None
    created_at: str
    completed_at: str | None


class ExportCompletedPayload(TypedDict):
    id: str
    event: Literal["export.completed"] | str
    data: Export
    timestamp: str


class ExportLogsServiceRequestResourceLogsItemScopeLogsItem(TypedDict, total=False):
    scope: Any
    logRecords: list[Any] | None


class ExportLogsServiceRequestResourceLogsItem(TypedDict, total=False):
    resource: Any
    scopeLogs: list[ExportLogsServiceRequestResourceLogsItemScopeLogsItem] | None


class ExportLogsServiceRequest(TypedDict, total=False):
    resourceLogs: list[ExportLogsServiceRequestResourceLogsItem] | None


class _ExportLogsServiceResponsePartialSuccessRequired(TypedDict):
    errorMessage: str


class ExportLogsServiceResponsePartialSuccess(_ExportLogsServiceResponsePartialSuccessRequired, total=False):
    """Absent if every record is stored, and nothing was ignored."""

    rejectedLogRecords: str


class ExportLogsServiceResponse(TypedDict, total=False):
    partialSuccess: ExportLogsServiceResponsePartialSuccess


class ExportPage(TypedDict):
    data: list[Export]
    has_more: bool
    next_cursor: str | None


class FieldFault(TypedDict):
    field: str
    message: str


class Hold(TypedDict):
    id: str
    from_sequence: int
    to_sequence: int | None
    actor_id: str | None
    owner: Literal["account", "operator"] | str
    placed_by: int


class HoldPage(TypedDict):
    data: list[Hold]
    has_more: bool
    next_cursor: str | None


class _HttpSinkConfigRequired(TypedDict):
    url: str


class HttpSinkConfig(_HttpSinkConfigRequired, total=False):
    headers: dict[str, Any]
    body: Literal["jsonl", "array", "elastic"] | str
    compress: bool


class HttpSinkConfigShown(TypedDict):
    url: str
    headers: dict[str, Any]
    body: Literal["jsonl", "array", "elastic"] | str
    compress: bool


class Inclusion(TypedDict):
    sequence_number: int
    index: int
    size: int
    root: str
    hash: str
    hashes: list[str]
    checkpoint: str | None


class IntakeResultFirstRejectionsItem(TypedDict):
    index: int
    reason: str


class IntakeResult(TypedDict):
    stored: int
    replayed: int
    reduced: int
    skipped: int
    rejected: int
    first_rejections: list[IntakeResultFirstRejectionsItem]


class KubernetesEventList(TypedDict):
    apiVersion: Literal["audit.k8s.io/v1"] | str
    kind: Literal["EventList"] | str
    items: list[Any]


class LogNewestEpoch(TypedDict):
    epoch: int
    time: str


class Log(TypedDict):
    origin: str
    log_origin: str
    vkeys: list[str]
    size: int
    covered: Covered | None
    newest_epoch: LogNewestEpoch | None
    min_index: int
    policy: str | None


class LogCheckpointedPayload(TypedDict):
    id: str
    event: Literal["log.checkpointed"] | str
    data: AccountCheckpoint
    timestamp: str


class LostEvents(TypedDict):
    from_sequence_number: int
    to_sequence_number: int
    reason: Literal["retention", "rejected", "both"] | str


class _NewApiKeyRequired(TypedDict):
    name: str


class NewApiKey(_NewApiKeyRequired, total=False):
    scopes: list[Scope]
    expires_at: str
    allowed_ips: list[str]


class _NewBatchEventWithActionRequired(TypedDict):
    action: str


class NewBatchEventWithAction(_NewBatchEventWithActionRequired, total=False):
    """An event with `action` or `type`."""

    type: str
    actor: Actor
    target: Target
    context: dict[str, Any]
    diff: Diff
    metadata: dict[str, Any]
    occurred_at: str


class _NewBatchEventWithTypeRequired(TypedDict):
    type: str


class NewBatchEventWithType(_NewBatchEventWithTypeRequired, total=False):
    """An event with `action` or `type`."""

    action: str
    actor: Actor
    target: Target
    context: dict[str, Any]
    diff: Diff
    metadata: dict[str, Any]
    occurred_at: str


class _NewErasureRequired(TypedDict):
    parts: list[Literal["actor", "context", "diff", "metadata", "target"] | str]


class NewErasure(_NewErasureRequired, total=False):
    actor_id: str
    target_id: str
    event_id: str
    reference: str


class _NewEventRequired(TypedDict):
    action: str


class NewEvent(_NewEventRequired, total=False):
    actor: Actor
    target: Target
    context: dict[str, Any]
    diff: Diff
    metadata: dict[str, Any]
    occurred_at: str


class NewEventBatch(TypedDict):
    events: list[NewBatchEvent]


class NewExport(TypedDict, total=False):
    format: Literal["jsonl", "csv", "csv_bom", "parquet", "evidence"] | str
    filter: SearchFilter
    include_proofs: bool


class _NewHoldRequired(TypedDict):
    from_sequence: int


class NewHold(_NewHoldRequired, total=False):
    to_sequence: int
    actor_id: str


class _NewRetentionRequired(TypedDict):
    days: int | None


class NewRetention(_NewRetentionRequired, total=False):
    archive: bool


class _NewRoleMappingRequired(TypedDict):
    provider: str
    role: Literal["none", "viewer", "auditor", "manager"] | str


class NewRoleMapping(_NewRoleMappingRequired, total=False):
    group: str
    subject: str


class _NewSavedSearchRequired(TypedDict):
    name: str


class NewSavedSearch(_NewSavedSearchRequired, total=False):
    filter: SearchFilter
    view: SearchView


class _NewSearchFieldRequired(TypedDict):
    path: str | list[str]
    type: Literal["string", "number", "ip", "time"] | str


class NewSearchField(_NewSearchFieldRequired, total=False):
    name: str
    ignore_case: bool


class _NewSinkAzureEventHubsRequired(TypedDict):
    type: Literal["azure_event_hubs"] | str
    config: AzureEventHubsSinkConfig


_NewSinkAzureEventHubsOptional = TypedDict(
    "_NewSinkAzureEventHubsOptional",
    {
        "format": "SinkFormat",
        "mapping": "NewSinkMapping",
        "from": "NewSinkFrom",
        "filter": "NewSinkFilter",
        "leave_out": "SinkLeaveOut",
        "include_proof": "SinkIncludeProof",
        "on_rejected": "SinkOnRejected",
        "active": "bool",
    },
    total=False,
)


class NewSinkAzureEventHubs(_NewSinkAzureEventHubsRequired, _NewSinkAzureEventHubsOptional):
    pass


class _NewSinkHttpRequired(TypedDict):
    type: Literal["http"] | str
    config: HttpSinkConfig


_NewSinkHttpOptional = TypedDict(
    "_NewSinkHttpOptional",
    {
        "format": "SinkFormat",
        "mapping": "NewSinkMapping",
        "from": "NewSinkFrom",
        "filter": "NewSinkFilter",
        "leave_out": "SinkLeaveOut",
        "include_proof": "SinkIncludeProof",
        "on_rejected": "SinkOnRejected",
        "active": "bool",
    },
    total=False,
)


class NewSinkHttp(_NewSinkHttpRequired, _NewSinkHttpOptional):
    pass


class _NewSinkOtlpHttpRequired(TypedDict):
    type: Literal["otlp_http"] | str
    config: OtlpHttpSinkConfig


_NewSinkOtlpHttpOptional = TypedDict(
    "_NewSinkOtlpHttpOptional",
    {
        "format": "SinkFormat",
        "mapping": "NewSinkMapping",
        "from": "NewSinkFrom",
        "filter": "NewSinkFilter",
        "leave_out": "SinkLeaveOut",
        "include_proof": "SinkIncludeProof",
        "on_rejected": "SinkOnRejected",
        "active": "bool",
    },
    total=False,
)


class NewSinkOtlpHttp(_NewSinkOtlpHttpRequired, _NewSinkOtlpHttpOptional):
    pass


class _NewSinkS3Required(TypedDict):
    type: Literal["s3"] | str
    config: S3SinkConfig


_NewSinkS3Optional = TypedDict(
    "_NewSinkS3Optional",
    {
        "format": "SinkFormat",
        "mapping": "NewSinkMapping",
        "from": "NewSinkFrom",
        "filter": "NewSinkFilter",
        "leave_out": "SinkLeaveOut",
        "include_proof": "SinkIncludeProof",
        "on_rejected": "SinkOnRejected",
        "active": "bool",
    },
    total=False,
)


class NewSinkS3(_NewSinkS3Required, _NewSinkS3Optional):
    pass


class _NewSinkSplunkHecRequired(TypedDict):
    type: Literal["splunk_hec"] | str
    config: SplunkHecSinkConfig


_NewSinkSplunkHecOptional = TypedDict(
    "_NewSinkSplunkHecOptional",
    {
        "format": "SinkFormat",
        "mapping": "NewSinkMapping",
        "from": "NewSinkFrom",
        "filter": "NewSinkFilter",
        "leave_out": "SinkLeaveOut",
        "include_proof": "SinkIncludeProof",
        "on_rejected": "SinkOnRejected",
        "active": "bool",
    },
    total=False,
)


class NewSinkSplunkHec(_NewSinkSplunkHecRequired, _NewSinkSplunkHecOptional):
    pass


class _NewSinkSyslogRequired(TypedDict):
    type: Literal["syslog"] | str
    config: SyslogSinkConfig


_NewSinkSyslogOptional = TypedDict(
    "_NewSinkSyslogOptional",
    {
        "format": "SinkFormat",
        "mapping": "NewSinkMapping",
        "from": "NewSinkFrom",
        "filter": "NewSinkFilter",
        "leave_out": "SinkLeaveOut",
        "include_proof": "SinkIncludeProof",
        "on_rejected": "SinkOnRejected",
        "active": "bool",
    },
    total=False,
)


class NewSinkSyslog(_NewSinkSyslogRequired, _NewSinkSyslogOptional):
    pass


class _NewWebhookRequired(TypedDict):
    url: str
    events: list[EventPattern]


class NewWebhook(_NewWebhookRequired, total=False):
    active: bool
    filter: NewWebhookFilter | None


class NewWebhookFilterNot(TypedDict, total=False):
    """Leaves out events that any of these members selects."""

    action: str | list[str]
    actor_id: str | list[str]
    actor_type: str | list[str]
    target_id: str | list[str]
    target_type: str | list[str]
    outcome: str | list[str]
    fields: dict[str, str | list[str]]


NewWebhookFilter = TypedDict(
    "NewWebhookFilter",
    {
        "action": "str | list[str]",
        "actor_id": "str | list[str]",
        "actor_type": "str | list[str]",
        "target_id": "str | list[str]",
        "target_type": "str | list[str]",
        "outcome": "str | list[str]",
        "fields": "dict[str, str | list[str]]",
        "not": "NewWebhookFilterNot",
    },
    total=False,
)


class NewWidgetToken(TypedDict, total=False):
    filter: EventFilter
    parts: list[Literal["actor.meta", "target.meta", "context", "diff", "metadata"] | str]
    expires_in: int
    origins: list[str]
    viewer: WidgetViewer


class _NewWorkloadRequired(TypedDict):
    name: str
    issuer: str
    subject: str
    scopes: list[Scope]


class NewWorkload(_NewWorkloadRequired, total=False):
    claims: dict[str, str]
    allowed_ips: list[str]


class _OtlpHttpSinkConfigRequired(TypedDict):
    url: str


class OtlpHttpSinkConfig(_OtlpHttpSinkConfigRequired, total=False):
    headers: dict[str, Any]


class OtlpHttpSinkConfigShown(TypedDict):
    url: str
    headers: dict[str, Any]


class OtlpStatus(TypedDict):
    """`google.rpc.Status`."""

    code: int
    message: str


class Person(TypedDict):
    id: str
    provider: str
    subject: str
    name: str | None
    email: str | None
    role: Literal["viewer", "auditor", "manager"] | str
    role_mapping_id: str
    last_login_at: str


class PersonPage(TypedDict):
    data: list[Person]
    has_more: bool
    next_cursor: str | None


class ProofSalts(TypedDict, total=False):
    """By part. Absent if the part is erased."""

    actor: str
    context: str
    diff: str
    metadata: str
    target: str


class ProofDigests(TypedDict):
    actor: str
    context: str
    diff: str
    metadata: str
    target: str


class Proof(TypedDict):
    """The data needed to recompute the hash, besides the event."""

    v: Literal[1]
    chain: str
    salts: ProofSalts
    digests: ProofDigests


class QueuedDeliveries(TypedDict):
    deliveries: int


class QueuedDelivery(TypedDict):
    """The new delivery."""

    id: str


class RejectedEvent(TypedDict):
    sequence_number: int
    id: str
    status: int | None
    reason: str


class ReplayRange(TypedDict):
    from_sequence_number: int
    to_sequence_number: int


class Retention(TypedDict):
    days: int | None
    limited_by: Literal["plan", "account"] | str | None
    plan_days: int | None
    min_days: int
    account_days: int | None
    shorter_from: str | None
    through_sequence: int
    retained_from: int
    hold: str | None
    archive: bool
    archive_until: str | None
    archived_through: int


class RoleMapping(TypedDict):
    id: str
    provider: str
    group: str | None
    subject: str | None
    role: Literal["none", "viewer", "auditor", "manager"] | str
    created_at: str


class RoleMappingPage(TypedDict):
    data: list[RoleMapping]
    has_more: bool
    next_cursor: str | None


class _RotatedWebhookRequired(TypedDict):
    id: str
    url: str
    events: list[EventPattern]
    active: bool
    created_at: str
    secret: str
    previous_secret_expires_at: str | None


class RotatedWebhook(_RotatedWebhookRequired, total=False):
    filter: WebhookFilter
    disabled_reason: Literal["failing", "erasure"] | str
    disabled_at: str
    dropped: DroppedDeliveries


class _S3SinkConfigRequired(TypedDict):
    bucket: str
    region: str


class S3SinkConfig(_S3SinkConfigRequired, total=False):
    prefix: str
    endpoint: str
    credentials: SinkCredentials


class S3SinkConfigShownCredentials(TypedDict):
    access_key_id: str


class _S3SinkConfigShownRequired(TypedDict):
    bucket: str
    prefix: str
    region: str


class S3SinkConfigShown(_S3SinkConfigShownRequired, total=False):
    endpoint: str
    credentials: S3SinkConfigShownCredentials


class SavedSearchFieldsItem(TypedDict):
    name: str
    path: str | list[str]
    type: Literal["string", "number", "ip", "time"] | str
    ignore_case: bool


class SavedSearch(TypedDict):
    id: str
    name: str
    filter: SearchFilter
    view: SearchView
    fields: list[SavedSearchFieldsItem]
    has_erased: bool
    created_at: str
    updated_at: str


class SavedSearchUpdate(TypedDict, total=False):
    name: str
    filter: SearchFilter
    view: SearchView


class SearchField(TypedDict):
    id: str
    name: str
    path: str | list[str]
    type: Literal["string", "number", "ip", "time"] | str
    ignore_case: bool
    status: Literal["building", "ready"] | str
    indexed_from: int
    lag_events: int
    measured_events: int
    bytes_per_event: float | None
    uncounted: int | None
    created_at: str


class SearchFilterNot(TypedDict, total=False):
    """Leaves out events that any of these members selects."""

    action: str | list[str]
    actor_id: str | list[str]
    actor_type: str | list[str]
    target_id: str | list[str]
    target_type: str | list[str]
    outcome: str | list[str]
    fields: dict[str, str | list[str]]


SearchFilter = TypedDict(
    "SearchFilter",
    {
        "action": "str | list[str]",
        "actor_id": "str | list[str]",
        "actor_type": "str | list[str]",
        "target_id": "str | list[str]",
        "target_type": "str | list[str]",
        "occurred_from": "str",
        "occurred_to": "str",
        "received_from": "str",
        "received_to": "str",
        "after_sequence": "int",
        "before_sequence": "int",
        "outcome": "str | list[str]",
        "fields": "dict[str, str | list[str]]",
        "not": "SearchFilterNot",
        "text": "str",
    },
    total=False,
)


class SearchPath(TypedDict):
    path: str | list[str]
    type: Literal["string", "number", "ip", "time"] | str
    share: float


class SearchView(TypedDict, total=False):
    """How it is shown. The service keeps it and does not read it."""

    range: str
    columns: list[str]
    by: str


class SecretRotation(TypedDict, total=False):
    grace_seconds: int


class _SinkRequired(TypedDict):
    id: str
    type: SinkType
    format: SinkFormat
    leave_out: SinkLeaveOut
    include_proof: SinkIncludeProof
    config: HttpSinkConfigShown | SplunkHecSinkConfigShown | OtlpHttpSinkConfigShown | SyslogSinkConfigShown | S3SinkConfigShown | AzureEventHubsSinkConfigShown
    on_rejected: SinkOnRejected
    active: bool
    status: SinkState
    created_at: str


class Sink(_SinkRequired, total=False):
    filter: WebhookFilter
    mapping: dict[str, Any]


class SinkCredentials(TypedDict):
    access_key_id: str
    secret_access_key: str


class SinkPage(TypedDict):
    data: list[Sink]
    has_more: bool
    next_cursor: str | None


class SinkReplay(TypedDict):
    from_sequence_number: int


class SinkReplayed(TypedDict):
    from_sequence_number: int


class SinkSkip(TypedDict):
    sequence_number: int


class SinkSkipped(TypedDict):
    sequence_number: int


class SinkStatus(TypedDict):
    status: SinkState
    cursor: int
    head: int
    lag_events: int
    lag_seconds: float
    last_error: str | None
    last_delivered_at: str | None
    next_attempt_at: str | None
    lost: list[LostEvents]
    rejected: RejectedEvent | None


class SinkTest(TypedDict):
    success: bool
    error: str | None


class _SinkUpdateAzureEventHubsRequired(TypedDict):
    type: Literal["azure_event_hubs"] | str
    config: AzureEventHubsSinkConfig


class SinkUpdateAzureEventHubs(_SinkUpdateAzureEventHubsRequired, total=False):
    format: SinkFormat
    mapping: NewSinkMapping | None
    filter: NewSinkFilter
    leave_out: SinkLeaveOut
    include_proof: SinkIncludeProof
    on_rejected: SinkOnRejected
    active: bool


class _SinkUpdateHttpRequired(TypedDict):
    type: Literal["http"] | str
    config: HttpSinkConfig


class SinkUpdateHttp(_SinkUpdateHttpRequired, total=False):
    format: SinkFormat
    mapping: NewSinkMapping | None
    filter: NewSinkFilter
    leave_out: SinkLeaveOut
    include_proof: SinkIncludeProof
    on_rejected: SinkOnRejected
    active: bool


class _SinkUpdateOtlpHttpRequired(TypedDict):
    type: Literal["otlp_http"] | str
    config: OtlpHttpSinkConfig


class SinkUpdateOtlpHttp(_SinkUpdateOtlpHttpRequired, total=False):
    format: SinkFormat
    mapping: NewSinkMapping | None
    filter: NewSinkFilter
    leave_out: SinkLeaveOut
    include_proof: SinkIncludeProof
    on_rejected: SinkOnRejected
    active: bool


class SinkUpdatePlain(TypedDict, total=False):
    format: SinkFormat
    mapping: NewSinkMapping | None
    filter: NewSinkFilter
    leave_out: SinkLeaveOut
    include_proof: SinkIncludeProof
    on_rejected: SinkOnRejected
    active: bool


class _SinkUpdateS3Required(TypedDict):
    type: Literal["s3"] | str
    config: S3SinkConfig


class SinkUpdateS3(_SinkUpdateS3Required, total=False):
    format: SinkFormat
    mapping: NewSinkMapping | None
    filter: NewSinkFilter
    leave_out: SinkLeaveOut
    include_proof: SinkIncludeProof
    on_rejected: SinkOnRejected
    active: bool


class _SinkUpdateSplunkHecRequired(TypedDict):
    type: Literal["splunk_hec"] | str
    config: SplunkHecSinkConfig


class SinkUpdateSplunkHec(_SinkUpdateSplunkHecRequired, total=False):
    format: SinkFormat
    mapping: NewSinkMapping | None
    filter: NewSinkFilter
    leave_out: SinkLeaveOut
    include_proof: SinkIncludeProof
    on_rejected: SinkOnRejected
    active: bool


class _SinkUpdateSyslogRequired(TypedDict):
    type: Literal["syslog"] | str
    config: SyslogSinkConfig


class SinkUpdateSyslog(_SinkUpdateSyslogRequired, total=False):
    format: SinkFormat
    mapping: NewSinkMapping | None
    filter: NewSinkFilter
    leave_out: SinkLeaveOut
    include_proof: SinkIncludeProof
    on_rejected: SinkOnRejected
    active: bool


class _SplunkHecSinkConfigRequired(TypedDict):
    url: str
    token: str


class SplunkHecSinkConfig(_SplunkHecSinkConfigRequired, total=False):
    index: str
    ack: bool


class _SplunkHecSinkConfigShownRequired(TypedDict):
    url: str
    ack: bool


class SplunkHecSinkConfigShown(_SplunkHecSinkConfigShownRequired, total=False):
    index: str


class SyslogSinkConfig(TypedDict):
    host: str
    port: int


class SyslogSinkConfigShown(TypedDict):
    host: str
    port: int


class Target(TypedDict, total=False):
    """What the action was done to."""

    type: str
    id: str
    meta: dict[str, Any]


class _UsageKeyRequired(TypedDict):
    id: str
    scopes: list[Scope]


class UsageKey(_UsageKeyRequired, total=False):
    """The API key of this request, or the person."""

    role: Literal["viewer", "auditor", "manager"] | str


class UsagePlan(TypedDict):
    name: str
    features: list[Literal["webhooks", "exports", "verify", "lifecycle"] | str]


class UsageRequests(TypedDict):
    """Requests of this key in its window of 60 seconds, including this one."""

    used: int
    limit: int
    resets_in: int


class UsageAccountRequests(TypedDict):
    """Requests of all keys and widget tokens of the account in its window of 60 seconds."""

    used: int
    limit: int
    resets_in: int


class UsageEvents(TypedDict):
    """Events that were stored, with those that retention has deleted. No plan limits them."""

    used: int
    limit: int | None


class UsageMonthEvents(TypedDict):
    """Events of this month that count against the plan."""

    used: int
    limit: int | None
    month: str


class UsageApiKeys(TypedDict):
    """Live keys."""

    used: int
    limit: int | None


class UsageWidgetTokens(TypedDict):
    """Live tokens."""

    used: int
    limit: int | None


class UsageWidgetTokensOfKey(TypedDict):
    """Live widget tokens created by this key."""

    used: int
    limit: int | None


class UsageWebhooks(TypedDict):
    """Webhooks."""

    used: int
    limit: int | None


class UsageSinks(TypedDict):
    """Sinks."""

    used: int
    limit: int | None


class UsagePendingDeliveries(TypedDict):
    """Deliveries that wait for their next attempt."""

    used: int
    limit: int | None


class UsagePendingDeliveryBytes(TypedDict):
    """Bytes of the bodies of these deliveries."""

    used: int
    limit: int | None


class UsageExports(TypedDict):
    """Exports, finished or not."""

    used: int
    limit: int | None


class UsageExportBytes(TypedDict):
    """Bytes of all export files, including those that are being written or were just deleted."""

    used: int
    limit: int | None


class UsageExportsUnderWay(TypedDict):
    """Unfinished exports."""

    used: int
    limit: int | None


class UsageEventsExportedToday(TypedDict):
    """Events that exports have read in this day of UTC. The export that passes the limit is the day's last one."""

    used: int
    limit: int | None


class UsageEventsReplayedToday(TypedDict):
    """Events that were replayed to webhooks and sinks in this day of UTC. The replay that passes the limit is the day's last one."""

    used: int
    limit: int | None


class UsageRetentionDays(TypedDict):
    deliveries: int | None
    exports: int | None


class Usage(TypedDict):
    account_id: str
    key: UsageKey
    plan: UsagePlan
    requests: UsageRequests
    account_requests: UsageAccountRequests
    events: UsageEvents
    month_events: UsageMonthEvents
    api_keys: UsageApiKeys
    widget_tokens: UsageWidgetTokens
    widget_tokens_of_key: UsageWidgetTokensOfKey
    webhooks: UsageWebhooks | None
    sinks: UsageSinks | None
    pending_deliveries: UsagePendingDeliveries | None
    pending_delivery_bytes: UsagePendingDeliveryBytes | None
    exports: UsageExports | None
    export_bytes: UsageExportBytes | None
    exports_under_way: UsageExportsUnderWay | None
    events_exported_today: UsageEventsExportedToday | None
    events_replayed_today: UsageEventsReplayedToday | None
    idempotency_hours: int
    retention_days: UsageRetentionDays


class VerificationHead(TypedDict):
    sequence_number: int
    hash: str


class VerificationFirstInvalid(TypedDict):
    sequence_number: int
    event_id: str | None
    reason: Literal["hash_mismatch", "link_mismatch", "sequence_gap", "digest_mismatch", "head_mismatch", "tree_mismatch", "erasure_unrecorded"] | str


class Verification(TypedDict):
    valid: bool
    checked: int
    from_sequence: int
    to_sequence: int
    erased: int
    retained_from: int
    head: VerificationHead
    first_invalid: VerificationFirstInvalid | None
    covered: Covered | None
    verified_at: str


class _WebhookRequired(TypedDict):
    id: str
    url: str
    events: list[EventPattern]
    active: bool
    created_at: str


class Webhook(_WebhookRequired, total=False):
    filter: WebhookFilter
    disabled_reason: Literal["failing", "erasure"] | str
    disabled_at: str
    dropped: DroppedDeliveries


class WebhookFilterNot(TypedDict, total=False):
    """What is left out: events that any of these members selects."""

    action: list[str]
    actor_id: list[str]
    actor_type: list[str]
    target_id: list[str]
    target_type: list[str]
    outcome: list[str]
    fields: dict[str, list[str]]


WebhookFilter = TypedDict(
    "WebhookFilter",
    {
        "action": "list[str]",
        "actor_id": "list[str]",
        "actor_type": "list[str]",
        "target_id": "list[str]",
        "target_type": "list[str]",
        "outcome": "list[str]",
        "fields": "dict[str, list[str]]",
        "not": "WebhookFilterNot",
    },
    total=False,
)


class WebhookPage(TypedDict):
    data: list[Webhook]
    has_more: bool
    next_cursor: str | None


class WebhookTestPayloadData(TypedDict):
    webhook_id: str


class WebhookTestPayload(TypedDict):
    id: str
    event: Literal["webhook.test"] | str
    data: WebhookTestPayloadData
    timestamp: str


class WebhookUpdate(TypedDict, total=False):
    url: str
    events: list[EventPattern]
    active: bool
    filter: NewWebhookFilter | None


class WidgetCovered(TypedDict):
    sequence_number: int
    epoch: int
    time: str
    witness_count: int


class _WidgetEventRequired(TypedDict):
    id: str
    sequence_number: int
    action: str
    actor: Actor
    target: Target
    hash: str
    previous_hash: str
    occurred_at: str
    received_at: str
    created_at: str


class WidgetEvent(_WidgetEventRequired, total=False):
    """An event. context, diff, metadata and meta: absent if the token does not show it."""

    erased: list[Literal["actor", "context", "diff", "metadata", "target"] | str]
    context: dict[str, Any]
    diff: Diff
    metadata: dict[str, Any]


class WidgetEventPage(TypedDict):
    data: list[WidgetEvent]
    proofs: list[WidgetProof]
    has_more: bool
    next_cursor: str | None


class WidgetEventWithProof(TypedDict):
    data: WidgetEvent
    proof: WidgetProof


class WidgetFilters(TypedDict):
    actions: list[str]
    actor_types: list[str]
    target_types: list[str]
    truncated: bool


class WidgetLog(TypedDict):
    log_origin: str | None
    covered: WidgetCovered | None


class WidgetProofSalts(TypedDict, total=False):
    """By part. Absent if the token does not show it. Absent if the part is erased."""

    actor: str
    context: str
    diff: str
    metadata: str
    target: str


class WidgetProofDigests(TypedDict):
    actor: str
    context: str
    diff: str
    metadata: str
    target: str


class WidgetProof(TypedDict):
    """The data needed to recompute the hash, besides the event."""

    v: Literal[1]
    chain: str
    salts: WidgetProofSalts
    digests: WidgetProofDigests


class WidgetToken(TypedDict):
    id: str
    token_prefix: str
    filter: EventFilter
    parts: list[Literal["actor.meta", "target.meta", "context", "diff", "metadata"] | str]
    origins: list[str]
    viewer: WidgetViewer | None
    expires_at: str
    created_at: str


class WidgetTokenPage(TypedDict):
    data: list[WidgetToken]
    has_more: bool
    next_cursor: str | None


class _WidgetViewerRequired(TypedDict):
    id: str


class WidgetViewer(_WidgetViewerRequired, total=False):
    """The person who views the events, for the record."""

    name: str


class _WorkloadRequired(TypedDict):
    id: str
    name: str
    issuer: str
    subject: str
    claims: dict[str, str]
    scopes: list[Scope]
    audience: str | None
    created_at: str


class Workload(_WorkloadRequired, total=False):
    allowed_ips: list[str]


class WorkloadPage(TypedDict):
    data: list[Workload]
    has_more: bool
    next_cursor: str | None


CloudEvent = Any
EventPattern = Literal["event.created", "event.verified", "export.completed", "log.checkpointed", "*"] | str
NewBatchEvent = Union[
    "NewBatchEventWithAction",
    "NewBatchEventWithType",
]
NewSink = Union[
    "NewSinkHttp",
    "NewSinkSplunkHec",
    "NewSinkOtlpHttp",
    "NewSinkSyslog",
    "NewSinkS3",
    "NewSinkAzureEventHubs",
]
NewSinkFilter = Union[
    "NewWebhookFilter",
    None,
]
NewSinkFrom = Union[
    Literal["start", "now"] | str,
    int,
]
NewSinkMapping = dict[str, Any]
Scope = Literal["events:read", "events:write", "verify", "export", "keys:manage"] | str
SinkFormat = Literal["annals", "ocsf", "ecs", "cloudevents"] | str
SinkIncludeProof = bool
SinkLeaveOut = list[Literal["actor.meta", "target.meta", "context", "diff", "metadata"] | str]
SinkOnRejected = Literal["stop", "skip"] | str
SinkState = Literal["active", "failing", "paused"] | str
SinkType = Literal["http", "splunk_hec", "otlp_http", "syslog", "s3", "azure_event_hubs"] | str
SinkUpdate = Union[
    "SinkUpdatePlain",
    "SinkUpdateHttp",
    "SinkUpdateSplunkHec",
    "SinkUpdateOtlpHttp",
    "SinkUpdateSyslog",
    "SinkUpdateS3",
    "SinkUpdateAzureEventHubs",
]
