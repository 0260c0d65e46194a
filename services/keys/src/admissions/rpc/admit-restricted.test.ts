// Guarantees: a key is admitted until its expiry by the database's clock and not after it, however it was
// admitted before, and its statement ends with it; a key that may be used from some addresses alone is
// admitted and counted for requests from these alone; a widget token ends with its key.

import { createRegistry } from "@annals/chassis";
import { ComparedClock, formatMicros, parseKeyFile, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { AdmitRequestsRequestSchema } from "@annals/proto/keys";
import { AdmissionSigner, AdmissionVerifier } from "@annals/rpc";
import type { TestDatabase } from "@annals/testing";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UNLIMITED_PLANS } from "../../accounts/rules/plan.ts";
import { createMetrics } from "../../metrics.ts";
import { migratedDatabase, storeKey, storeWidgetToken } from "../../testing/database.ts";
import { IDENTITIES } from "../../testing/people.ts";
import { LastUses } from "../last-uses.ts";
import { RefusedAdmissions } from "../refused-admissions.ts";
import { admitRequests } from "./admit-requests.ts";

const LIMIT = 10;
const secrets = parseKeyFile(`one:${randomBytes(32).toString("base64")}`);
const clock = systemClock();
const compared = new ComparedClock(clock);

let owner: TestDatabase;
let database: Pool;

beforeAll(async () => {
  ({ owner, service: database } = await migratedDatabase(afterAll));
});

interface Asked {
  readonly secretSha256: Uint8Array;
  readonly count?: number;
  readonly isWidgetToken?: boolean;
  /** Addresses, with the number of requests from each. */
  readonly from?: Readonly<Record<string, number>>;
}

function service() {
  const registry = createRegistry("keys");
  const refused = new RefusedAdmissions({ clock, database });
  const handle = admitRequests({
    admissions: new AdmissionSigner({ secrets, clock }),
    clock: compared,
    database,
    metrics: createMetrics(registry),
    plans: UNLIMITED_PLANS,
    rateLimitPerMinute: LIMIT,
    logRateLimitPerMinute: LIMIT,
    intakeRateLimitPerMinute: LIMIT,
    widgetRateLimitPerMinute: LIMIT,
    personRateLimitPerMinute: 7,
    identities: IDENTITIES,
    refused,
    lastUses: new LastUses({ clock, database }),
  });
  const call = async (...asked: readonly Asked[]) => {
    const groups = asked.map(({ from = {}, ...group }) => {
      const addresses = Object.entries(from).map(([address, count]) => ({ address, count }));
      const total = addresses.reduce((sum, { count }) => sum + count, 0);
      return { count: total || 1, ...group, addresses };
    });
    const request = create(AdmitRequestsRequestSchema, { groups });
    return (await handle(request, {} as HandlerContext)).admissions ?? [];
  };
  return { call, refused, registry };
}

const usedOf = async (keyId: string) =>
  (await owner.query("SELECT used FROM keys.rate_windows WHERE key_id = $1", [keyId]))[0]?.["used"];

/** A time of the database, that many milliseconds from now. */
async function databaseTime(ms: number): Promise<string> {
  const [row] = await owner.query<{ at: string }>(
    `SELECT to_char((clock_timestamp() + $1 * interval '1 ms') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`,
    [ms],
  );
  return row?.at ?? "";
}

describe("an expiry", () => {
  test("ends a key at its instant, although it was admitted a moment before", async () => {
    const { call } = service();
    const expiresAt = await databaseTime(500);
    const { secretSha256 } = await storeKey(database, { expiresAt });
    const seen = { before: 0, after: 0 };
    while (seen.after === 0) {
      const began = await databaseTime(0);
      const [admission] = await call({ secretSha256, count: 0 });
      const ended = await databaseTime(0);
      if (ended < expiresAt) {
        expect(admission).toMatchObject({ scopes: expect.arrayContaining(["verify"]) });
        seen.before += 1;
      } else if (began >= expiresAt) {
        expect(admission).toEqual({});
        seen.after += 1;
      }
    }
    expect(seen.before).toBeGreaterThan(0);
  });

  test("ends the statement of the key, and of its widget tokens", async () => {
    const { call } = service();
    const expiresAt = formatMicros(clock.nowMicros() + 20_000_000);
    const key = await storeKey(database, { expiresAt });
    const token = await storeWidgetToken(database, key);
    const admissions = await call(
      { secretSha256: key.secretSha256 },
      { secretSha256: token.secretSha256, isWidgetToken: true },
    );
    for (const [index, scope] of (["verify", "widget"] as const).entries()) {
      const needed = { accountId: key.accountId, scope };
      const verifyAt = (s: number) => {
        const at = { nowMicros: () => clock.nowMicros() + s * 1_000_000 };
        return new AdmissionVerifier({ secrets, clock: at }).verify(
          admissions[index]?.statement ?? "",
          needed,
        );
      };
      expect(verifyAt(0)).toMatchObject({ accountId: key.accountId });
      // 20 seconds, 10 by which clocks may differ, and 1 of rounding.
      expect(() => verifyAt(32)).toThrow(/expired/);
    }
  });

  test("ends the widget tokens of the key", async () => {
    const { call } = service();
    const key = await storeKey(database, { expiresAt: await databaseTime(60_000) });
    const { secretSha256, id } = await storeWidgetToken(database, key);
    const asked = { secretSha256, isWidgetToken: true };
    expect(await call(asked)).toMatchObject([{ keyId: id }]);
    await owner.query("UPDATE keys.api_keys SET expires_at = $2 WHERE id = $1", [
      key.keyId,
      await databaseTime(-1),
    ]);
    expect(await call(asked)).toEqual([{}]);
  });
});

