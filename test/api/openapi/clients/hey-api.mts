// Makes each call of the interface once with the client of @hey-api/openapi-ts. Copied beside the generated
// client, compiled and run by clients.test.ts.

import { createClient } from "./client/index.js";
import * as annals from "./sdk.gen.js";

export async function callEach({
  baseUrl,
  key,
  fetch,
}: {
  baseUrl: string;
  key: string;
  fetch: typeof globalThis.fetch;
}): Promise<void> {
  const client = createClient({ baseUrl, fetch, auth: () => key });
  const by = { client, throwOnError: true } as const;

  const created = await annals.createApiKey({ ...by, body: { name: "one", scopes: ["verify"] } });
  const { id } = created.data.data;
  await annals.listApiKeys(by);
  await annals.updateApiKey({ ...by, path: { id }, body: { name: "two" } });
  await annals.deleteApiKey({ ...by, path: { id } });
  const other = await annals.createKey({ ...by, body: { name: "three" } });
  await annals.deleteKey({ ...by, path: { key_id: other.data.id } });

  const url = "https://hooks.annals.invalid/hook";
  const hook = await annals.createWebhook({ ...by, body: { url, events: ["event.created"] } });
  const ofWebhook = { ...by, path: { id: hook.data.data.id } };
  await annals.listWebhooks(by);
  await annals.updateWebhook({
    ...ofWebhook,
    body: { active: true, filter: { action: ["*", "b.*"] } },
  });

  const action = "invoice.update";
  const body = { action, actor: { id: "u_1", meta: { roles: ["admin"] } }, metadata: { n: 1 } };
  const stored = await annals.createEvent({ ...by, body, headers: { "idempotency-key": "once" } });
  const event = stored.data.data;
  await annals.createEventBatch({
    ...by,
    body: { events: [{ action }, { type: "invoice.send" }] },
  });
  const page = await annals.listEvents({ ...by, query: { actor_id: "u_1", limit: 1 } });
  if (page.data.data[0]?.id !== event.id) throw new Error("the event is not in the list");
  const any = await annals.listEvents({ ...by, query: { action: ["none", action] } });
  if (!any.data.data.some((one) => one.id === event.id))
    throw new Error("several values do not find the event");
  await annals.getEvent({ ...by, path: { id: event.id }, query: { include: "proof" } });
  const verification = await annals.verifyChain(by);
  if (!verification.data.data.valid) throw new Error("the chain is not valid");
  const usage = await annals.getUsage(by);
  if (usage.data.data.events.used < 3) throw new Error("the events are not counted");

  // As many as a full tile has, and until an epoch covers them.
  const events = Array.from({ length: 256 }, () => ({ action }));
  await annals.createEventBatch({ ...by, body: { events } });
  await until(async () => {
    const { data } = await annals.getLog(by);
    const sequence = data.data.covered?.sequence_number ?? 0;
    return sequence > events.length ? sequence : undefined;
  });
  await annals.readCheckpoint(by);
  const tile = await annals.readTile({ ...by, path: { level: "0", index: "000" } });
  if (!(tile.data instanceof Blob)) throw new Error("the tile is no file");
  await annals.readEntries({ ...by, path: { index: "000" } });
  await annals.proveInclusion({ ...by, query: { sequence_number: 1 } });
  await annals.proveConsistency({ ...by, query: { from: 1 } });
  const heads = await annals.listHeads({ ...by, query: { limit: 1 } });
  if (heads.data.data[0]?.head.size === 0) throw new Error("a head is empty");

  await annals.testWebhook(ofWebhook);
  const range = { from_sequence_number: 1, to_sequence_number: 2 };
  await annals.replayEvents({ ...ofWebhook, body: range });
  // Not that of the test, which cannot be replayed.
  const delivery_id = await until(async () => {
    const { data } = await annals.listDeliveries(ofWebhook);
    return data.data.find((each) => each.event === "event.created")?.id;
  });
  await annals.replayDelivery({ ...by, path: { ...ofWebhook.path, delivery_id } });
  await annals.rotateSecret({ ...ofWebhook, body: { grace_seconds: 0 } });
  await annals.deleteWebhook(ofWebhook);

  const config = { url: "https://siem.annals.invalid/in", headers: { authorization: "x" } };
  const sink = await annals.createSink({ ...by, body: { type: "http", config, from: 1 } });
  const ofSink = { ...by, path: { id: sink.data.data.id } };
  await annals.listSinks(by);
  await annals.getSink(ofSink);
  await annals.updateSink({ ...ofSink, body: { active: false } });
  await annals.testSink(ofSink);
  await annals.replaySink({ ...ofSink, body: { from_sequence_number: 2 } });
  const status = await annals.getSinkStatus(ofSink);
  if (status.data.data.cursor !== 1) throw new Error("the cursor is not where it was set");
  await annals.skipSinkRecord({ ...ofSink, body: { sequence_number: 2 } });
  await annals.deleteSink(ofSink);

  const minted = await annals.createWidgetToken({
    ...by,
    body: { filter: { action }, parts: ["diff"], viewer: { id: "u_7" } },
  });
  const widget = createClient({ baseUrl, fetch, auth: () => minted.data.data.token });
  const byWidget = { client: widget, throwOnError: true } as const;
  const looked = await annals.listWidgetEvents({ ...byWidget, query: { limit: 1 } });
  if (looked.data.proofs[0]?.salts.context !== undefined) throw new Error("a part is not hidden");
  await annals.getWidgetEvent({ ...byWidget, path: { id: looked.data.data[0]?.id ?? "" } });
  await annals.listWidgetFilters(byWidget);
  await annals.countWidgetEvents(byWidget);
  await annals.countWidgetValues({ ...byWidget, query: { field: "action" } });
  await annals.getWidgetLog(byWidget);
  await annals.listWidgetTokens(by);
  await annals.deleteWidgetToken({ ...by, path: { id: minted.data.data.id } });

  const list = { apiVersion: "audit.k8s.io/v1", kind: "EventList", items: [] } as const;
  await annals.storeKubernetesAudit({ ...by, body: { ...list, items: [] } });

  const headers = { "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/client", "ce-type": "a" };
  await annals.storeCloudevents({ ...by, headers, body: { a: 1 } });
  await annals.storeOtlpLogs({ ...by, body: { resourceLogs: [] } });

  const erasing = { actor_id: "u_1", parts: ["actor" as const] };
  const erased = await annals.createErasure({ ...by, body: erasing });
  await annals.listErasures(by);
  await annals.getErasure({ ...by, path: { id: erased.data.data.id } });
  await annals.cancelErasure({ ...by, path: { id: erased.data.data.id } });

  const held = await annals.placeHold({ ...by, body: { from_sequence: 1 } });
  await annals.listHolds(by);
  await annals.releaseHold({ ...by, path: { id: held.data.data.id } });

  const declared = { path: "context.ip", type: "ip" as const };
  const field = await annals.createSearchField({ ...by, body: declared });
  await annals.listSearchFields(by);
  await annals.listSearchPaths(by);
  await annals.countEvents({ ...by, query: { by: "outcome" } });
  await annals.countValues({ ...by, query: { field: ["action"] } });
  await annals.deleteSearchField({ ...by, path: { id: field.data.data.id } });

  const kept = { name: "one", filter: { text: "abc" } };
  const search = await annals.createSavedSearch({ ...by, body: kept });
  await annals.listSavedSearches(by);
  const saved = { id: search.data.data.id };
  await annals.updateSavedSearch({ ...by, path: saved, body: { name: "two" } });
  await annals.deleteSavedSearch({ ...by, path: saved });

  const mapping = { provider: "okta", group: "readers", role: "viewer" as const };
  const mapped = await annals.createRoleMapping({ ...by, body: mapping });
  await annals.listRoleMappings(by);
  await annals.deleteRoleMapping({ ...by, path: { id: mapped.data.data.id } });
  const trusted = { name: "one", issuer: "cluster", subject: "s", scopes: ["verify" as const] };
  const workload = await annals.createWorkload({ ...by, body: trusted });
  await annals.listWorkloads(by);
  await annals.deleteWorkload({ ...by, path: { id: workload.data.data.id } });
  await annals.listPeople(by);

  await annals.setRetention({ ...by, body: { days: 90 } });
  await annals.getRetention(by);
  await annals.listArchives(by);
  const ofArchive = { ...by, path: { id: "arc_1" } };
  await annals.getArchiveEvents(ofArchive);
  await annals.getArchiveEvidence(ofArchive);

  const made = await annals.createExport({ ...by, body: { filter: { action } } });
  const ofExport = { ...by, path: { id: made.data.data.id } };
  await annals.listExports(by);
  await until(async () => (await annals.getExport(ofExport)).data.data.sha256);
  await annals.getExportContent(ofExport);
  await annals.deleteExport(ofExport);
}

/** Asks until there is an answer, which nothing but time brings. */
async function until<T>(ask: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
