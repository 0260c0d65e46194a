// Guarantee: whatever one account has PostgreSQL do, no request of another account fails, and what the
// account has left stops. The report has the other account's p99 alone and meanwhile. The protections are no
// settings: without shares of the pool libs/postgres/src/connection-shares.test.ts fails, without cancelling
// cancel.test.ts beside it, with all slots for large groups services/ledger/src/append/commits.test.ts.

import { newAccount } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { loadLongChain } from "../bench/long-chain.ts";
import { ATTACK_NAMES, type Target } from "./hostile-postgres-attacks.ts";
import { startTestbed, type Testbed } from "../system/testbed.ts";
import { aloneFor, attackFrom, type Noticed, underAttack } from "./under-attack.ts";

const { forMs } = inject("form").fairness;
const EVENTS = 50_000;
/** The longest that PostgreSQL is allowed one statement. */
const STOPPED_WITHIN_MS = 10_000;
const ATTACKS = new URL("./hostile-postgres-attacks.ts", import.meta.url);

let bed: Testbed;
let target: Target;
let alone: Noticed;

beforeAll(async () => {
  bed = await startTestbed({ replicas: {} });
  const { databaseUrl, baseUrls } = bed.stack;
  const [baseUrl = ""] = baseUrls;
  const { accountId, key } = await newAccount(databaseUrl);
  await loadLongChain(databaseUrl, accountId, EVENTS);
  target = { baseUrl, key };
  alone = await aloneFor({ baseUrl, key: bed.key }, forMs);
});
afterAll(() => bed?.stop());

const statementsUnderWay = async (): Promise<number> =>
  (
    await bed.owner.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'annals-ledger' AND state = 'active'`,
    )
  ).length;

test.each(ATTACK_NAMES)("%s", async (name) => {
  await underAttack(bed, {
    other: { baseUrl: target.baseUrl, key: bed.key },
    alone,
    forMs,
    begin: () => attackFrom(ATTACKS, { name, ...target }),
  });
  await vi.waitFor(async () => expect(await statementsUnderWay()).toBe(0), STOPPED_WITHIN_MS);
});