describe("a list of addresses", () => {
  test.each([
    [["192.0.2.7"], { "192.0.2.7": 2, "192.0.2.8": 3 }, 2],
    [["192.0.2.7/32", "2001:db8::/64"], { "2001:db8::ffff": 1, "2001:db8:0:1::": 1 }, 1],
    [["0.0.0.0/0"], { "255.255.255.255": 1, "::1": 1 }, 1],
    [["::/0"], { "255.255.255.255": 1, "::1": 1 }, 1],
    [["2001:db8::7/128"], { "2001:db8::7": 1, "2001:db8::6": 1 }, 1],
    [["10.0.0.0/8"], { "10.0.0.0": 1, "10.255.255.255": 1, "11.0.0.0": 1, "9.255.255.255": 1 }, 2],
  ])("%j admits and counts of %j only %i", async (allowedIps, from, admitted) => {
    const { call } = service();
    const { keyId, secretSha256 } = await storeKey(database, { allowedIps });
    expect(await call({ secretSha256, from })).toMatchObject([
      { keyId, admitted, remaining: LIMIT - admitted, allowedIps: expect.any(Array) },
    ]);
    expect(await usedOf(keyId)).toBe(admitted);
  });

  test("gives no statement, and does not count, where no request is from one of them", async () => {
    const { call, refused, registry } = service();
    const key = await storeKey(database, { allowedIps: ["192.0.2.7"] });
    const { keyId, secretSha256 } = key;
    const wrong = [{ "192.0.2.8": 4 }, {}, { "::1": 1 }];
    for (const from of wrong)
      expect(await call({ secretSha256, from })).toMatchObject([
        { keyId, allowedIps: ["192.0.2.7"], admitted: 0, remaining: LIMIT },
      ]);
    for (const from of wrong)
      expect((await call({ secretSha256, from }))[0]).not.toHaveProperty("statement");
    expect(await usedOf(keyId)).toBeUndefined();
    expect(await call({ secretSha256, count: 0, from: { "192.0.2.7": 0 } })).toMatchObject([
      { statement: expect.any(String) },
    ]);
    const text = await registry.metrics();
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="other_address"[^}]*\} 12\n/);
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="rate_limited"[^}]*\} 0\n/);
    await refused.write();
    const [{ event } = { event: "" }] = await owner.query<{ event: string }>(
      "DELETE FROM keys.audit_outbox WHERE account_id = 'acct_system' RETURNING event",
    );
    expect(JSON.parse(event).metadata).toMatchObject({
      counts: { other_address: 12 },
      keys: [{ account_id: key.accountId, key_id: keyId, count: 12 }],
    });
  });

  test("leaves the other keys of the group alone, and widget tokens of the key", async () => {
    const { call } = service();
    const key = await storeKey(database, { allowedIps: ["192.0.2.7"] });
    const other = await storeKey(database);
    const token = await storeWidgetToken(database, key);
    const from = { "198.51.100.1": 1 };
    const asked = [
      { secretSha256: key.secretSha256, from },
      { secretSha256: other.secretSha256, from },
      { secretSha256: token.secretSha256, isWidgetToken: true },
    ];
    expect(await call(...asked)).toMatchObject([
      { admitted: 0 },
      { admitted: 1, allowedIps: [] },
      { admitted: 1 },
    ]);
  });

  test.each([
    [{ "192.0.2.7,::1": 1 }, "groups[0].addresses"],
    [{ "": 1 }, "groups[0].addresses"],
    [{ "192.0.2.0/24": 1 }, "groups[0].addresses"],
    [{ "::ffff:192.0.2.7": 1 }, "groups[0].addresses"],
    [{ "fe80::1%eth0": 1 }, "groups[0].addresses"],
    [
      Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`::${n.toString(16)}`, 1])),
      "groups.addresses",
    ],
  ])("is not compared with %j", async (from, field) => {
    const { call } = service();
    const { secretSha256 } = await storeKey(database);
    const refused = { kind: "invalid", faults: [{ field }] };
    await expect(call({ secretSha256, from })).rejects.toMatchObject(refused);
  });
});
