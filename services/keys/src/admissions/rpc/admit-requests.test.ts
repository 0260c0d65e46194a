// Guarantees: AdmitRequests answers every group in order, a client's many waiting requests count one by one,
// outcomes are counted in the metrics, and a call that is malformed or beyond bounds is refused by name.

import { createRegistry } from "@annals/chassis";
import { keyHash, mintKey, parseKeyFile, SCOPES, systemClock } from "@annals/contract";
import { AdmissionSigner, AdmissionVerifier } from "@annals/rpc";
import { create, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { AdmitRequestsRequestSchema, RateWindow } from "@annals/proto/keys";
import { EventFilterSchema } from "@annals/proto/ledger";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  migratedDatabase,
  storeKey,
  storeWidgetToken,
  UNCOMPARED,
} from "../../testing/database.ts";
import { IDENTITIES } from "../../testing/people.ts";
import { UNLIMITED_PLANS } from "../../accounts/rules/plan.ts";
import { createMetrics } from "../../metrics.ts";
import { deleteApiKey } from "../../store/delete-api-key.ts";
import { LastUses } from "../last-uses.ts";
import { RefusedAdmissions } from "../refused-admissions.ts";
import { admitRequests } from "./admit-requests.ts";

type Groups = {
  secretSha256: Uint8Array;
  count: number;
  isWidgetToken?: boolean;
  window?: RateWindow;
}[];

const clock = systemClock();
const secrets = parseKeyFile(`one:${randomBytes(32).toString("base64")}`);
const signer = new AdmissionSigner({ secrets, clock });
const verifier = new AdmissionVerifier({ secrets, clock });

let owner: TestDatabase;
let database: Pool;

beforeAll(async () => {
  ({ owner, service: database } = await migratedDatabase(afterAll));
});

function service(rateLimitPerMinute = 10) {
  const registry = createRegistry("keys");
  const refused = new RefusedAdmissions({ clock, database });
  const handle = admitRequests({
    admissions: signer,
    clock: UNCOMPARED,
    database,
    metrics: createMetrics(registry),
    plans: UNLIMITED_PLANS,
    rateLimitPerMinute,
    logRateLimitPerMinute: 10 * rateLimitPerMinute,
    intakeRateLimitPerMinute: 12 * rateLimitPerMinute,
    widgetRateLimitPerMinute: rateLimitPerMinute + 2,
    personRateLimitPerMinute: 7,
    identities: IDENTITIES,
    refused,
    lastUses: new LastUses({ clock, database }),
  });
  const call = (groups: Groups) =>
    handle(create(AdmitRequestsRequestSchema, { groups }), {} as HandlerContext);
  return { registry, call, refused };
}

