// Guarantee: the SDK has a method for every route that the service documents, and each works against the
// service; lists lead over all pages; what it verifies of a list is verified, and a changed event is found.

import { Annals, type Attempt, type Event, type Proof } from "@annals/sdk";
import { eventually, markDelivered, newAccount, ownerOf } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { letTimePass } from "../api/erasures/erasures-client.ts";

const { baseUrl, databaseUrl } = inject("stack");

/** What the service's own document says of its routes: `get-event: GET /events/{}`. */
async function documented(): Promise<string[]> {
  const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) =>
      lineOf(operationId, method, path.replace(/^\/v1/, "").replaceAll(/\{\w+\}/g, "{}")),
    ),
  );
}

const lineOf = (operation: string, method: string, path: string) =>
  `${operation}: ${method.toUpperCase()} ${path}`;

/** Ids, and the places of tiles, as the document has them. */
const templateOf = (path: string) =>
  path
    .replaceAll(/(?<=\/)[a-z]+_\w+/g, "{}")
    .replace(/\/tile\/entries\/.*/, "/tile/entries/{}")
    .replace(/\/tile\/\d.*/, "/tile/{}/{}");

async function newAnnals() {
  const { accountId, key } = await newAccount(databaseUrl);
  const called = new Set<string>();
  const observe = ({ operation, method, path }: Attempt) =>
    void called.add(lineOf(operation, method, templateOf(path)));
  return { annals: new Annals({ baseUrl, apiKey: key, observe }), accountId, called, observe };
}

