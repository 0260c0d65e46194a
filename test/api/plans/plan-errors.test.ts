// What a plan refuses (interface 4): a feature that is left out with 403, a count that is reached with 403,
// the month's events with 429 and the time until the next month. Everything else goes on, other accounts
// notice nothing, and another plan counts from the next request.

import { newKey } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { type PlannedSystem, openPlannedSystem } from "../../system/plans-constellation.ts";

let system: PlannedSystem;

beforeAll(async () => {
  system = await openPlannedSystem();
});
afterAll(() => system.close());

const EVENT = { action: "thing.done" };
const batchOf = (count: number) => ({ events: Array.from({ length: count }, () => EVENT) });

describe("plan_feature_unavailable", () => {
  const FEATURES = [
    ["webhooks", "/v1/webhooks"],
    ["exports", "/v1/exports"],
    ["verify", "/v1/verify"],
    ["lifecycle", "/v1/erasures"],
    ["lifecycle", "/v1/holds"],
    ["lifecycle", "/v1/retention"],
  ] as const;

  /** Every operation of the interface at or below `path`, as the OpenAPI document lists them. */
  async function operationsOf(path: string) {
    const { client } = await system.newClient();
    const { body } = await client.get("/openapi.json");
    return Object.entries<object>(body.paths)
      .filter(([each]) => each === path || each.startsWith(`${path}/`))
      .flatMap(([each, methods]) =>
        Object.keys(methods).map((method) => ({
          method: method.toUpperCase(),
          url: each.replaceAll(/\{\w+\}/g, "some_id"),
        })),
      );
  }

  test.for(FEATURES)(
    "403 for every operation of %s in %s, and only there",
    async ([feature, path]) => {
      const { account, client } = await system.newClient("featureless");
      const operations = await operationsOf(path);
      expect(operations.length).toBeGreaterThan(0);
      for (const { method, url } of operations) {
        expectRefused(await client.send(method, url), "plan_feature_unavailable", {
          message: `The plan featureless does not include ${feature}.`,
        });
      }
      // The scope is asked first: who may not use the operation learns nothing of the plan.
      const { key } = await newKey(system.databaseUrl, account.accountId, ["events:read"]);
      for (const { method, url } of operations) {
        expectRefused(await client.as(key).send(method, url), "scope_error");
      }
      expect((await client.post("/v1/events", EVENT)).status).toBe(201);
      expect((await client.get("/v1/events")).status).toBe(200);
      expect((await client.get("/v1/api-keys")).status).toBe(200);
    },
  );

  test("another plan counts from the next request", async () => {
    const { account, client } = await system.newClient("featureless");
    expect((await client.get("/v1/verify")).status).toBe(403);
    await system.setPlan(account, "small");
    expect((await client.get("/v1/verify")).status).toBe(200);
    await system.setPlan(account, "featureless");
    expect((await client.get("/v1/verify")).status).toBe(403);
  });

  test("accounts without a plan, or with one that a newer file has, get the default", async () => {
    for (const plan of [undefined, "of-a-newer-file"] as const) {
      const { client } = await system.newClient(plan);
      expect((await client.get("/v1/verify")).status).toBe(200);
    }
  });
});

describe("plan_limit_exceeded for keys", () => {
  const FULL = {
    message: "The plan small allows 3 API keys, and the account has as many. Delete one first.",
  };

  test.for(["/v1/api-keys", "/v1/keys"])("403 on POST %s, the first key included", async (path) => {
    const { client } = await system.newClient("small");
    const made = await client.post("/v1/api-keys", { name: "second" });
    expect(made.status).toBe(201);
    expect((await client.post(path, { name: "third" })).status).toBe(201);
    const refused = await client.post(path, { name: "fourth" });
    expectRefused(refused, "plan_limit_exceeded", FULL);
    expect(refused.status).toBe(403);
    expect(refused.headers).not.toHaveProperty("retry-after");
    expect((await client.get("/v1/api-keys")).body.data).toHaveLength(3);
    // What is in use goes on, and a deleted key makes room.
    const renamed = await client.patch(`/v1/api-keys/${made.body.data.id}`, { name: "2nd" });
    expect(renamed.status).toBe(200);
    expect((await client.delete(`/v1/api-keys/${made.body.data.id}`)).status).toBe(204);
    expect((await client.post(path, { name: "fourth" })).status).toBe(201);
    expectRefused(await client.post(path, { name: "fifth" }), "plan_limit_exceeded", FULL);
  });

  test("a smaller plan takes no key away, and a request that is not valid gets that error first", async () => {
    const { account, client } = await system.newClient();
    for (let i = 0; i < 4; i++) await client.post("/v1/api-keys", { name: `key ${i}` });
    await system.setPlan(account, "small");
    expect((await client.get("/v1/api-keys")).body.data).toHaveLength(5);
    expectRefused(await client.post("/v1/api-keys", {}), "validation_error", { field: "name" });
    expectRefused(await client.post("/v1/api-keys", { name: "a" }), "plan_limit_exceeded", FULL);
  });
});

