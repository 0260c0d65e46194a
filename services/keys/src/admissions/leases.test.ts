// Guarantees: an answer leases a key only if nothing but a revocation can end it within the lease, and leases
// nothing that a session or a role mapping ends; what is counted ahead is within the limits and, if it is not
// granted, no refusal; whatever revokes or narrows a key answers after the leases from before its commit have
// ended, also if another was first.

import { createRegistry } from "@annals/chassis";
import { ComparedClock, formatMicros, parseKeyFile, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import {
  type AdmissionGroupSchema,
  AdmitRequestsRequestSchema,
  DeleteApiKeyRequestSchema,
  UpdateApiKeyRequestSchema,
} from "@annals/proto/keys";
import { AdmissionSigner } from "@annals/rpc";
import { eventually, ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revokeKey, updateAccount } from "../accounts/account.ts";
import { UNLIMITED_PLANS } from "../accounts/rules/plan.ts";
import { deleteApiKey } from "../api-keys/rpc/delete-api-key.ts";
import { updateApiKey } from "../api-keys/rpc/update-api-key.ts";
import { createMetrics } from "../metrics.ts";
import { deleteApiKey as deleteStatement } from "../store/delete-api-key.ts";
import { lockAccount } from "../store/lock-account.ts";
import {
  migratedDatabase,
  storeKey,
  type StoredKey,
  storeWidgetToken,
} from "../testing/database.ts";
import {
  IDENTITIES,
  storeAccessToken,
  storeMapping,
  storePerson,
  storeSession,
} from "../testing/people.ts";
import { LastUses } from "./last-uses.ts";
import { LEASE_MS } from "./leases.ts";
import { RefusedAdmissions } from "./refused-admissions.ts";
import { admitRequests } from "./rpc/admit-requests.ts";

const LIMIT = 600;
const LIMITS = {
  rateLimitPerMinute: LIMIT,
  logRateLimitPerMinute: LIMIT,
  intakeRateLimitPerMinute: LIMIT,
  widgetRateLimitPerMinute: LIMIT,
  personRateLimitPerMinute: 7,
  identities: IDENTITIES,
};
const clock = systemClock();
const secrets = parseKeyFile(`one:${randomBytes(32).toString("base64")}`);

let owner: TestDatabase;
let database: Pool;

beforeAll(async () => {
  ({ owner, service: database } = await migratedDatabase(afterAll));
});

function service() {
  const registry = createRegistry("keys");
  const compared = new ComparedClock(clock);
  compared.begin()(clock.nowMicros());
  const handle = admitRequests({
    ...LIMITS,
    admissions: new AdmissionSigner({ secrets, clock }),
    clock: compared,
    database,
    metrics: createMetrics(registry),
    plans: UNLIMITED_PLANS,
    refused: new RefusedAdmissions({ clock, database }),
    lastUses: new LastUses({ clock, database }),
  });
  const ask = async (group: MessageInitShape<typeof AdmissionGroupSchema>) => {
    const request = create(AdmitRequestsRequestSchema, { groups: [group] });
    return (await handle(request, {} as HandlerContext)).admissions?.[0];
  };
  return { ask, registry };
}

/** A viewer of the account of the key. */
async function loggedIn({ accountId }: StoredKey) {
  const { personId, subject } = await storePerson(owner);
  await storeMapping(database, accountId, "viewer", { subject });
  return storeSession(owner, { personId, subject });
}

const inS = (seconds: number): string => formatMicros(clock.nowMicros() + seconds * 1_000_000);

describe("an answer", () => {
  test.each([
    ["without an expiry", {}, LEASE_MS],
    ["with an expiry far away", { expiresAt: inS(3_600) }, LEASE_MS],
    ["that expires in seconds", { expiresAt: inS(4) }, 0],
    ["of some addresses", { allowedIps: ["127.0.0.1"] }, 0],
  ])("leases a key %s for so long", async (_, restrictions, leaseMs) => {
    const { ask } = service();
    const { keyId, secretSha256 } = await storeKey(database, restrictions);
    const addresses = [{ address: "127.0.0.1", count: 1 }];
    const admission = await ask({ secretSha256, count: 1, ahead: 5, addresses });
    expect(admission).toMatchObject({
      keyId,
      leaseMs,
      admitted: leaseMs === 0 ? expect.any(Number) : 6,
    });
  });

  test.each<[string, (key: StoredKey) => Promise<MessageInitShape<typeof AdmissionGroupSchema>>]>([
    [
      "a widget token of a key",
      async (key) => ({ ...(await storeWidgetToken(database, key)), isWidgetToken: true }),
    ],
    [
      "a widget token of a session",
      async (key) => {
        const { personId, sessionId } = await loggedIn(key);
        const maker = { ...key, keyId: personId };
        const token = await storeWidgetToken(database, maker, { sessionId });
        return { ...token, isWidgetToken: true };
      },
    ],
    [
      "an access token",
      async (key) => {
        const secretSha256 = await storeAccessToken(owner, key.accountId, await loggedIn(key));
        return { secretSha256, isAccessToken: true };
      },
    ],
  ])("does not lease %s", async (_, group) => {
    const { ask } = service();
    const admission = await ask({ ...(await group(await storeKey(database))), count: 1 });
    expect(admission).toMatchObject({ admitted: 1 });
    expect(admission).not.toHaveProperty("leaseMs");
  });

  test("counts ahead what the window has room for, without a refusal of what did not come", async () => {
    const { ask, registry } = service();
    const { secretSha256 } = await storeKey(database);
    expect(await ask({ secretSha256, count: 10, ahead: 500 })).toMatchObject({
      admitted: 510,
      remaining: 90,
    });
    expect(await ask({ secretSha256, count: 0, ahead: 80 })).toMatchObject({ admitted: 80 });
    expect(await ask({ secretSha256, count: 4, ahead: 90 })).toMatchObject({ admitted: 10 });
    expect(await ask({ secretSha256, count: 3, ahead: 90 })).toMatchObject({ admitted: 0 });
    const text = await registry.metrics();
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="admitted"[^}]*\} 600\n/);
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="rate_limited"[^}]*\} 3\n/);
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="other_address"[^}]*\} 0\n/);
  });

  test("counts nothing ahead for a key of some addresses, wherever its requests come from", async () => {
    const { ask, registry } = service();
    const { secretSha256 } = await storeKey(database, { allowedIps: ["127.0.0.1"] });
    for (const address of ["127.0.0.1", "127.0.0.2"]) {
      const admitted = address === "127.0.0.1" ? 1 : 0;
      const addresses = [{ address, count: 1 }];
      expect(await ask({ secretSha256, count: 1, ahead: 9, addresses })).toMatchObject({
        admitted,
      });
    }
    const text = await registry.metrics();
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="other_address"[^}]*\} 1\n/);
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="rate_limited"[^}]*\} 0\n/);
  });

  test("is refused beyond a million requests, those ahead included", async () => {
    const { ask } = service();
    const { secretSha256 } = await storeKey(database);
    const refused = { kind: "invalid", faults: [{ field: "groups[0].count" }] };
    await expect(ask({ secretSha256, count: 1, ahead: 1_000_000 })).rejects.toMatchObject(refused);
  });
});