describe("answers", () => {
  test("each group in order, an unknown one empty", async () => {
    const { call } = service();
    const key = await storeKey(database, { scopes: ["verify"] });
    const { admissions, limit } = await call([
      { secretSha256: keyHash(mintKey("annals")), count: 4 },
      { secretSha256: key.secretSha256, count: 12 },
    ]);
    expect(limit).toBe(10);
    expect(admissions).toEqual([
      {},
      expect.objectContaining({
        accountId: key.accountId,
        keyId: key.keyId,
        scopes: ["verify"],
        admitted: 10,
        remaining: 0,
        windowEndsInS: 60,
      }),
    ]);
  });

  test("remaining never goes below zero when the limit was lowered", async () => {
    const { call } = service(3);
    const { secretSha256, accountId, keyId } = await storeKey(database);
    await call([{ secretSha256, count: 3 }]);
    const { admissions } = await service(1).call([{ secretSha256, count: 1 }]);
    expect(admissions?.[0]).toMatchObject({ accountId, keyId, admitted: 0, remaining: 0 });
  });

  test("a statement of the key, that the other services verify", async () => {
    const { call } = service();
    const key = await storeKey(database, { scopes: ["verify"] });
    const { admissions: [one] = [] } = await call([{ secretSha256: key.secretSha256, count: 1 }]);
    const needed = { accountId: key.accountId, scope: "verify" } as const;
    expect(verifier.verify(one?.statement ?? "", needed)).toMatchObject({ keyId: key.keyId });
  });

  test("of keys and widget tokens together, each by its own window; a token for a key admits no request", async () => {
    const { call } = service();
    const key = await storeKey(database);
    const filter = create(EventFilterSchema, { actions: ["a"] });
    const token = await storeWidgetToken(database, key, {
      filter: toBinary(EventFilterSchema, filter),
    });
    const { secretSha256 } = await storeWidgetToken(database, key);
    const { admissions: [first, second, third, fourth] = [] } = await call([
      { secretSha256: token.secretSha256, count: 20, isWidgetToken: true },
      { secretSha256: key.secretSha256, count: 20 },
      { secretSha256, count: 1 },
      { secretSha256: keyHash("unknown"), count: 1, isWidgetToken: true },
    ]);
    const widget = { limit: 12, origins: ["https://app.example.com"], viewerId: "u_7" };
    const ofToken = { accountId: key.accountId, keyId: token.id, scopes: ["widget"] };
    expect(first).toMatchObject({ ...ofToken, admitted: 12, remaining: 0, widget });
    expect(second).toMatchObject({ keyId: key.keyId, admitted: 10, remaining: 0 });
    expect([third, fourth]).toEqual([{}, {}]);
    const needed = { accountId: key.accountId, scope: "widget" } as const;
    const admitted = verifier.verify(first?.statement ?? "", needed);
    expect(admitted?.widget).toMatchObject({ filter: { actions: ["a"] }, parts: ["diff"] });
    for (const scope of SCOPES) {
      const asKey = () => verifier.verify(first?.statement ?? "", { ...needed, scope });
      expect(asKey).toThrow(/lacks the scope/);
      expect(() => verifier.verify(second?.statement ?? "", needed)).toThrow(/lacks the scope/);
    }
  });

  test("of the log by a window of its own, which the account's window counts, too", async () => {
    const { call } = service();
    const key = await storeKey(database);
    const { secretSha256 } = key;
    const answered = await call([
      { secretSha256, count: 4 },
      { secretSha256, count: 150, window: RateWindow.LOG },
    ]);
    expect(answered).toMatchObject({ limit: 10, logLimit: 100 });
    const [ofRequests, ofLog] = answered.admissions ?? [];
    expect(ofRequests).toMatchObject({ keyId: key.keyId, admitted: 4, remaining: 6 });
    expect(ofLog).toMatchObject({ keyId: key.keyId, admitted: 100, remaining: 0 });
    const { admissions: [last] = [] } = await call([{ secretSha256, count: 7 }]);
    expect(last).toMatchObject({ admitted: 6, remaining: 0, accountWindow: { used: 110 } });
    const rows = await owner.query(
      "SELECT key_id, used FROM keys.rate_windows WHERE account_id = $1 ORDER BY key_id",
      [key.accountId],
    );
    expect(rows).toEqual([
      { key_id: key.keyId, used: 10 },
      { key_id: `${key.keyId}/log`, used: 100 },
    ]);
  });

  test("a widget token is valid until it expires, and no longer than its key", async () => {
    const { call } = service();
    const key = await storeKey(database);
    const past = await storeWidgetToken(database, key, { expiresAt: clock.nowText() });
    const live = await storeWidgetToken(database, key);
    const groups = [past, live].map(({ secretSha256 }) => ({
      secretSha256,
      count: 1,
      isWidgetToken: true,
    }));
    expect((await call(groups)).admissions).toMatchObject([{}, { keyId: live.id, admitted: 1 }]);
    expect((await call(groups)).admissions?.[0]).toEqual({});
    await database.run(deleteApiKey, [key.accountId, key.keyId, clock.nowText(), null]);
    expect((await call(groups)).admissions).toEqual([{}, {}]);
  });

  test("the count 0 says whether the key is valid, and neither counts nor begins a window", async () => {
    const { call } = service(1);
    const { secretSha256, accountId, keyId } = await storeKey(database);
    const windows = () =>
      owner.query("SELECT used FROM keys.rate_windows WHERE key_id = $1", [keyId]);
    const asked = () => call([{ secretSha256, count: 0 }]);
    expect((await asked()).admissions).toMatchObject([{ accountId, admitted: 0 }]);
    expect(await windows()).toEqual([]);
    await call([{ secretSha256, count: 1 }]);
    expect((await asked()).admissions).toMatchObject([{ accountId, admitted: 0 }]);
    expect(await windows()).toEqual([{ used: 1 }]);
    await database.run(deleteApiKey, [accountId, keyId, clock.nowText(), null]);
    expect((await asked()).admissions).toEqual([{}]);
  });

  test("counts outcomes", async () => {
    const { call, registry } = service();
    const { secretSha256 } = await storeKey(database);
    await call([
      { secretSha256, count: 12 },
      { secretSha256: keyHash("unknown"), count: 5 },
    ]);
    const text = await registry.metrics();
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="admitted"[^}]*\} 10\n/);
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="rate_limited"[^}]*\} 2\n/);
    expect(text).toMatch(/annals_admissions_total\{[^}]*outcome="unknown_key"[^}]*\} 5\n/);
  });
});

