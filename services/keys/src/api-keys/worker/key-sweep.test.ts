// Guarantees: a revoked key ends after its retention and not before; a live key, and one whose secret an
// operator gave, never does, so that no revoked secret becomes valid again; a widget token ends an hour after
// it has expired; a rate window ends only when its key was not used for a day. With a real PostgreSQL, the
// service's own rights and a controlled clock.

import { formatMicros, mintKey } from "@annals/contract";
import { statement } from "@annals/postgres";
import { asDatabaseClock } from "@annals/testing";
import { beforeEach, expect, test } from "vitest";
import { admitRequests } from "../../admissions/store/admit-requests.ts";
import { deleteApiKey } from "../../store/delete-api-key.ts";
import {
  migratedDatabase,
  runMigrate,
  storeKey,
  storeWidgetToken,
} from "../../testing/database.ts";
import { type KeySweepDeps, sweepKeys } from "./key-sweep.ts";

const RETENTION_DAYS = 400;
const MICROS_PER_DAY = 86_400_000_000;
const REVOKED = Date.UTC(2026, 0, 1) * 1000;

let opened: Awaited<ReturnType<typeof migratedDatabase>>;

beforeEach(async () => {
  opened = await migratedDatabase();
});

/** Days after {@link REVOKED}. Resolves to what was swept. */
async function sweepAt(days: number, options: Partial<KeySweepDeps> = {}) {
  const nowMicros = () => REVOKED + days * MICROS_PER_DAY;
  const clock = asDatabaseClock({ nowMicros, nowText: () => formatMicros(nowMicros()) });
  const swept: Record<string, number> = {};
  const inc = ({ kind }: { kind?: string | number } = {}, count = 1) => {
    swept[String(kind)] = (swept[String(kind)] ?? 0) + count;
  };
  await sweepKeys({
    clock,
    database: opened.service,
    swept: { inc: inc as KeySweepDeps["swept"]["inc"] },
    retentionDays: RETENTION_DAYS,
    ...options,
  });
  return swept;
}

async function revoked(): Promise<string> {
  const { accountId, keyId } = await storeKey(opened.service);
  await opened.service.run(deleteApiKey, [accountId, keyId, formatMicros(REVOKED), null]);
  return keyId;
}

const keyIds = async () =>
  (await opened.owner.query<{ id: string }>("SELECT id FROM keys.api_keys")).map(({ id }) => id);

test("a revoked key ends after its retention and not before; live ones stay", async () => {
  const live = await storeKey(opened.service);
  const key = await revoked();
  expect(await sweepAt(399.9)).toEqual({});
  expect(await keyIds()).toContain(key);
  expect(await sweepAt(400.1)).toEqual({ revoked_keys: 1 });
  expect(await keyIds()).toEqual([live.keyId]);
});

test("an expired key becomes one that was revoked at its expiry, an hour later, and by no other clock", async () => {
  const { owner, service } = opened;
  const expiresAt = formatMicros(REVOKED);
  const live = await storeKey(service);
  const later = await storeKey(service, { expiresAt: "2250-01-01T00:00:00.000000Z" });
  const expired = await storeKey(service, { expiresAt });
  const marked = () =>
    owner.query("SELECT id, revoked_at FROM keys.api_keys WHERE revoked_at IS NOT NULL");
  expect(await sweepAt(0.99 / 24)).toEqual({});
  expect(await marked()).toEqual([]);
  expect(await sweepAt(1.01 / 24)).toEqual({ expired_keys: 1 });
  expect(await marked()).toEqual([{ id: expired.keyId, revoked_at: expiresAt }]);
  // The clock of this process is ahead by two centuries, that of the database is not.
  expect(await sweepAt(82_500)).toEqual({ revoked_keys: 1 });
  expect((await keyIds()).toSorted()).toEqual([live.keyId, later.keyId].toSorted());
});

test("with a retention of 0 revoked keys are kept", async () => {
  const key = await revoked();
  expect(await sweepAt(36_500, { retentionDays: 0 })).toEqual({});
  expect(await keyIds()).toEqual([key]);
});

