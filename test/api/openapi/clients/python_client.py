"""Makes each call of the interface once with the client of openapi-python-client, and prints method and path of each
request. Run by clients.test.ts with the base address and a key, beside the generated package."""

import datetime
import sys
import time

from annals_client import AuthenticatedClient, models
from annals_client.api.api_keys import create_api_key, delete_api_key, list_api_keys, update_api_key
from annals_client.api.archives import get_archive_events, get_archive_evidence, list_archives
from annals_client.api.events import (
    count_events,
    count_values,
    create_event,
    create_event_batch,
    get_event,
    list_events,
)
from annals_client.api.exports import create_export, delete_export, get_export, get_export_content, list_exports
from annals_client.api.erasures import (
    cancel_erasure,
    create_erasure,
    get_erasure,
    list_erasures,
)
from annals_client.api.holds import list_holds, place_hold, release_hold
from annals_client.api.intake import (
    store_cloudevents,
    store_kubernetes_audit,
    store_otlp_logs,
)
from annals_client.api.keys import create_key, delete_key
from annals_client.api.log import (
    get_log,
    list_heads,
    prove_consistency,
    prove_inclusion,
    read_checkpoint,
    read_entries,
    read_tile,
)
from annals_client.api.people import list_people
from annals_client.api.retention import get_retention, set_retention
from annals_client.api.role_mappings import (
    create_role_mapping,
    delete_role_mapping,
    list_role_mappings,
)
from annals_client.api.search import create_search_field, delete_search_field, list_search_fields, list_search_paths
from annals_client.api.searches import (
    create_saved_search,
    delete_saved_search,
    list_saved_searches,
    update_saved_search,
)
from annals_client.api.sinks import (
    create_sink,
    delete_sink,
    get_sink,
    get_sink_status,
    list_sinks,
    replay_sink,
    skip_sink_record,
    test_sink,
    update_sink,
)
from annals_client.api.usage import get_usage
from annals_client.api.verification import verify_chain
from annals_client.api.widget import (
    count_widget_events,
    count_widget_values,
    get_widget_event,
    get_widget_log,
    list_widget_events,
    list_widget_filters,
)
from annals_client.api.widget_tokens import create_widget_token, delete_widget_token, list_widget_tokens
from annals_client.api.webhooks import (
    create_webhook,
    delete_webhook,
    list_deliveries,
    list_webhooks,
    replay_delivery,
    replay_events,
    rotate_secret,
    test_webhook,
    update_webhook,
)
from annals_client.api.workloads import create_workload, delete_workload, list_workloads

BASE_URL, KEY = sys.argv[1:]


def log(request):
    print(request.method, request.url.path)


client = AuthenticatedClient(BASE_URL, KEY, httpx_args={"event_hooks": {"request": [log]}})


def call(operation, *path, status=200, by=client, **given):
    """The parsed body of the answer, which must have the status."""
    response = operation.sync_detailed(*path, client=by, **given)
    assert response.status_code == status, response
    return response.parsed


def until(ask):
    """Asks until there is an answer, which nothing but time brings."""
    while (answer := ask()) is None:
        time.sleep(0.05)
    return answer


created = call(create_api_key, body=models.NewApiKey("one", [models.Scope.VERIFY]), status=201).data
call(list_api_keys)
call(update_api_key, created.id, body=models.ApiKeyUpdate("two"))
call(delete_api_key, created.id, status=204)
other = call(create_key, body=models.NewApiKey("three"), status=201)
call(delete_key, other.id, status=204)

new_webhook = models.NewWebhook("https://hooks.annals.invalid/hook", [models.EventPattern.EVENT_CREATED])
webhook = call(create_webhook, body=new_webhook, status=201).data
call(list_webhooks)
call(update_webhook, webhook.id, body=models.WebhookUpdate(active=True))

ACTION = "invoice.update"
when = datetime.datetime(2026, 1, 31, 9, 30, tzinfo=datetime.timezone.utc)
meta = models.ActorMeta.from_dict({"roles": ["admin"]})
new_event = models.NewEvent(ACTION, actor=models.Actor(id="u_1", meta=meta), occurred_at=when)
event = call(create_event, body=new_event, idempotency_key="once", status=201).data
assert event.occurred_at == when and event.actor.meta["roles"] == ["admin"], event
batch = [models.NewBatchEventWithAction(ACTION), models.NewBatchEventWithType("invoice.send")]
call(create_event_batch, body=models.NewEventBatch(batch), status=201)
assert call(list_events, actor_id="u_1", occurred_from=when, limit=1).data[0].id == event.id
assert event.id in [each.id for each in call(list_events, action=["none", ACTION]).data]
call(get_event, event.id, include="proof")
assert call(verify_chain).data.valid
assert call(get_usage).data.events.used >= 3

