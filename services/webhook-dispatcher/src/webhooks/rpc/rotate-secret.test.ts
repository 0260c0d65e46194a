// Guarantee: during the grace period of a rotation a receiver that knows the old secret and one that knows
// the new one both verify deliveries; after it only the new one does, and the old one is erased. The old
// secret moves to a new sealing key as the current one does.

import { CertificateAuthority } from "@annals/certificates";
import { Subscriber } from "@annals/testing";
import { systemClock } from "@annals/contract";
import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { resealAll } from "../../sealing/commands/rotate-sealing-key.ts";
import { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import { AddressGuard } from "../../outbound/address-guard.ts";
import { Sender } from "../../outbound/sender.ts";
import { secretKeysCheck } from "../../sealing/secret-keys-check.ts";
import { FakeTime, KEY_LINE, newReplicaWith, newService } from "../../testing/dispatcher.ts";
import { cleanUp } from "../../deliveries/worker/clean-up.ts";
import { rotateSecret } from "./rotate-secret.ts";

async function begin() {
  const time = new FakeTime();
  const authority = await CertificateAuthority.create();
  const subscriber = await Subscriber.start(authority);
  onTestFinished(() => subscriber.close());
  const service = await newService({ now: time.now });
  const { database, handlers, producers } = service;
  const created = await service.subscribed({ url: "https://example.com/" });
  const { accountId, webhook } = created;
  await database.query("UPDATE webhooks.webhooks SET url = $1", [subscriber.url()]);
  const sender = new Sender({
    guard: new AddressGuard({ resolve: async () => [], allowPrivateAddresses: true }),
    clock: systemClock(),
    timeoutMs: 10_000,
    extraAuthorities: authority.cert,
  });
  onTestFinished(() => sender.close());
  const replica = newReplicaWith(sender, database.pool(), { producers, now: time.now });
  return {
    ...service,
    accountId,
    secret: created.secret,
    time,
    rotate: async (graceSeconds: number) =>
      (
        await handlers.ask<{ secret: string }>(rotateSecret, {
          accountId,
          webhookId: webhook.id,
          graceSeconds,
        })
      ).secret,
    /** Which of the secrets verify the next delivery, by each header. */
    verifiedBy: async (secrets: readonly string[]) => {
      await replica.produce(accountId);
      await replica.engine.round();
      await replica.engine.settled();
      const { body, headers } = subscriber.received.at(-1) ?? expect.fail("nothing came");
      const isVerified = (secret: string) => {
        try {
          new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
          return true;
        } catch {
          return false;
        }
      };
      const signatures = secrets.map((secret) =>
        createHmac("sha256", secret).update(body).digest("hex"),
      );
      return {
        standard: secrets.map(isVerified),
        service: signatures.map((hex) => hex === headers["x-service-signature"]),
      };
    },
  };
}

test("both secrets during the grace period, the new one after it", async () => {
  const { database, rotate, secret, time, verifiedBy } = await begin();
  const fresh = await rotate(60);
  const both = [secret, fresh];
  expect(await verifiedBy(both)).toEqual({ standard: [true, true], service: [true, false] });
  time.advance(59);
  expect(await verifiedBy(both)).toEqual({ standard: [true, true], service: [true, false] });
  time.advance(1);
  expect(await verifiedBy(both)).toEqual({ standard: [false, true], service: [false, true] });
  await cleanUp({ database: database.pool(), now: time.now, retentionDays: 30 });
  expect(
    await database.query(
      "SELECT previous_secret_key_id, previous_secret_sealed FROM webhooks.webhooks",
    ),
  ).toEqual([{ previous_secret_key_id: null, previous_secret_sealed: null }]);
});

test("without a grace period the old secret is no longer valid", async () => {
  const { rotate, secret, verifiedBy } = await begin();
  const fresh = await rotate(0);
  const verified = await verifiedBy([secret, fresh]);
  expect(verified).toEqual({ standard: [false, true], service: [false, true] });
});

test("a second rotation ends the grace period of the first", async () => {
  const { rotate, secret, verifiedBy } = await begin();
  const [second, third] = [await rotate(60), await rotate(60)];
  const { standard } = await verifiedBy([secret, second, third]);
  expect(standard).toEqual([false, true, true]);
});

test("a new sealing key seals the old secret again, too", async () => {
  const { accountId, database, rotate, secret } = await begin();
  await rotate(60);
  const line = `test-2:${randomBytes(32).toString("base64")}`;
  const pool = database.pool();
  const onlyNew = secretKeysCheck(pool, new SecretKeys(line));
  expect(await onlyNew()).toContain("test-1");
  expect(await resealAll(pool, new SecretKeys(`${line}\n${KEY_LINE}`))).toBe(2);
  expect(await onlyNew()).toBeUndefined();
  const [row] = await database.query<{ id: string; keyId: string; bytes: Buffer }>(
    `SELECT id, previous_secret_key_id AS "keyId", previous_secret_sealed AS bytes FROM webhooks.webhooks`,
  );
  if (!row) throw new Error("there is no webhook");
  expect(new SecretKeys(line).open(row, { accountId, webhookId: row.id })).toBe(secret);
});
