// Guarantee: a key stands for the request with its digest, also if that is kept concealed. The keys of every
// account are deleted once they are as old as the setting says, however many there are, and no younger one
// is, in each service that keeps them. None is while the clock is wrong.

import { AccountRun, createLog } from "@annals/chassis";
import { createMigratedDatabase, PATIENT, type TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import {
  earlierResponse,
  idempotentRequests,
  keepResponse,
  SWEPT_KEYS,
  sweepRequests,
} from "./idempotent-requests.ts";
import { createPool, type Pool } from "./pool.ts";

const HOURS = 36;
const LIFE_S = HOURS * 3_600;

let owner: TestDatabase;
beforeAll(async () => {
  owner = await createMigratedDatabase(inject("stack").databaseUrl);
});
afterAll(() => owner?.drop());

type Schema = "keys" | "ledger" | "webhooks";

function openPool(schema: Schema): Pool {
  const pool = createPool({
    connectionString: owner.url,
    role: `annals_${schema}`,
    applicationName: "annals-test",
    maxConnections: 2,
    ...PATIENT,
    log: createLog({ service: "test", level: "error" }, { write: () => {} }),
  });
  onTestFinished(() => pool.close());
  return pool;
}

describe("a key", () => {
  const [digest, other, response] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.from("made")];
  const requests = idempotentRequests("webhooks");
  const kept = { requests, operation: "make", idempotencyHours: HOURS };
  const request = { accountId: "acct_a", idempotencyKey: "one", requestSha256: digest };

  test("that is concealed is found by each digest of its request, and by no other", async () => {
    const pool = openPool("webhooks");
    onTestFinished(
      async () => void (await owner.query("DELETE FROM webhooks.idempotent_requests")),
    );
    const concealed = (...digests: Buffer[]) => ({ ...kept, conceal: () => digests });
    await keepResponse(pool, concealed(other, digest), request, response);
    expect(await earlierResponse(pool, concealed(digest, other), request)).toEqual(response);
    for (const wrong of [kept, concealed(digest), concealed()])
      await expect(earlierResponse(pool, wrong, request)).rejects.toThrow("another request");
  });

  test.each([0, 31, 33])("with a digest of %d bytes is refused", async (length) => {
    const asked = { ...request, idempotencyKey: "two", requestSha256: Buffer.alloc(length) };
    const refused = earlierResponse(openPool("webhooks"), kept, asked);
    await expect(refused).rejects.toThrow("request_sha256: must be 32 bytes");
  });
});

test.each<Schema>(["keys", "ledger", "webhooks"])(
  "expired ones of %s are deleted",
  async (schema) => {
    const pool = openPool(schema);
    const insert = (accountId: string, ageS: number, count = 1) =>
      owner.query(
        `INSERT INTO ${schema}.idempotent_requests
       SELECT $1, 'make', $2::text || ' ' || n, sha256(''), '', now() - $2::text::integer * interval '1 second'
       FROM generate_series(1, $3::integer) AS n`,
        [accountId, String(ageS), count],
      );
    let deleted = 0;
    const swept = { inc: (_: unknown, by = 1): void => void (deleted += by) };
    const sweep = (fault?: string) => {
      const clock = { fault: () => fault };
      const deps = { clock, database: pool, idempotencyHours: HOURS, swept };
      return sweepRequests(idempotentRequests(schema), deps, new AccountRun());
    };
    const left = () =>
      owner.query(`SELECT account_id FROM ${schema}.idempotent_requests ORDER BY account_id`);
    await insert("acct_1", LIFE_S, SWEPT_KEYS + 1);
    await insert("acct_1", LIFE_S - 60);
    await insert("acct_2", LIFE_S + 60);
    await insert("acct_3", LIFE_S - 60);
    await expect(sweep("a day ahead")).rejects.toThrow("a day ahead");
    expect(await left()).toHaveLength(SWEPT_KEYS + 4);
    await sweep();
    expect(await left()).toEqual([{ account_id: "acct_1" }, { account_id: "acct_3" }]);
    expect(deleted).toBe(SWEPT_KEYS + 2);
  },
);
