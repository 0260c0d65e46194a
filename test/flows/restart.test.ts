// Guarantee: a stop and a start on the same directory lose nothing and forget nothing: events,
// their chain, keys and what was revoked of them, idempotency keys.

import type { Stack } from "@annals/local";
import { HttpClient } from "@annals/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startConstellation } from "../constellation.ts";

const EVENTS = 25;

let dataDir: string;
let stack: Stack;
let http: HttpClient;

async function start(): Promise<void> {
  stack = await startConstellation({ dataDir, rateLimitPerMinute: 10_000 });
  http = new HttpClient(stack.baseUrls[0] ?? "", stack.bootstrapKey);
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "annals-restart-"));
  await start();
});
afterAll(async () => {
  await stack?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("a stop and a start on the same directory keep every event, key, revocation and idempotency key", async () => {
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    action: "restart.test",
    actor: { id: `user-${n}` },
    metadata: { n },
  }));
  const idempotent = { headers: { "idempotency-key": "before the restart" } };
  const batch = await http.post("/v1/events/batch", { events }, idempotent);
  expect(batch.status).toBe(201);
  const scopes = ["events:read"];
  const kept = (await http.post("/v1/api-keys", { name: "kept", scopes })).body.data;
  const revoked = (await http.post("/v1/api-keys", { name: "revoked", scopes })).body.data;
  expect((await http.delete(`/v1/api-keys/${revoked.id}`)).status).toBe(204);
  const [id] = batch.body.data.map((event: { id: string }) => event.id);
  const before = await http.get(`/v1/events/${id}`);
  const bootstrapKey = stack.bootstrapKey;

  http.close();
  await stack.stop();
  await expect(http.get("/v1/events")).rejects.toThrow("ECONNREFUSED");
  await start();

  expect(stack.bootstrapKey).toBe(bootstrapKey);
  expect((await http.get(`/v1/events/${id}`)).text).toBe(before.text);
  expect((await http.get("/v1/verify")).body.data).toMatchObject({ valid: true, checked: EVENTS });
  expect((await http.as(kept.key).get("/v1/events")).status).toBe(200);
  expect((await http.as(revoked.key).get("/v1/events")).status).toBe(401);

  const replay = await http.post("/v1/events/batch", { events }, idempotent);
  expect(replay.headers["idempotent-replayed"]).toBe("true");
  expect(replay.text).toBe(batch.text);
  const other = await http.post("/v1/events/batch", { events: events.slice(1) }, idempotent);
  expect(other.status).toBe(422);
  const next = await http.post("/v1/events", { action: "after", actor: {} });
  expect(next.body.data).toMatchObject({ sequence_number: EVENTS + 1 });
  expect(next.body.data.previous_hash).toBe(batch.body.data.at(-1).hash);
});
