// A key, a webhook, a sink, a hold or a search that is created again with its Idempotency-Key is created
// once. The retry gets what the first request created, without its secret (docs/interface.md). The key never
// stands for another request.

import { SCOPES } from "@annals/contract";
import { jsonSha256, type JsonValue } from "@annals/event";
import { HttpClient, newAccount, newKey, ownerOf, type TestAccount } from "@annals/testing";
import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { SECRET } from "../sinks/sink-bodies.ts";
import { FORMS, objectOf } from "./creation-forms.ts";

const { baseUrl, databaseUrl } = inject("stack");
const owner = ownerOf(databaseUrl);
let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
});
afterAll(() => owner.close());

const send = (path: string, body: unknown, key: string, as = client) =>
  as.post(path, body, { headers: { "idempotency-key": key } });

const count = async (table: string): Promise<number> => {
  const [row] = await owner.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM ${table} WHERE account_id = $1`,
    [account.accountId],
  );
  return row?.n ?? Number.NaN;
};

/** What a retry shows of it. */
const withoutSecrets = (created: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(created).filter(([name]) => !/^(key|secret)$/.test(name)));

describe.each(FORMS)("201 on POST $path", (form) => {
  const { body, operation, other, path, rows, table } = form;

  test("a retry gets the same object, without its secret, and says so", async () => {
    const key = randomUUID();
    const before = await count(rows);
    const first = await send(path, body, key);
    expect(first.status).toBe(201);
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    const otherwise = JSON.stringify(
      Object.fromEntries(Object.entries(body).toReversed()),
      null,
      3,
    );
    for (const sent of [body, otherwise]) {
      const again = await send(path, sent, key);
      expect(again.status).toBe(201);
      expect(again.headers["idempotent-replayed"]).toBe("true");
      expect(objectOf(form, again.body)).toStrictEqual(withoutSecrets(objectOf(form, first.body)));
    }
    expect(await count(rows)).toBe(before + 1);
  });

  test("a key is forgotten after 72 hours, and not before", async () => {
    const key = randomUUID();
    const age = (interval: string) =>
      owner.query(`UPDATE ${table} SET created_at = now() - $2::interval WHERE account_id = $1`, [
        account.accountId,
        interval,
      ]);
    const { id } = objectOf(form, (await send(path, body, key)).body);
    await age("71 hours 59 minutes");
    expect(objectOf(form, (await send(path, body, key)).body)["id"]).toBe(id);
    await age("72 hours 1 second");
    const later = await send(path, other, key);
    expect(later.status, later.text).toBe(201);
    expect(objectOf(form, later.body)["id"]).not.toBe(id);
    expect((await send(path, body, key)).status).toBe(422);
  });

  test("422 for another request, which creates nothing", async () => {
    const key = randomUUID();
    expect((await send(path, body, key)).status).toBe(201);
    const before = await count(rows);
    const message =
      "Idempotency-Key: was used for another request; send a new key with a new request";
    const field = "Idempotency-Key";
    expectRefused(await send(path, other, key), "validation_error", { field, message });
    expect(await count(rows)).toBe(before);
  });

  test("a refused request leaves its key free", async () => {
    const key = randomUUID();
    expect((await send(path, {}, key)).status).toBe(422);
    const { headers, status } = await send(path, body, key);
    expect(status).toBe(201);
    expect(headers["idempotent-replayed"]).toBeUndefined();
  });

  test("403 beyond 1,000 keys in 72 hours, but for retries and requests without a key", async () => {
    await send(path, body, "first");
    const fill = (interval: string) =>
      owner.query(
        `INSERT INTO ${table}
         SELECT $1, $2, $3::text || n, sha256(''), '', now() - $3::text::interval FROM generate_series(1, 999) AS n`,
        [account.accountId, operation, interval],
      );
    await fill("73 hours");
    expect((await send(path, body, "second")).status).toBe(201);
    await owner.query(`DELETE FROM ${table} WHERE account_id = $1 AND idempotency_key = 'second'`, [
      account.accountId,
    ]);
    await fill("1 hour");
    const refused = await send(path, body, "third");
    expectRefused(refused, "plan_limit_exceeded");
    expect(refused.status).toBe(403);
    expect((await send(path, body, "first")).headers["idempotent-replayed"]).toBe("true");
    expect((await client.post(path, body)).status).toBe(201);
  });

  test("a retry shows what was created after that was deleted, and creates nothing", async () => {
    const first = objectOf(form, (await send(path, body, "once")).body);
    expect((await client.delete(`${path}/${String(first["id"])}`)).status).toBe(204);
    const before = await count(rows);
    const again = await send(path, body, "once");
    expect(again.status).toBe(201);
    expect(objectOf(form, again.body)).toStrictEqual(withoutSecrets(first));
    // A worker may have deleted the row meanwhile.
    expect(await count(rows)).toBeLessThanOrEqual(before);
  });

  test("403 for a retry with an API key that may not list what was created", async () => {
    await send(path, body, "once");
    const scopes = SCOPES.filter((scope) => scope !== (form.scope ?? "keys:manage"));
    const { key } = await newKey(databaseUrl, account.accountId, scopes);
    const refused = await send(path, body, "once", client.as(key));
    expectRefused(refused, "scope_error");
    if (path !== "/v1/keys") expectRefused(await client.as(key).get(path), "scope_error");
  });

  test.each([
    ["of 256 characters", "k".repeat(256)],
    ["that is empty", ""],
  ])("422 for a key %s", async (_, key) => {
    const before = await count(rows);
    const { body: refused, status } = await send(path, body, key);
    expect(status).toBe(422);
    expect(refused.error.details[0].field.toLowerCase()).toBe("idempotency-key");
    expect(await count(rows)).toBe(before);
  });
});

test("an account has keys of its own for each kind, whichever API key sends them", async () => {
  const key = randomUUID();
  const colleague = client.as((await newKey(databaseUrl, account.accountId)).key);
  const stranger = client.as((await newAccount(databaseUrl)).key);
  for (const { body, path } of FORMS.filter((form) => form.path !== "/v1/keys")) {
    expect((await send(path, body, key)).headers["idempotent-replayed"]).toBeUndefined();
    expect((await send(path, body, key, colleague)).headers["idempotent-replayed"]).toBe("true");
    const { headers, status } = await send(path, body, key, stranger);
    expect([status, headers["idempotent-replayed"]]).toEqual([201, undefined]);
  }
  const event = await send("/v1/events", { action: "a" }, key);
  expect([event.status, event.headers["idempotent-replayed"]]).toEqual([201, undefined]);
});

test("both forms of creating an API key share their keys", async () => {
  const [{ body }] = FORMS;
  const { data } = (await send("/v1/api-keys", body, "shared")).body;
  const again = await send("/v1/keys", body, "shared");
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect(again.body.id).toBe(data.id);
});

test("no secret is kept with a key, nor what a guess of one could be checked with", async () => {
  const secrets: unknown[] = [SECRET];
  for (const form of FORMS.filter(({ path }) => path !== "/v1/keys")) {
    const { key, secret } = objectOf(form, (await send(form.path, form.body, "once")).body);
    secrets.push(...[key, secret].filter(Boolean));
  }
  expect(secrets).toHaveLength(3);
  const kept = await Promise.all(
    ["keys", "webhooks", "ledger"].map((schema) =>
      owner.query<{ digest: string; text: string }>(
        `SELECT encode(request_sha256, 'hex') AS digest, encode(response, 'escape') AS text
         FROM ${schema}.idempotent_requests WHERE account_id = $1`,
        [account.accountId],
      ),
    ),
  );
  const text = kept
    .flat()
    .map((row) => row.text)
    .join(" ");
  expect(kept.flat()).toHaveLength(5);
  expect(secrets.filter((secret) => text.includes(String(secret)))).toEqual([]);
  const digests = kept.flat().map(({ digest }) => digest);
  const known = FORMS.filter(({ body }) => digests.includes(jsonSha256(body as JsonValue)));
  expect(known.map(({ path }) => path)).not.toContain("/v1/sinks");
  // Control: the digests of bodies without secrets are found.
  expect(known.map(({ path }) => path)).toContain("/v1/holds");
});
