"""Makes each call of the interface once with annals-sdk, and prints method and path of each attempt. Run by
clients.test.ts with the base address and a key."""

import datetime
import sys
import time

from annals_sdk import Annals, AnnalsError

BASE_URL, KEY = sys.argv[1:]


def log(attempt):
    print(attempt.method, f"/v1{attempt.path}")


annals = Annals(BASE_URL, KEY, observe=log)


def until(ask):
    """Asks until there is an answer, which nothing but time brings."""
    while not (answer := ask()):
        time.sleep(0.05)
    return answer


def refused(call, *given, type):
    try:
        call(*given)
    except AnnalsError as error:
        assert error.type == type, error
    else:
        raise AssertionError(f"no {type}")


created = annals.api_keys.create({"name": "one", "scopes": ["verify"]})
assert created["id"] in [each["id"] for each in annals.api_keys.list()]
annals.api_keys.update(created["id"], {"name": "two"})
annals.api_keys.delete(created["id"])
annals.keys.delete(annals.keys.create({"name": "three"})["id"])

webhook = annals.webhooks.create({"url": "https://hooks.annals.invalid/hook", "events": ["event.created"]})
assert webhook["id"] in [each["id"] for each in annals.webhooks.list()]
annals.webhooks.update(webhook["id"], {"active": True})

ACTION = "invoice.update"
when = datetime.datetime(2026, 1, 31, 9, 30, tzinfo=datetime.timezone.utc)
actor = {"type": "user", "id": "u_1", "meta": {"roles": ["admin"]}}
event = annals.events.create({"action": ACTION, "actor": actor, "occurred_at": when}, idempotency_key="once")
assert event["actor"] == actor, event
assert len(annals.events.create_many([{"action": ACTION}, {"type": "invoice.send"}])) == 2
assert annals.events.list(actor_id="u_1", limit=1).page()["data"][0]["id"] == event["id"]
assert event["id"] in [each["id"] for each in annals.events.list(action=["none", ACTION])]
annals.events.get(event["id"])
assert annals.verify.chain()["valid"]
assert annals.verify.events(annals.events.list(order="asc", include="proof").pages()).state == "verified"
assert annals.usage.get()["events"]["used"] >= 3

# As many as a full tile has, and until an epoch covers them.
annals.events.create_many([{"action": ACTION}] * 256)
until(lambda: (annals.log.get()["covered"] or {"sequence_number": 0})["sequence_number"] > 256)
annals.log.checkpoint()
assert len(annals.log.tile(0, 0)) == 8192
annals.log.entries(0)
annals.log.inclusion(1)
annals.log.consistency(1)
assert annals.log.heads(limit=1).page()["data"][0]["head"]["size"] > 0

annals.webhooks.test(webhook["id"])
annals.webhooks.replay_events(webhook["id"], {"from_sequence_number": 1, "to_sequence_number": 2})
# Not that of the test, which cannot be replayed.
EVENT = "event.created"
delivery = until(lambda: [d for d in annals.webhooks.deliveries(webhook["id"]) if d["event"] == EVENT])[0]
annals.webhooks.replay_delivery(webhook["id"], delivery["id"])
annals.webhooks.rotate_secret(webhook["id"], {"grace_seconds": 0})
annals.webhooks.delete(webhook["id"])

config = {"host": "syslog.annals.invalid", "port": 6514}
sink = annals.sinks.create({"type": "syslog", "config": config, "from": 1})
assert sink["config"]["port"] == 6514, sink
assert sink["id"] in [each["id"] for each in annals.sinks.list()]
annals.sinks.get(sink["id"])
annals.sinks.update(sink["id"], {"active": False})
annals.sinks.test(sink["id"])
annals.sinks.replay(sink["id"], {"from_sequence_number": 2})
assert annals.sinks.status(sink["id"])["cursor"] == 1
# Its receiver has refused nothing.
refused(annals.sinks.skip, sink["id"], {"sequence_number": 2}, type="validation_error")
annals.sinks.delete(sink["id"])

token = annals.widget_tokens.create({"filter": {"action": ACTION}, "viewer": {"id": "u_7"}})
widget = Annals(BASE_URL, token["token"], observe=log).widget
looked = widget.list(limit=1).page()["data"][0]
assert widget.get(looked["id"])["data"]["id"] == looked["id"]
assert ACTION in widget.filters()["actions"]
widget.log()
assert widget.histogram(by="action")["values"] == [ACTION]
assert widget.facets(field="action")[0]["distinct"] == 1
assert token["id"] in [each["id"] for each in annals.widget_tokens.list()]
annals.widget_tokens.delete(token["id"])

annals.intake.kubernetes_audit({"apiVersion": "audit.k8s.io/v1", "kind": "EventList", "items": []})
annals.intake.cloud_events(
    [{"specversion": "1.0", "id": "1", "source": "/client", "type": "a", "data": {"a": 1}}]
)
annals.intake.otlp_logs({"resourceLogs": []})

erasure = annals.erasures.create({"actor_id": "u_1", "parts": ["actor"]})
assert erasure["id"] in [each["id"] for each in annals.erasures.list()]
annals.erasures.get(erasure["id"])
annals.erasures.cancel(erasure["id"])

hold = annals.holds.place({"from_sequence": 1})
assert hold["id"] in [each["id"] for each in annals.holds.list()]
annals.holds.release(hold["id"])

mapped = annals.role_mappings.create({"provider": "okta", "group": "readers", "role": "viewer"})
assert mapped["id"] in [each["id"] for each in annals.role_mappings.list()]
annals.role_mappings.delete(mapped["id"])
trusted = {"name": "one", "issuer": "cluster", "subject": "s", "scopes": ["verify"]}
workload = annals.workloads.create(trusted)
assert workload["id"] in [each["id"] for each in annals.workloads.list()]
annals.workloads.delete(workload["id"])
annals.people.list().to_list()

field = annals.search_fields.create({"path": "metadata.number", "name": "n", "type": "number"})
assert [each["id"] for each in annals.search_fields.list()] == [field["id"]]
numbered = annals.events.create({"action": ACTION, "metadata": {"number": 7}})["id"]
assert [each["id"] for each in annals.events.list(fields={"field.n": "5..10"})] == [numbered]
assert numbered not in [each["id"] for each in annals.events.list(fields={"not.field.n": "5..10"})]
assert isinstance(annals.search_fields.paths(), list)
annals.search_fields.delete(field["id"])
assert annals.events.histogram(by="action", interval="1d")["total"] > 0
assert annals.events.facets(field=["action", "outcome"])[0]["distinct"] > 0

search = annals.searches.create({"name": "one", "filter": {"text": "abc"}})
assert annals.searches.update(search["id"], {"name": "two"})["name"] == "two"
assert [each["id"] for each in annals.searches.list()] == [search["id"]]
annals.searches.delete(search["id"])

retention = annals.retention.set({"days": 90})
assert annals.retention.get() == retention
annals.archives.list().to_list()
refused(annals.archives.events, "arc_1", type="not_found")
refused(annals.archives.evidence, "arc_1", type="not_found")

export = annals.exports.create({"filter": {"action": ACTION}})
assert export["id"] in [each["id"] for each in annals.exports.list()]
until(lambda: annals.exports.get(export["id"]).get("sha256"))
assert annals.exports.content(export["id"]).read().count(b"\n") > 256
annals.exports.delete(export["id"])