describe("plan_limit_exceeded for events", () => {
  const month = () => new Date().toISOString().slice(0, 7);

  /** Whole seconds until the next month of UTC. */
  function secondsLeft(): number {
    const now = new Date();
    return Math.ceil((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - Number(now)) / 1_000);
  }

  test("429 with the time until the next month, for one event and for a batch", async () => {
    const { client } = await system.newClient("small");
    expect((await client.post("/v1/events/batch", batchOf(4))).status).toBe(201);
    const before = secondsLeft();
    const batch = await client.post("/v1/events/batch", batchOf(2));
    expectRefused(batch, "plan_limit_exceeded", {
      message: `The plan allows 5 events per calendar month (UTC); 1 left in ${month()}.`,
    });
    expect(batch.status).toBe(429);
    expect(Number(batch.headers["retry-after"])).toBeLessThanOrEqual(before);
    expect(Number(batch.headers["retry-after"])).toBeGreaterThanOrEqual(secondsLeft());
    // Not the rate limit: its window has room.
    expect(Number(batch.headers["x-ratelimit-remaining"])).toBeGreaterThan(0);
    expect((await client.post("/v1/events", EVENT)).status).toBe(201);
    const refused = await client.post("/v1/events", EVENT);
    expectRefused(refused, "plan_limit_exceeded", { message: /; 0 left in \d{4}-\d\d\.$/ });
    expect(refused.status).toBe(429);
    // Nothing of what was refused is there, and reading goes on.
    const { body } = await client.get("/v1/verify");
    expect(body.data).toMatchObject({ valid: true, checked: 5 });
  });

  test("a replay is answered when the month is used up, and counts nothing", async () => {
    const { client } = await system.newClient("small");
    const headers = { "idempotency-key": "one" };
    const first = await client.post("/v1/events/batch", batchOf(3), { headers });
    const again = await client.post("/v1/events/batch", batchOf(3), { headers });
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect((await client.post("/v1/events/batch", batchOf(2))).status).toBe(201);
    const last = await client.post("/v1/events/batch", batchOf(3), { headers });
    expect([last.status, last.text]).toEqual([201, first.text]);
    // A refused request leaves its key unused.
    const other = { headers: { "idempotency-key": "two" } };
    for (let i = 0; i < 2; i++) {
      expectRefused(await client.post("/v1/events", EVENT, other), "plan_limit_exceeded");
    }
  });

  test("what came before the plan counts, and what came before the month does not", async () => {
    const { account, client } = await system.newClient();
    await client.post("/v1/events/batch", batchOf(6));
    await system.setPlan(account, "small");
    expectRefused(await client.post("/v1/events", EVENT), "plan_limit_exceeded");
    // As if those six were of a month long ago; the ledger that wrote them knows the head by heart, so a
    // reading of the month from anywhere but the row that was locked would refuse here.
    await system.query(
      "UPDATE ledger.heads SET created_at = '2020-01-31T00:00:00.000000Z' WHERE account_id = $1",
      [account.accountId],
    );
    expect((await client.post("/v1/events/batch", batchOf(5))).status).toBe(201);
    expectRefused(await client.post("/v1/events", EVENT), "plan_limit_exceeded");
  });
});
