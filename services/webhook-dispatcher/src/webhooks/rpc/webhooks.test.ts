// Guarantee: the number of webhooks of a plan is exact under concurrent requests; secrets move to a new
// sealing key while the service runs; the database role of the service has no more rights than it needs.

import { randomBytes } from "node:crypto";
import { AnnalsError } from "@annals/errors";
import { lostServer } from "@annals/testing";
import { describe, expect, test } from "vitest";
import { resealAll } from "../../sealing/commands/rotate-sealing-key.ts";
import { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import { secretKeysCheck } from "../../sealing/secret-keys-check.ts";
import { KEY_LINE, newAccountId, newDatabase, newHandlers } from "../../testing/dispatcher.ts";
import { FakeProducers } from "../../testing/fake-producers.ts";

describe("max_webhooks", () => {
  test("of 30 concurrent requests on 3 replicas as many succeed as the plan allows", async () => {
    const database = await newDatabase();
    const producers = new FakeProducers();
    const replicas = [1, 2, 3].map(() => newHandlers(database.pool(), producers));
    const accountId = newAccountId();
    const made = await Promise.allSettled(
      Array.from({ length: 30 }, async (_, i) =>
        replicas[i % 3]?.create(accountId, { maxWebhooks: 7 }),
      ),
    );
    const refused = made
      .filter((one) => one.status === "rejected")
      .map(({ reason }) => reason as AnnalsError);
    expect(refused.length).toBe(23);
    for (const error of refused) {
      expect(error).toMatchObject({
        kind: "plan_count_exceeded",
        message: "The plan of this account allows 7 webhooks.",
      });
    }
    expect(await database.query("SELECT count(*) AS n FROM webhooks.webhooks")).toEqual([
      { n: "7" },
    ]);
  });

  test("a deleted one frees capacity, a disabled one does not, other accounts do not count", async () => {
    const database = await newDatabase();
    const { create, delete: remove, update } = newHandlers(database.pool(), new FakeProducers());
    const [accountId, other] = [newAccountId(), newAccountId()];
    const { webhook } = await create(accountId, { maxWebhooks: 1 });
    await create(other, { maxWebhooks: 1 });
    await update(accountId, webhook.id, { active: false });
    await expect(create(accountId, { maxWebhooks: 1 })).rejects.toMatchObject({
      kind: "plan_count_exceeded",
    });
    await remove(accountId, webhook.id);
    await create(accountId, { maxWebhooks: 1 });
    await create(accountId);
  });
});

describe("rotation", () => {
  test("a replica that has passed the check stays ready while a server is away", async () => {
    const pool = (await newDatabase()).pool();
    const lost = new Set<string>();
    const run = lostServer<typeof pool.run>((...given) => pool.run(...given), lost);
    const [passed, fresh] = [0, 1].map(() => secretKeysCheck({ run }, new SecretKeys(KEY_LINE)));
    expect(await passed?.()).toBeUndefined();
    lost.add(newAccountId());
    expect(await passed?.()).toBeUndefined();
    await expect(fresh?.()).rejects.toThrow("a server is away");
  });

  test("seals every secret with the new key, and the old key is no longer needed", async () => {
    const database = await newDatabase();
    const { create } = newHandlers(database.pool(), new FakeProducers());
    const accountId = newAccountId();
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await create(accountId));
    const newLine = `test-2:${randomBytes(32).toString("base64")}`;
    const fresh = new SecretKeys(newLine);
    const both = new SecretKeys(`${newLine}\n${KEY_LINE}`);
    expect(await secretKeysCheck(database.pool(), fresh)()).toBe(
      "the key file lacks test-1, which has sealed signing secrets",
    );
    await expect(resealAll(database.pool(), fresh)).rejects.toThrow("test-1");
    expect(await resealAll(database.pool(), both)).toBe(5);
    expect(await resealAll(database.pool(), both)).toBe(0);
    expect(await secretKeysCheck(database.pool(), fresh)()).toBeUndefined();
    const rows = await database.query<{ id: string; secret_key_id: string; secret_sealed: Buffer }>(
      "SELECT id, secret_key_id, secret_sealed FROM webhooks.webhooks",
    );
    for (const { id, secret_key_id: keyId, secret_sealed: bytes } of rows) {
      const { secret } = made.find(({ webhook }) => webhook.id === id) ?? {};
      expect(fresh.open({ keyId, bytes }, { accountId, webhookId: id })).toBe(secret);
    }
  });
});

test("the role cannot change anything but its tables", async () => {
  const database = await newDatabase();
  const run = (text: string) =>
    database.pool().run({ name: "test.rights", text, route: "local", customPlan: true }, []);
  for (const text of [
    "DROP TABLE webhooks.webhooks",
    "TRUNCATE webhooks.deliveries",
    "DELETE FROM webhooks.cursors",
    "DELETE FROM webhooks.migrations",
    "ALTER TABLE webhooks.deliveries ADD COLUMN x int",
    "CREATE TABLE webhooks.more (x int)",
  ]) {
    await expect(run(text)).rejects.toMatchObject({ code: "42501" });
  }
});
