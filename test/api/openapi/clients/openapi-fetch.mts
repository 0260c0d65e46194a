// Makes each call of the interface once with the types of openapi-typescript and the client openapi-fetch.
// Copied beside the generated types, compiled and run by clients.test.ts.

import createClient from "openapi-fetch";
import type { components, paths } from "./types.js";

type Event = components["schemas"]["Event"];

/** What an answer has where it is no error. */
function need<T>({ data, error }: { readonly data?: T; readonly error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

export async function callEach({
  baseUrl,
  key,
  fetch,
}: {
  baseUrl: string;
  key: string;
  fetch: typeof globalThis.fetch;
}): Promise<void> {
  const client = createClient<paths>({
    baseUrl,
    fetch,
    headers: { Authorization: `Bearer ${key}` },
  });

  const { data: created } = need(
    await client.POST("/v1/api-keys", { body: { name: "one", scopes: ["verify"] } }),
  );
  const inPath = { params: { path: { id: created.id } } };
  need(await client.GET("/v1/api-keys"));
  need(await client.PATCH("/v1/api-keys/{id}", { ...inPath, body: { name: "two" } }));
  await client.DELETE("/v1/api-keys/{id}", inPath);
  const other = need(await client.POST("/v1/keys", { body: { name: "three" } }));
  await client.DELETE("/v1/keys/{key_id}", { params: { path: { key_id: other.id } } });

  const hook = { url: "https://hooks.annals.invalid/hook", events: ["event.created" as const] };
  const { data: webhook } = need(await client.POST("/v1/webhooks", { body: hook }));
  const ofWebhook = { params: { path: { id: webhook.id } } };
  need(await client.GET("/v1/webhooks"));
  need(
    await client.PATCH("/v1/webhooks/{id}", {
      ...ofWebhook,
      body: { active: true, filter: { action: ["*", "b.*"] } },
    }),
  );

  const action = "invoice.update";
  const event: Event = need(
    await client.POST("/v1/events", {
      params: { header: { "idempotency-key": "once" } },
      body: {
        action,
        actor: { id: "u_1", type: "user", meta: { roles: ["admin"] } },
        diff: { before: { total: 1200 }, after: { total: 1250 } },
        context: { ip: "203.0.113.7" },
        occurred_at: "2026-01-31T09:30:00+01:00",
      },
    }),
  ).data;
  const total: unknown = event.diff.after?.["total"];
  if (total !== 1250) throw new Error("the event is not as it was sent");
  need(
    await client.POST("/v1/events/batch", {
      body: { events: [{ action }, { type: "invoice.send" }] },
    }),
  );
  const page = need(
    await client.GET("/v1/events", {
      params: { query: { actor_id: "u_1", limit: 1, include: "proof" } },
    }),
  );
  if (page.data[0]?.id !== event.id) throw new Error("the event is not in the list");
  const query = { action: ["none", action] };
  const any = need(await client.GET("/v1/events", { params: { query } }));
  if (any.data.length === 0) throw new Error("several values do not find the event");
  need(
    await client.GET("/v1/events/{id}", {
      params: { path: { id: event.id }, query: { include: "proof" } },
    }),
  );
  const { data: verification } = need(
    await client.GET("/v1/verify", { params: { query: { from_sequence: 1 } } }),
  );
  if (!verification.valid) throw new Error("the chain is not valid");
  const { data: usage } = need(await client.GET("/v1/usage"));
  if (usage.events.used < 3) throw new Error("the events are not counted");

  // As many as a full tile has, and until an epoch covers them.
  const events = Array.from({ length: 256 }, () => ({ action }));
  need(await client.POST("/v1/events/batch", { body: { events } }));
  const covered = await until(async () => {
    const { data } = need(await client.GET("/v1/log"));
    const sequence = data.covered?.sequence_number ?? 0;
    return sequence > events.length ? sequence : undefined;
  });
  need(await client.GET("/v1/log/checkpoint", { parseAs: "text" }));
  const tile = need(
    await client.GET("/v1/log/tile/{level}/{index}", {
      params: { path: { level: "0", index: "000" } },
      parseAs: "blob",
    }),
  );
  const bundle = { params: { path: { index: "000" } }, parseAs: "blob" } as const;
  need(await client.GET("/v1/log/tile/entries/{index}", bundle));
  if (tile === undefined) throw new Error("the tile is empty");
  const { data: inclusion } = need(
    await client.GET("/v1/log/inclusion", { params: { query: { sequence_number: 1 } } }),
  ) as { readonly data: components["schemas"]["Inclusion"] };
  if (inclusion.size < covered) throw new Error("the proof is of an earlier size");
  need(await client.GET("/v1/log/consistency", { params: { query: { from: 1 } } }));
  const heads = need(await client.GET("/v1/log/heads", { params: { query: { limit: 1 } } }));
  if (heads.data[0]?.head.size === 0) throw new Error("a head is empty");

  need(await client.POST("/v1/webhooks/{id}/test", ofWebhook));
  const range = { from_sequence_number: 1, to_sequence_number: 2 };
  need(await client.POST("/v1/webhooks/{id}/replay", { ...ofWebhook, body: range }));
  const deliveryId = await until(async () => {
    const { data } = need(await client.GET("/v1/webhooks/{id}/deliveries", ofWebhook));
    // Not that of the test, which cannot be replayed.
    return data.find((each) => each.event === "event.created")?.id;
  });
  const ofDelivery = { params: { path: { id: webhook.id, delivery_id: deliveryId } } };
  need(await client.POST("/v1/webhooks/{id}/deliveries/{delivery_id}/replay", ofDelivery));
  need(
    await client.POST("/v1/webhooks/{id}/rotate-secret", {
      ...ofWebhook,
      body: { grace_seconds: 0 },
    }),
  );
  await client.DELETE("/v1/webhooks/{id}", ofWebhook);

  const config = { url: "https://siem.annals.invalid/in", headers: { authorization: "x" } };
  const { data: sink } = need(
    await client.POST("/v1/sinks", { body: { type: "http", config, from: 1 } }),
  );
  const ofSink = { params: { path: { id: sink.id } } };
  need(await client.GET("/v1/sinks"));
  need(await client.GET("/v1/sinks/{id}", ofSink));
  need(await client.PATCH("/v1/sinks/{id}", { ...ofSink, body: { active: false } }));
  need(await client.POST("/v1/sinks/{id}/test", ofSink));
  need(
    await client.POST("/v1/sinks/{id}/replay", { ...ofSink, body: { from_sequence_number: 2 } }),
  );
  const { data: status } = need(await client.GET("/v1/sinks/{id}/status", ofSink));
  if (status.cursor !== 1) throw new Error("the cursor is not where it was set");
  need(await client.POST("/v1/sinks/{id}/skip", { ...ofSink, body: { sequence_number: 2 } }));
  await client.DELETE("/v1/sinks/{id}", ofSink);

  const { data: token } = need(
    await client.POST("/v1/widget-tokens", {
      body: { filter: { action }, parts: ["diff"], expires_in: 60, viewer: { id: "u_7" } },
    }),
  );
  const widget = createClient<paths>({
    baseUrl,
    fetch,
    headers: { Authorization: `Bearer ${token.token}` },
  });
  const looked = need(await widget.GET("/v1/widget/events", { params: { query: { limit: 1 } } }));
  if (looked.proofs[0]?.salts.context !== undefined) throw new Error("a part is not hidden");
  const ofEvent = { params: { path: { id: looked.data[0]?.id ?? "" } } };
  need(await widget.GET("/v1/widget/events/{id}", ofEvent));
  need(await widget.GET("/v1/widget/filters"));
  await widget.GET("/v1/widget/events/histogram");
  need(await widget.GET("/v1/widget/events/facets", { params: { query: { field: "action" } } }));
  need(await widget.GET("/v1/widget/log"));
  need(await client.GET("/v1/widget-tokens"));
  await client.DELETE("/v1/widget-tokens/{id}", { params: { path: { id: token.id } } });

  const list = { apiVersion: "audit.k8s.io/v1", kind: "EventList", items: [] } as const;
  need(await client.POST("/v1/intake/kubernetes", { body: { ...list, items: [] } }));

  const header = { "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/client", "ce-type": "a" };
  need(await client.POST("/v1/intake/cloudevents", { params: { header }, body: { a: 1 } }));
  need(await client.POST("/v1/intake/otlp/v1/logs", { body: { resourceLogs: [] } }));

  const erasing = { actor_id: "u_1", parts: ["actor" as const] };
  const { data: erasure } = need(await client.POST("/v1/erasures", { body: erasing }));
  need(await client.GET("/v1/erasures"));
  need(await client.GET("/v1/erasures/{id}", { params: { path: { id: erasure.id } } }));
  await client.DELETE("/v1/erasures/{id}", { params: { path: { id: erasure.id } } });

  const { data: hold } = need(await client.POST("/v1/holds", { body: { from_sequence: 1 } }));
  need(await client.GET("/v1/holds"));
  await client.DELETE("/v1/holds/{id}", { params: { path: { id: hold.id } } });

  const declared = { path: "context.ip", type: "ip" as const };
  const { data: field } = need(await client.POST("/v1/search/fields", { body: declared }));
  need(await client.GET("/v1/search/fields"));
  need(await client.GET("/v1/search/paths"));
  await client.GET("/v1/events/histogram", { params: { query: { by: "outcome" } } });
  need(await client.GET("/v1/events/facets", { params: { query: { field: ["action"] } } }));
  await client.DELETE("/v1/search/fields/{id}", { params: { path: { id: field.id } } });

  const kept = { name: "one", filter: { text: "abc" } };
  const { data: search } = need(await client.POST("/v1/searches", { body: kept }));
  need(await client.GET("/v1/searches"));
  const saved = { params: { path: { id: search.id } } };
  need(await client.PATCH("/v1/searches/{id}", { ...saved, body: { name: "two" } }));
  await client.DELETE("/v1/searches/{id}", saved);

  const mapping = { provider: "okta", group: "readers", role: "viewer" as const };
  const { data: mapped } = need(await client.POST("/v1/role-mappings", { body: mapping }));
  need(await client.GET("/v1/role-mappings"));
  await client.DELETE("/v1/role-mappings/{id}", { params: { path: { id: mapped.id } } });
  const trusted = { name: "one", issuer: "cluster", subject: "s", scopes: ["verify" as const] };
  const { data: workload } = need(await client.POST("/v1/workloads", { body: trusted }));
  need(await client.GET("/v1/workloads"));
  await client.DELETE("/v1/workloads/{id}", { params: { path: { id: workload.id } } });
  need(await client.GET("/v1/people"));

  need(await client.PUT("/v1/retention", { body: { days: 90 } }));
  need(await client.GET("/v1/retention"));
  need(await client.GET("/v1/archives"));
  const ofArchive = { params: { path: { id: "arc_1" } }, parseAs: "blob" } as const;
  await client.GET("/v1/archives/{id}/events", ofArchive);
  await client.GET("/v1/archives/{id}/evidence", ofArchive);

  const { data: made } = need(await client.POST("/v1/exports", { body: { filter: { action } } }));
  const ofExport = { params: { path: { id: made.id } } };
  need(await client.GET("/v1/exports"));
  await until(async () => {
    const { data } = need(await client.GET("/v1/exports/{id}", ofExport));
    return data.status === "completed" ? data.sha256 : undefined;
  });
  need(await client.GET("/v1/exports/{id}/content", { ...ofExport, parseAs: "text" }));
  await client.DELETE("/v1/exports/{id}", ofExport);
}

/** Asks until there is an answer, which nothing but time brings. */
async function until<T>(ask: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