describe("what was refused", () => {
  test("is one entry of the audit however much it was, and none where nothing was", async () => {
    const { call, refused } = service();
    const entries = () =>
      owner.query<{ event: string }>(
        "DELETE FROM keys.audit_outbox WHERE account_id = 'acct_system' RETURNING event",
      );
    await refused.write();
    expect(await entries()).toEqual([]);
    const keys = await Promise.all(Array.from({ length: 101 }, () => storeKey(database)));
    await call([{ secretSha256: keyHash("unknown"), count: 7 }]);
    for (let round = 0; round < 2; round += 1)
      await call(keys.map(({ secretSha256 }) => ({ secretSha256, count: 12 })));
    await refused.write();
    await refused.write();
    const [{ event } = { event: "" }, ...others] = await entries();
    expect(others).toEqual([]);
    const { action, metadata } = JSON.parse(event);
    expect(action).toBe("annals.admission.refused");
    expect(metadata.counts).toEqual({
      unknown_key: 7,
      rate_limited: 101 * 14,
      other_address: 0,
    });
    // Of so many keys a hundred are counted and a few named: the entry has a bound.
    expect(metadata.keys).toHaveLength(4);
    expect(metadata.further_keys).toBe(96);
    expect(event.length).toBeLessThan(768);
    const [{ accountId, keyId } = { accountId: "", keyId: "" }] = keys;
    expect(metadata.keys[0]).toEqual({ account_id: accountId, key_id: keyId, count: 14 });
  });
});

describe("refuses", () => {
  const hashes = (count: number) => Array.from({ length: count }, (_, n) => keyHash(`${n}`));

  test.each<[string, string, Groups]>([
    [
      "a hash of 31 bytes",
      "groups[0].secret_sha256",
      [{ secretSha256: new Uint8Array(31), count: 1 }],
    ],
    ["no hash", "groups[0].secret_sha256", [{ secretSha256: new Uint8Array(), count: 1 }]],
    [
      "a count beyond a million",
      "groups[0].count",
      [{ secretSha256: keyHash("a"), count: 1_000_001 }],
    ],
    [
      "a secret twice",
      "groups",
      [keyHash("a"), keyHash("a")].map((secretSha256) => ({ secretSha256, count: 1 })),
    ],
    [
      "a secret twice in the window of the log",
      "groups",
      [1, 2].map((count) => ({ secretSha256: keyHash("a"), count, window: RateWindow.LOG })),
    ],
    [
      "a widget token twice, whatever the window",
      "groups",
      [RateWindow.LOG, RateWindow.UNSPECIFIED].map((window) => ({
        secretSha256: keyHash("a"),
        count: 1,
        isWidgetToken: true,
        window,
      })),
    ],
    ["1,001 groups", "groups", hashes(1_001).map((secretSha256) => ({ secretSha256, count: 1 }))],
  ])("%s", async (_, field, groups) => {
    const { call } = service();
    const before = await owner.query("SELECT used FROM keys.rate_windows");
    await expect(call(groups)).rejects.toMatchObject({ kind: "invalid", faults: [{ field }] });
    expect(await owner.query("SELECT used FROM keys.rate_windows")).toEqual(before);
  });

  test("but takes 1,000 groups and no group", async () => {
    const { call } = service();
    const groups = hashes(1_000).map((secretSha256) => ({ secretSha256, count: 1 }));
    expect((await call(groups)).admissions).toHaveLength(1_000);
    expect((await call([])).admissions).toEqual([]);
  });
});