test("every route", async () => {
  const { accountId, annals, called, observe } = await newAnnals();
  const { apiKeys, events, exports, keys, sinks, verify, webhooks, widgetTokens } = annals;

  const created = await apiKeys.create({ name: "one", scopes: ["verify"] });
  expect((await apiKeys.update(created.id, { name: "two" })).name).toBe("two");
  expect((await apiKeys.list().toArray()).map(({ name }) => name)).toContain("two");
  await apiKeys.delete(created.id);
  const once = { idempotencyKey: "once" };
  const kept = await apiKeys.create({ name: "four" }, once);
  expect(kept.key).toMatch(/_sk_/);
  expect({ ...(await apiKeys.create({ name: "four" }, once)), key: kept.key }).toEqual(kept);
  await keys.delete((await keys.create({ name: "three" })).id);

  const event = await events.create({ action: "a" }, { idempotencyKey: "once" });
  expect(await events.create({ action: "a" }, { idempotencyKey: "once" })).toEqual(event);
  expect(await events.createMany([{ action: "b" }, { action: "c" }])).toHaveLength(2);
  expect(await events.get(event.id)).toEqual(event);
  expect((await events.getWithProof(event.id)).proof.v).toBe(1);
  expect((await events.list().toArray()).map(({ action }) => action)).toEqual(["c", "b", "a"]);
  const counted = await events.histogram({ interval: "1d", "not.action": "c" });
  expect(counted).toMatchObject({ total: 2, complete: true });
  const [facet] = await events.facets({ field: "action", limit: 1 });
  expect(facet).toMatchObject({ field: "action", other: 2, distinct: 3 });
  expect(await verify.chain({ from_sequence: 1 })).toMatchObject({ valid: true, checked: 3 });
  expect((await annals.usage.get()).events).toEqual({ used: 3, limit: null });

  const list = { apiVersion: "audit.k8s.io/v1", kind: "EventList", items: [] } as const;
  const cloudEvent = { specversion: "1.0", id: "1", source: "/sdk", type: "d" } as const;
  expect(await annals.intake.cloudEvents([cloudEvent])).toMatchObject({ stored: 1 });
  expect(await annals.intake.kubernetesAudit({ ...list, items: [] })).toMatchObject({ stored: 0 });
  expect(await annals.intake.otlpLogs({ resourceLogs: [] })).toEqual({});

  const field = await annals.searchFields.create({ path: "metadata.n", name: "n", type: "number" });
  expect(await annals.searchFields.list()).toEqual([field]);
  expect(await annals.searchFields.paths()).toBeInstanceOf(Array);
  expect(await events.list({ "field.n": "1..", "not.action": "z" }).toArray()).toEqual([]);
  await annals.searchFields.delete(field.id);

  const search = await annals.searches.create({ name: "one", filter: { text: "abc" } }, once);
  expect(await annals.searches.create({ name: "one", filter: { text: "abc" } }, once)).toEqual(
    search,
  );
  const changed = await annals.searches.update(search.id, { view: { by: "action" } });
  expect(await annals.searches.list()).toEqual([changed]);
  await annals.searches.delete(search.id);

  const { id } = await exports.create({ include_proofs: true });
  await eventually("the export", async () => (await exports.get(id)).status === "completed");
  expect(await (await exports.content(id)).text()).toContain('"manifest"');
  expect((await exports.list().toArray()).map((each) => each.id)).toEqual([id]);
  await exports.delete(id);

  const hook = { url: "https://hooks.annals.invalid/", events: ["event.created" as const] };
  const webhook = await webhooks.create(hook);
  const filter = { action: ["a", "b*"], actor_type: "user", not: { outcome: ["z"] } };
  const updated = await webhooks.update(webhook.id, { active: true, filter });
  expect(updated).toMatchObject({ active: true, filter: { ...filter, actor_type: ["user"] } });
  expect(await webhooks.update(webhook.id, { filter: null })).not.toHaveProperty("filter");
  expect(await webhooks.list().toArray()).toHaveLength(1);
  await webhooks.test(webhook.id);
  await markDelivered(databaseUrl, accountId);
  const range = { from_sequence_number: 1, to_sequence_number: 2 };
  expect(await webhooks.replayEvents(webhook.id, range)).toEqual({ deliveries: 2 });
  const delivery = await eventually("a delivery", async () => {
    const deliveries = await webhooks.deliveries(webhook.id).toArray();
    return deliveries.find((each) => each.event === "event.created");
  });
  await webhooks.replayDelivery(webhook.id, delivery.id);
  expect((await webhooks.rotateSecret(webhook.id)).secret).toMatch(/^whsec_/);
  await webhooks.delete(webhook.id);

  const config = { url: "https://siem.annals.invalid/", headers: { authorization: "x" } };
  const sink = await sinks.create({ type: "http", config, active: false, from: "start" });
  expect(sink).toMatchObject({ status: "paused", config: { headers: { authorization: null } } });
  expect(await sinks.get(sink.id)).toEqual(sink);
  expect(await sinks.list().toArray()).toEqual([sink]);
  expect(await sinks.update(sink.id, { format: "ecs" })).toEqual({ ...sink, format: "ecs" });
  expect(await sinks.replay(sink.id, { from_sequence_number: 3 })).toEqual({
    from_sequence_number: 3,
  });
  expect(await sinks.status(sink.id)).toMatchObject({ cursor: 2, head: 4, lag_events: 2 });
  expect(await sinks.test(sink.id)).toMatchObject({ success: false });
  await expect(sinks.skip(sink.id, { sequence_number: 3 })).rejects.toThrow(/sequence_number/);
  await sinks.delete(sink.id);

  const covered = await eventually("an epoch", async () => {
    const status = await annals.log.get();
    return (status.covered?.sequence_number ?? 0) >= 3 && status;
  });
  expect(await annals.log.checkpoint()).toContain(`${covered.origin}\n`);
  expect(await annals.log.tile(0, 0, 3)).toHaveLength(3 * 32);
  const bundle = await annals.log.entries(0, 3);
  expect(new TextDecoder().decode(bundle)).toContain('"action":"b"');
  expect((await annals.log.inclusion(2)).index).toBe(1);
  expect((await annals.log.consistency(1, { to: 3 })).hashes.length).toBeGreaterThan(0);
  const [head] = await annals.log.heads().toArray(1);
  expect(head?.head.chain).toBe(accountId);

  const token = await widgetTokens.create({ filter: { action: "a" }, parts: [], expires_in: 60 });
  const widget = new Annals({ baseUrl, apiKey: token.token, observe }).widget;
  expect((await widget.list().toArray()).map(({ id: shown }) => shown)).toEqual([event.id]);
  expect((await verify.events(widget.list().pages())).state).toBe("verified");
  expect((await widget.get(event.id)).proof.salts.context).toBeUndefined();
  expect((await widget.filters()).actions).toEqual(["a"]);
  expect((await widget.histogram()).total).toBe(1);
  expect(await widget.facets({ field: "action" })).toMatchObject([{ distinct: 1 }]);
  expect((await widget.log()).covered?.sequence_number).toBeGreaterThanOrEqual(3);
  expect(await widgetTokens.list().toArray()).toHaveLength(1);
  await widgetTokens.create();
  const { next_cursor } = await widgetTokens.list({ limit: 1 }).page();
  const older = widgetTokens.list({ cursor: next_cursor ?? "" });
  expect((await older.toArray()).map((each) => each.id)).toEqual([token.id]);
  await widgetTokens.delete(token.id);

  const erasure = await annals.erasures.create({ actor_id: "u_1", parts: ["actor"] });
  expect(await annals.erasures.list().toArray()).toEqual([erasure]);
  await annals.erasures.cancel(erasure.id);
  expect(await annals.erasures.get(erasure.id)).toMatchObject({ status: "cancelled" });

  const hold = await annals.holds.place({ from_sequence: 2, actor_id: "u_1" });
  expect(await annals.holds.list().toArray()).toEqual([hold]);
  await annals.holds.release(hold.id);

  const mapping = { provider: "okta", group: "readers", role: "viewer" } as const;
  const mapped = await annals.roleMappings.create(mapping);
  expect(await annals.roleMappings.list().toArray()).toEqual([mapped]);
  await annals.roleMappings.delete(mapped.id);
  expect(await annals.people.list().toArray()).toEqual([]);

  const trusted = {
    issuer: "cluster",
    subject: "system:serviceaccount:a:b",
    scopes: ["verify" as const],
  };
  const workload = await annals.workloads.create({ name: "one", ...trusted });
  expect(await annals.workloads.list().toArray()).toEqual([workload]);
  await annals.workloads.delete(workload.id);

  const retention = await annals.retention.set({ days: 90 });
  expect(await annals.retention.get()).toEqual(retention);

  expect(await annals.archives.list().toArray()).toEqual([]);
  await expect(annals.archives.events("arc_1")).rejects.toThrow(/arc_1/);
  await expect(annals.archives.evidence("arc_1")).rejects.toThrow(/arc_1/);

  expect([...called].toSorted()).toEqual((await documented()).toSorted());
});

