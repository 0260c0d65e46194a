// Every operation refuses a query parameter that it does not have, and names it: a misspelled filter or a
// dry_run that does not exist never passes for the real thing (docs/interface.md).

import { WIDGET } from "@annals/contract";
import { V1 } from "@annals/gateway/src/v1.ts";
import { newClient } from "@annals/testing";
import { expect, inject, test } from "vitest";
import { expectRefused, expectStatus, READS_STATUS } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";
import { newToken } from "../../system/widget-client.ts";

const { client, keyId } = await newClient(inject("stack"));

/** What is accepted without the parameter. */
const BODIES: Readonly<Record<string, unknown>> = {
  "create-api-key": { name: "x" },
  "update-api-key": { name: "x" },
  "create-key": { name: "x" },
  "create-event": { action: "a" },
  "create-event-batch": { events: [{ action: "a" }] },
  "store-kubernetes-audit": { apiVersion: "audit.k8s.io/v1", kind: "EventList", items: [] },
  "store-cloudevents": {},
  "store-otlp-logs": {},
  "create-export": {},
  "create-webhook": { url: URL_OF_NOBODY, events: ["*"] },
  "update-webhook": {},
  "create-sink": { type: "syslog", config: { host: "syslog.annals.invalid", port: 6514 } },
  "update-sink": {},
  "replay-sink": { from_sequence_number: 1 },
  "skip-sink-record": { sequence_number: 1 },
  "replay-events": { from_sequence_number: 1, to_sequence_number: 1 },
  "rotate-secret": {},
  "create-widget-token": {},
  "create-erasure": { actor_id: "u_1", parts: ["actor"] },
  "place-hold": { from_sequence: 1 },
  "create-role-mapping": { provider: "okta", group: "readers", role: "viewer" },
  "create-workload": { name: "a", issuer: "cluster", subject: "s", scopes: ["verify"] },
  "create-search-field": { path: "context.ip", type: "ip" },
  "create-saved-search": { name: "a" },
  "update-saved-search": {},
  "set-retention": { days: 90 },
};

/** Parameters without which another fault would be named. */
const QUERIES: Readonly<Record<string, string>> = {
  "count-values": "field=action&",
  "count-widget-values": "field=action&",
  "prove-consistency": "from=1&",
  "prove-inclusion": "sequence_number=1&",
};

const { widget } = await newToken(client);

test.each(V1.map(([method, path, scope, name]) => ({ method: String(method), path, scope, name })))(
  "$name",
  async ({ method, path, scope, name }) => {
    const url = `/v1${path.replaceAll(/:\w+/g, keyId)}?${QUERIES[name] ?? ""}dry_run=1`;
    const by = scope === WIDGET ? widget : client;
    const message = "dry_run: is not a parameter of this request";
    const answer = await by.send(method, url, { body: BODIES[name] });
    if (READS_STATUS.includes(name)) expectStatus(answer, 400, message);
    else expectRefused(answer, "validation_error", { field: "dry_run", message });
  },
);

test("and has done nothing", async () => {
  expect((await client.get("/v1/api-keys")).body.data).toHaveLength(1);
  expect((await client.get("/v1/events")).body.data).toEqual([]);
  expect((await client.get("/v1/exports")).body.data).toEqual([]);
  expect((await client.get("/v1/webhooks")).body.data).toEqual([]);
  expect((await client.get("/v1/sinks")).body.data).toEqual([]);
  expect((await client.get("/v1/widget-tokens")).body.data).toHaveLength(1);
  expect((await client.get("/v1/erasures")).body.data).toEqual([]);
  expect((await client.get("/v1/holds")).body.data).toEqual([]);
  expect((await client.get("/v1/role-mappings")).body.data).toEqual([]);
  expect((await client.get("/v1/workloads")).body.data).toEqual([]);
  expect((await client.get("/v1/searches")).body.data).toEqual([]);
  expect((await client.get("/v1/retention")).body.data.account_days).toBeNull();
});