# As many as a full tile has, and until an epoch covers them.
batch = [models.NewBatchEventWithAction(ACTION)] * 256
call(create_event_batch, body=models.NewEventBatch(batch), status=201)
until(lambda: True if (covered := call(get_log).data.covered) and covered.sequence_number > 256 else None)
call(read_checkpoint)
assert len(call(read_tile, "0", "000").payload.read()) == 8192
call(read_entries, "000")
call(prove_inclusion, sequence_number=1)
call(prove_consistency, from_=1)
assert call(list_heads, limit=1).data[0].head.size > 0

call(test_webhook, webhook.id, status=201)
call(replay_events, webhook.id, body=models.ReplayRange(1, 2), status=201)
# Not that of the test, which cannot be replayed.
delivery = until(lambda: next((d for d in call(list_deliveries, webhook.id).data if d.event == "event.created"), None))
call(replay_delivery, webhook.id, delivery.id, status=201)
call(rotate_secret, webhook.id, body=models.SecretRotation(grace_seconds=0))
call(delete_webhook, webhook.id, status=204)

config = models.SyslogSinkConfig("syslog.annals.invalid", 6514)
new_sink = models.NewSinkSyslog(type_=models.NewSinkSyslogType.SYSLOG, config=config, from_=1)
sink = call(create_sink, body=new_sink, status=201).data
assert sink.config.port == 6514, sink
call(list_sinks)
call(get_sink, sink.id)
call(update_sink, sink.id, body=models.SinkUpdatePlain(active=False))
call(test_sink, sink.id)
call(replay_sink, sink.id, body=models.SinkReplay(2))
assert call(get_sink_status, sink.id).data.cursor == 1
# Its receiver has refused nothing.
call(skip_sink_record, sink.id, body=models.SinkSkip(2), status=422)
call(delete_sink, sink.id, status=204)

new_token = models.NewWidgetToken(filter_=models.EventFilter(action=ACTION), viewer=models.WidgetViewer("u_7"))
token = call(create_widget_token, body=new_token, status=201).data
widget = AuthenticatedClient(BASE_URL, token.token, httpx_args={"event_hooks": {"request": [log]}})
looked = call(list_widget_events, by=widget, limit=1).data[0]
assert call(get_widget_event, looked.id, by=widget).data.id == looked.id
assert ACTION in call(list_widget_filters, by=widget).data.actions
call(get_widget_log, by=widget)
assert call(count_widget_events, by=widget).total > 0
assert call(count_widget_values, by=widget, field="action").data[0].distinct > 0
call(list_widget_tokens)
call(delete_widget_token, token.id, status=204)

event_list = models.KubernetesEventList(api_version="audit.k8s.io/v1", kind="EventList", items=[])
call(store_kubernetes_audit, body=event_list, status=201)

attributes = {"ce_specversion": "1.0", "ce_id": "1", "ce_source": "/client", "ce_type": "a"}
call(store_cloudevents, body={"a": 1}, status=201, **attributes)
call(store_otlp_logs, body=models.ExportLogsServiceRequest(resource_logs=[]))

asked = models.NewErasure(actor_id="u_1", parts=[models.NewErasurePartsItem.ACTOR])
erasure = call(create_erasure, body=asked, status=201).data
call(list_erasures)
call(get_erasure, erasure.id)
call(cancel_erasure, erasure.id, status=204)

hold = call(place_hold, body=models.NewHold(from_sequence=1), status=201).data
call(list_holds)
call(release_hold, hold.id, status=204)

declared = models.NewSearchField(path="context.ip", type_=models.NewSearchFieldType.IP)
field = call(create_search_field, body=declared, status=201).data
call(list_search_fields)
call(list_search_paths)
assert call(count_events, actor_id="u_1").total > 0
assert call(count_values, field=["action"]).data[0].distinct > 0
call(delete_search_field, field.id, status=204)

kept = models.NewSavedSearch(name="one", filter_=models.SearchFilter(text="abc"))
search = call(create_saved_search, body=kept, status=201).data
call(list_saved_searches)
call(update_saved_search, search.id, body=models.SavedSearchUpdate(name="two"))
call(delete_saved_search, search.id, status=204)

role = models.NewRoleMappingRole.VIEWER
mapping = models.NewRoleMapping(provider="okta", group="readers", role=role)
mapped = call(create_role_mapping, body=mapping, status=201).data
call(list_role_mappings)
call(delete_role_mapping, mapped.id, status=204)
trusted = models.NewWorkload(name="one", issuer="cluster", subject="s", scopes=[models.Scope.VERIFY])
workload = call(create_workload, body=trusted, status=201).data
call(list_workloads)
call(delete_workload, workload.id, status=204)
call(list_people)

call(set_retention, body=models.NewRetention(days=90))
call(get_retention)
call(list_archives)
call(get_archive_events, "arc_1", status=404)
call(get_archive_evidence, "arc_1", status=404)

new_export = models.NewExport(filter_=models.EventFilter(action=ACTION))
export = call(create_export, body=new_export, status=201).data
call(list_exports)
until(lambda: call(get_export, export.id).data.sha256)
call(get_export_content, export.id)
call(delete_export, export.id, status=204)
