// Guarantee: a request counts what it selects up to its limit, in the filter index and behind it, and reads a
// bounded number of rows for that. A request
// and its audit entry are stored together, and the entry has no value. Two calls that cancel at once record
// it once.

import { FRESH, SEALED } from "../../testing/segment-fixtures.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { MAX_EVENTS } from "../rules/erasure.ts";
import { isMoreThan } from "../../search/find-selected.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../../testing/lifecycle-fixtures.ts";
import { appendOf, openLedger, type TestLedger } from "../../testing/test-ledger.ts";

const CHUNK = 4_096;
const ACCOUNT = "acct_1";

let world: LifecycleFixtures;
beforeAll(async () => {
  world = await openLifecycleFixtures();
});

test("events are counted up to the limit, wherever the index ends", async () => {
  // 1,365 events of u_1 in the index, and 10 behind it.
  const accountId = await world.newChain(CHUNK + 30);
  await world.run("SELECT ledger.index_segment($1, 0)", [accountId]);
  const ofActor = { accountId, selector: { actorId: "u_1" } };
  expect(await isMoreThan(world.pool, ofActor, 1_375)).toBe(false);
  expect(await isMoreThan(world.pool, ofActor, 1_374)).toBe(true);
  const ofTarget = { accountId, selector: { targetId: "inv_9" } };
  expect(await isMoreThan(world.pool, ofTarget, CHUNK + 30)).toBe(false);
  expect(await isMoreThan(world.pool, ofTarget, CHUNK + 29)).toBe(true);
});

test("a million events can be counted, and one more cannot be erased, by few statements", async () => {
  // Only the sealed index of the chain, and its last event.
  const accountId = await world.newChain(1);
  const segments = Math.ceil(MAX_EVENTS / SEALED);
  const last = MAX_EVENTS - (segments - 1) * SEALED;
  await world.owner.query(
    "UPDATE ledger.events SET sequence_number = $2::bigint WHERE account_id = $1",
    [accountId, segments * SEALED],
  );
  await world.owner.query(
    `INSERT INTO ledger.segments SELECT $1, level, base, '2026', '2026', '2026', '2026'
     FROM (
       SELECT 0 AS level, n * ${FRESH} AS base FROM generate_series(0, $2::bigint * ${SEALED / FRESH} - 1) AS n
       UNION ALL SELECT 1, n * ${SEALED} FROM generate_series(0, $2::bigint - 1) AS n
     ) AS bases`,
    [accountId, segments],
  );
  await world.owner.query(
    `INSERT INTO ledger.blocks SELECT $1, 2, 1, n * ${SEALED}, 'u_1', '{u_1}', NULL, (
       SELECT string_agg(substring(int4send(place) FROM 3), '' ORDER BY place)
       FROM generate_series(0, CASE WHEN n = $2 - 1 THEN $3::integer ELSE ${SEALED} END - 1) AS place)
     FROM generate_series(0, $2::bigint - 1) AS n`,
    [accountId, segments, last],
  );
  const ran: string[] = [];
  const counting: Database = {
    run: (one, params) => {
      ran.push(one.name);
      return world.pool.run(one, params);
    },
  };
  const selected = { accountId, selector: { actorId: "u_1" } };
  expect(await isMoreThan(counting, selected, MAX_EVENTS)).toBe(false);
  expect(ran.length).toBeLessThan(60);
  // Without an end of its own the count would read whatever a chain has.
  expect(await isMoreThan(world.pool, selected, MAX_EVENTS, 10_000)).toBe(true);
  await world.owner.query(
    `UPDATE ledger.blocks SET places = places || substring(int4send($2::integer) FROM 3)
     WHERE account_id = $1 AND base = $3::bigint`,
    [accountId, last, (segments - 1) * SEALED],
  );
  expect(await isMoreThan(world.pool, selected, MAX_EVENTS)).toBe(true);
});

describe("the audit", () => {
  let database: TestDatabase;
  let ledger: TestLedger;
  beforeEach(async () => {
    database = await newLedgerDatabase();
    ledger = openLedger(database);
    await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, 3)] });
  });

  const ask = async () => {
    const request = { accountId: ACCOUNT, actorId: "private", parts: ["actor", "target"] };
    const { erasure } = await ledger.client.createErasure(request);
    return erasure?.id ?? expect.fail("no erasure");
  };
  const entries = async () =>
    (await database.query<{ event: string }>("SELECT event FROM ledger.audit_outbox")).map(
      ({ event }) => JSON.parse(event),
    );

  test("has the request, without the value", async () => {
    const id = await ask();
    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      action: "annals.erasure.requested",
      actor: { type: "api_key", id: "key_test" },
      target: { type: "erasure", id },
      metadata: { selector: "actor_id", parts: ["actor", "target"], up_to_sequence: 3 },
    });
    expect(JSON.stringify(entry)).not.toContain("private");
  });

  test("has a cancellation once", async () => {
    const id = await ask();
    const cancel = () => ledger.client.cancelErasure({ accountId: ACCOUNT, id });
    await Promise.all([cancel(), cancel()]);
    await cancel();
    const actions = (await entries()).map(({ action }) => action);
    expect(actions).toEqual(["annals.erasure.requested", "annals.erasure.cancelled"]);
  });

  test("has nothing of a request that is not stored", async () => {
    await database.query("REVOKE INSERT ON ledger.audit_outbox FROM annals_ledger");
    await expect(ask()).rejects.toThrow("[internal]");
    expect(await database.query("SELECT id FROM ledger.erasures")).toEqual([]);
  });
});