describe("verify.events", () => {
  let annals: Annals;
  const asked = (order: "asc" | "desc") => ({ include: "proof", limit: 3, order }) as const;

  beforeAll(async () => {
    ({ annals } = await newAnnals());
    const actions = Array.from({ length: 10 }, (_, at) => ({
      action: `a${at}`,
      actor: { id: `u_${at % 2}` },
    }));
    await annals.events.createMany(actions);
  });

  test.each(["asc", "desc"] as const)("finds a whole chain verified, %s", async (order) => {
    const checked = await annals.verify.events(annals.events.list(asked(order)).pages());
    expect(checked).toEqual({
      state: "verified",
      events: 10,
      linksChecked: 10,
      linksUnchecked: 0,
      erasedParts: 0,
      erasuresUnchecked: 0,
      faults: [],
    });
  });

  test("sends each value of a filter, and no value as one that is refused", async () => {
    const actor_id = ["u_1", "u_0"];
    const both = annals.events.list({ ...asked("asc"), actor_id, action: ["a1", "a2", "a3"] });
    const actions = (await both.toArray(10)).map(({ action }) => action);
    expect(actions).toEqual(["a1", "a2", "a3"]);
    await expect(annals.events.list({ actor_id: [] }).page()).rejects.toMatchObject({
      status: 422,
    });
  });

  test("counts the links that a filter leaves out", async () => {
    const list = annals.events.list({ ...asked("asc"), actor_id: ["u_1"] });
    expect(await annals.verify.events(list.pages())).toMatchObject({
      state: "verified",
      events: 5,
      linksChecked: 0,
      linksUnchecked: 5,
    });
  });

  test.each(["asc", "desc"] as const)(
    "finds a change of any page, and a forged link between two pages, %s",
    async (order) => {
      const pages: { data: Event[]; proofs: Proof[] }[] = [];
      for await (const page of annals.events.list(asked(order)).pages())
        pages.push(page as (typeof pages)[number]);
      const changed = structuredClone(pages);
      Object.assign(changed[1]?.data[1] ?? {}, { actor: { id: "u_9" } });
      expect(await annals.verify.events(changed)).toMatchObject({
        state: "differs",
        faults: [{ check: { parts: { actor: "differs" }, hash: "verified" }, link: "verified" }],
      });
      const cut = structuredClone(pages);
      const before = cut[order === "asc" ? 0 : 1]?.data;
      Object.assign(before?.[order === "asc" ? 2 : 0] ?? {}, { hash: "0".repeat(64) });
      const { faults } = await annals.verify.events(cut);
      expect(faults.some(({ link }) => link === "differs")).toBe(true);
    },
  );

  test("counts what is erased, and what no record among the events names", async () => {
    const { accountId, annals: own } = await newAnnals();
    await own.events.createMany(
      [{ actor: { id: "u_1" } }, {}].map((one) => ({ action: "a", ...one })),
    );
    const asking = { actor_id: "u_1", parts: ["actor", "metadata"] as const };
    const { id } = await own.erasures.create({ ...asking, parts: [...asking.parts] });
    const owner = ownerOf(databaseUrl);
    await letTimePass(owner, accountId);
    await owner.close();
    await eventually("it is erased", async () => (await own.erasures.get(id)).erased === 1);
    for (const order of ["asc", "desc"] as const) {
      const checked = await own.verify.events(own.events.list(asked(order)).pages());
      expect(checked).toMatchObject({ state: "verified", erasedParts: 2, erasuresUnchecked: 0 });
    }
    const list = own.events.list({ ...asked("asc"), action: "a" });
    const alone = { state: "verified", erasedParts: 2, erasuresUnchecked: 2 };
    expect(await own.verify.events(list.pages())).toMatchObject(alone);
  });

  test("without proofs, and without events, nothing is verified", async () => {
    expect(await annals.verify.events(annals.events.list().pages())).toMatchObject({
      state: "unchecked",
      events: 10,
    });
    const none = annals.events.list({ ...asked("asc"), action: "none" });
    expect(await annals.verify.events(none.pages())).toMatchObject({ state: "unchecked" });
  });
});
