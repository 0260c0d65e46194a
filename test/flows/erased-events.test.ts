// Guarantee: once a part is erased, its value is no longer returned: not by GET, lists, filters, widget
// tokens, exports, replays of webhooks, or a repeated request. Each shows which parts are erased, each
// proof still recomputes the hash that was handed out before, and the chain is valid.

import { afterAll, beforeAll, expect, test } from "vitest";
import { eraseEvent } from "../system/erase-events.ts";
import { exported } from "../system/exports-client.ts";
import { Contract } from "../system/openapi-contract.ts";
import { sharedWebhookSystem } from "../system/webhook-constellation.ts";
import { verify } from "../verifiers/made-export.ts";
import { newToken, recomputed } from "../system/widget-client.ts";

const SECRET = "ada@example.com";
const EVENT = {
  action: "user.login",
  actor: { id: SECRET, type: "user", meta: { email: SECRET } },
  context: { ip: "203.0.113.7" },
  metadata: { from: SECRET },
};
const ERASED = ["actor", "metadata"];

let system: Awaited<ReturnType<typeof sharedWebhookSystem>>;
beforeAll(async () => {
  system = await sharedWebhookSystem();
});
afterAll(() => system.close());

test("an erased part is returned by no route, and each says that it is erased", async () => {
  const client = await system.client();
  const contract = new Contract((await client.get("/openapi.json")).body);
  const headers = { "idempotency-key": "once" };
  await client.post("/v1/events", { action: "first" });
  const { data: before } = (await client.post("/v1/events", EVENT, { headers })).body;
  const { accountId } = client;
  await eraseEvent(system.stack.databaseUrl, { accountId, parts: ERASED, sequenceNumber: 2 });

  const shown = { ...before, actor: {}, metadata: {}, erased: ERASED };
  const get = async (path: string, by: Pick<typeof client, "get"> = client) => {
    const answer = await by.get(path);
    expect(contract.faults({ method: "GET", path, headers: {}, body: undefined, answer })).toEqual(
      [],
    );
    return answer;
  };
  const got = await get(`/v1/events/${before.id}?include=proof`);
  expect(got.body.data).toEqual(shown);
  expect(recomputed(got.body.data, got.body.proof)).toEqual(["context", "diff", "target"]);

  const list = await get("/v1/events?include=proof&order=asc");
  expect(list.body.data[1]).toEqual(shown);
  expect(list.body.data[2]).toMatchObject({ action: "annals.erasure", sequence_number: 3 });
  expect(Object.keys(list.body.proofs[1].salts)).toEqual(["context", "diff", "target"]);
  expect((await client.get(`/v1/events?actor_id=${SECRET}`)).body.data).toEqual([]);

  const { widget } = await newToken(client, { parts: ["actor.meta", "context"] });
  const seen = await get(`/v1/widget/events/${before.id}`, widget);
  expect(seen.body.data.erased).toEqual(["actor"]);
  expect(recomputed(seen.body.data, seen.body.proof)).toEqual(["context", "target"]);

  const repeated = await client.post("/v1/events", EVENT, { headers });
  expect(repeated.body.data).toEqual(shown);

  const file = (await exported(client, { include_proofs: true })).content;
  expect(JSON.parse(file.text.split("\n")[1] ?? "").event).toEqual(shown);
  const csv = (await exported(client, { format: "csv", include_proofs: true })).content;
  for (const { text } of [file, csv])
    expect(await verify(text)).toMatchObject({ events: 3, erasedParts: 2, erasuresUnchecked: 0 });
  const filter = { action: EVENT.action };
  const filtered = (await exported(client, { include_proofs: true, filter })).content;
  expect(await verify(filtered.text)).toMatchObject({ erasedParts: 2, erasuresUnchecked: 2 });

  const subscriber = await system.subscriber();
  const hook = await client.post("/v1/webhooks", { url: subscriber.url(), events: ["*"] });
  const range = { from_sequence_number: 2, to_sequence_number: 2 };
  // A webhook replays nothing before its first success.
  await client.post(`/v1/webhooks/${hook.body.data.id}/test`);
  await subscriber.waitFor(1);
  expect((await client.post(`/v1/webhooks/${hook.body.data.id}/replay`, range)).status).toBe(201);
  const [, delivered] = await subscriber.waitFor(2);
  expect(delivered?.json.data).toEqual(shown);
  expect(delivered && contract.deliveryFaults(delivered)).toEqual([]);

  const all = [got, list, seen, repeated, file, csv].map(({ text }) => text);
  expect([...all, String(delivered?.body)].filter((text) => text.includes(SECRET))).toEqual([]);
  const { valid, checked, erased } = (await client.get("/v1/verify")).body.data;
  expect({ valid, checked, erased }).toEqual({ valid: true, checked: 3, erased: 2 });
});