describe("what narrows a key", () => {
  const deps = () => ({ clock, database });
  const context = (keyId: string) =>
    ({ values: { get: () => ({ keyId }) } }) as unknown as HandlerContext;
  const remove = async ({ accountId, keyId: id }: StoredKey) =>
    deleteApiKey(deps())(create(DeleteApiKeyRequestSchema, { accountId, id }), context(id));
  const change = async (
    { accountId, keyId: id }: StoredKey,
    changes: MessageInitShape<typeof UpdateApiKeyRequestSchema>,
  ) => {
    const request = create(UpdateApiKeyRequestSchema, { accountId, id, name: "n", ...changes });
    return updateApiKey(deps())(request, context(id));
  };

  /** Holds the rows of the key and its account; resolves to what commits. */
  async function held({ accountId, keyId }: StoredKey, isRevoked: boolean) {
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const done = database.transaction(async (transaction) => {
      await transaction.run(lockAccount, [accountId]);
      await transaction.run(deleteStatement, [accountId, keyId, clock.nowText(), null]);
      locked.resolve();
      await released.promise;
      if (!isRevoked) throw new Error("undone");
    });
    await locked.promise;
    return async () => {
      released.resolve();
      await done.catch(() => {});
    };
  }

  test.runIf(ON_ONE_SERVER).each<[string, boolean, (key: StoredKey) => Promise<unknown>]>([
    ["a DELETE", false, remove],
    ["a DELETE of a key that another has revoked", true, remove],
    ["a revocation by the operator", false, ({ keyId }) => revokeKey(database, clock, keyId)],
    ["an expiry", false, (key) => change(key, { expiresAt: inS(60) })],
    ["addresses", false, (key) => change(key, { allowedIps: { networks: ["192.0.2.7"] } })],
    [
      "a plan",
      false,
      ({ accountId }) => updateAccount(database, clock, accountId, { plan: "unlimited" }),
    ],
  ])("answers after the leases have ended: %s", async (_, isRevoked, narrow) => {
    const key = await storeKey(database);
    const commit = await held(key, isRevoked);
    const answered = narrow(key).then(
      () => "done",
      (error: { readonly kind?: string }) => error.kind,
    );
    await eventually("it waits for the lock", async () => {
      const text = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await owner.query(text)).length > 0;
    });
    // It can commit only after this.
    const beganMs = performance.now();
    await commit();
    expect(await answered).toBe(isRevoked ? "not_found" : "done");
    expect(performance.now() - beganMs).toBeGreaterThan(LEASE_MS + 40);
  });
});