test("more than one statement takes, by several replicas at once", async () => {
  for (let made = 0; made < 600; made += 1) await revoked();
  const counts = await Promise.all([sweepAt(401), sweepAt(401)]);
  expect(counts.reduce((sum, each) => sum + (each["revoked_keys"] ?? 0), 0)).toBe(600);
  expect(await keyIds()).toEqual([]);
});

test("a revoked bootstrap key never becomes valid again, whatever the service is given", async () => {
  const { owner } = opened;
  const given = mintKey("annals");
  await runMigrate(owner.url, { ANNALS_BOOTSTRAP_KEY: given });
  await owner.query("UPDATE keys.api_keys SET revoked_at = $1", [formatMicros(REVOKED)]);
  expect(await sweepAt(36_500)).toEqual({});
  await runMigrate(owner.url, { ANNALS_BOOTSTRAP_KEY: given });
  const live = await owner.query("SELECT id FROM keys.api_keys WHERE revoked_at IS NULL");
  expect(live).toEqual([]);
});

test("nor does a key of the interface that an operator gives as the bootstrap key", async () => {
  const { owner, service } = opened;
  const given = mintKey("annals");
  await storeKey(service, { secret: given });
  await owner.query("UPDATE keys.api_keys SET revoked_at = $1", [formatMicros(REVOKED)]);
  await runMigrate(owner.url, { ANNALS_BOOTSTRAP_KEY: given });
  expect(await sweepAt(36_500)).toEqual({});
  await runMigrate(owner.url, { ANNALS_BOOTSTRAP_KEY: given });
  expect(await owner.query("SELECT id FROM keys.api_keys WHERE revoked_at IS NULL")).toEqual([]);
});

test("the database refuses the service to delete a live key, or one that an operator gave", async () => {
  const { owner, service } = opened;
  await storeKey(service);
  const remove = statement<[], never>("/* keys.remove */ DELETE FROM keys.api_keys", {
    route: "local",
  });
  await expect(service.run(remove, [])).rejects.toMatchObject({ code: "42501" });
  await owner.query("UPDATE keys.api_keys SET revoked_at = '2020', is_minted = false");
  await expect(service.run(remove, [])).rejects.toMatchObject({ code: "42501" });
  await owner.query("UPDATE keys.api_keys SET is_minted = true");
  await service.run(remove, []);
  expect(await keyIds()).toEqual([]);
});

test("an expired widget token is deleted an hour later, by several replicas at once; live ones stay", async () => {
  const { owner, service } = opened;
  const MICROS_PER_HOUR = MICROS_PER_DAY / 24;
  const key = await storeKey(service);
  for (let made = 0; made < 600; made += 1)
    await storeWidgetToken(service, key, { expiresAt: formatMicros(REVOKED) });
  const live = await storeWidgetToken(service, key, {
    expiresAt: formatMicros(REVOKED + MICROS_PER_HOUR),
  });
  expect(await sweepAt(0.99 / 24)).toEqual({});
  const counts = await Promise.all([sweepAt(1.01 / 24), sweepAt(1.01 / 24)]);
  expect(counts.reduce((sum, each) => sum + (each["widget_tokens"] ?? 0), 0)).toBe(600);
  expect(await owner.query("SELECT id FROM keys.widget_tokens")).toEqual([{ id: live.id }]);
});

test("the window of a key that was not used for a day ends; one in use stays and counts on", async () => {
  const { owner, service } = opened;
  const [idle, used] = [await storeKey(service), await storeKey(service)];
  const admit = (secret: Uint8Array) =>
    service.run(admitRequests, [
      ...([[secret], [1], 100, [], [], 1_000, "", ""] as const),
      ["{}"],
      ["{}"],
    ]);
  await admit(idle.secretSha256);
  await admit(used.secretSha256);
  await owner.query(
    "UPDATE keys.rate_windows SET started_at = now() - interval '25 hours' WHERE key_id = $1",
    [idle.keyId],
  );
  expect(await sweepAt(0)).toEqual({ rate_windows: 1 });
  expect(await admit(used.secretSha256)).toMatchObject([{ used: 2 }]);
  expect(await admit(idle.secretSha256)).toMatchObject([{ used: 1 }]);
});
