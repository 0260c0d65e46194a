// A request that is sent again with its Idempotency-Key adds nothing and gets the first answer to
// the byte; the key never stands for another request (docs/interface.md). Both POSTs, any number
// of retries at the same time.

import { HttpClient, newAccount, newKey, ownerOf, type TestAccount } from "@annals/testing";
import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, inject, test } from "vitest";

const { baseUrl, databaseUrl } = inject("stack");
const owner = ownerOf(databaseUrl);
let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
});

afterAll(() => owner.close());

const EVENT = { action: "invoice.update", actor: { id: "u_1" }, metadata: { b: 1, a: [2] } };
const BATCH = { events: [{ type: "a" }, { action: "b" }, { action: "c", context: { n: 1 } }] };
const FORMS = [
  ["one event", "/v1/events", EVENT],
  ["a batch", "/v1/events/batch", BATCH],
] as const;

const send = (path: string, body: unknown, key: string, as = client) =>
  as.post(path, body, { headers: { "idempotency-key": key } });

async function storedEvents(): Promise<number> {
  const [row] = await owner.query<{ n: string }>(
    "SELECT count(*) AS n FROM ledger.events WHERE account_id = $1",
    [account.accountId],
  );
  return Number(row?.n);
}

describe.each(FORMS)("201 for %s", (_, path, sent) => {
  test("replays the first answer to the byte, and says so", async () => {
    const key = randomUUID();
    const first = await send(path, sent, key);
    expect(first.status).toBe(201);
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    const stored = await storedEvents();
    for (let times = 0; times < 3; times += 1) {
      const again = await send(path, sent, key);
      expect(again.status).toBe(201);
      expect(again.headers["idempotent-replayed"]).toBe("true");
      expect(again.text).toBe(first.text);
    }
    expect(await storedEvents()).toBe(stored);
  });

  test("stores once what 20 send at the same time", async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(path, sent, key)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const fresh = answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined);
    expect(fresh).toHaveLength(1);
    expect(await storedEvents()).toBe("events" in sent ? sent.events.length : 1);
  });

  test("the same value written otherwise is the same request", async () => {
    const key = randomUUID();
    const { text } = await send(path, sent, key);
    const again = await send(path, JSON.stringify(sent, null, 3), key);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(again.text).toBe(text);
  });

  test("keys of one account and of another have nothing to do with each other", async () => {
    const key = randomUUID();
    await send(path, sent, key);
    const other = client.as((await newAccount(databaseUrl)).key);
    const answer = await send("/v1/events", { action: "other" }, key, other);
    expect(answer.status).toBe(201);
    expect(answer.headers["idempotent-replayed"]).toBeUndefined();
    expect(answer.body.data.sequence_number).toBe(1);
    const colleague = client.as((await newKey(databaseUrl, account.accountId)).key);
    const replayed = await send(path, sent, key, colleague);
    expect(replayed.headers["idempotent-replayed"]).toBe("true");
  });

  test("a key is forgotten after 72 hours, and not before", async () => {
    const key = randomUUID();
    const age = (interval: string) =>
      owner.query(
        `UPDATE ledger.idempotency_keys SET created_at = now() - $3::interval
         WHERE account_id = $1 AND idempotency_key = $2`,
        [account.accountId, key, interval],
      );
    const first = await send(path, sent, key);
    await age("71 hours 59 minutes");
    expect((await send(path, sent, key)).text).toBe(first.text);
    await age("72 hours 1 second");
    const other = path === "/v1/events" ? { action: "other" } : { events: [{ action: "other" }] };
    const later = await send(path, other, key);
    expect(later.status).toBe(201);
    expect(later.headers["idempotent-replayed"]).toBeUndefined();
    expect((await send(path, other, key)).text).toBe(later.text);
    expect((await send(path, sent, key)).status).toBe(422);
  });

  test("a key of 255 characters", async () => {
    expect((await send(path, sent, "k".repeat(255))).status).toBe(201);
  });
});

describe("201", () => {
  test("occurred_at that was left out is the same request at any time", async () => {
    const key = randomUUID();
    const { body } = await send("/v1/events", { action: "a" }, key);
    const again = await send("/v1/events", { action: "a" }, key);
    expect(again.body).toEqual(body);
  });

  test("a refused request leaves its key free", async () => {
    const key = randomUUID();
    expect((await send("/v1/events", { action: "" }, key)).status).toBe(422);
    expect((await send("/v1/events", { action: "a" }, key)).status).toBe(201);
  });
});

describe("422", () => {
  test.each<[string, string, unknown, string, unknown]>([
    ["another action", "/v1/events", EVENT, "/v1/events", { ...EVENT, action: "b" }],
    [
      "another time",
      "/v1/events",
      EVENT,
      "/v1/events",
      { ...EVENT, occurred_at: "2026-01-01T00:00:00Z" },
    ],
    ["another value", "/v1/events", EVENT, "/v1/events", { ...EVENT, metadata: { a: [2], b: 2 } }],
    [
      "a part moved",
      "/v1/events",
      { action: "a", context: { x: 1 } },
      "/v1/events",
      { action: "a", metadata: { x: 1 } },
    ],
    ["an event as a batch of one", "/v1/events", EVENT, "/v1/events/batch", { events: [EVENT] }],
    ["a batch of one as an event", "/v1/events/batch", { events: [EVENT] }, "/v1/events", EVENT],
    [
      "a batch with an event less",
      "/v1/events/batch",
      BATCH,
      "/v1/events/batch",
      { events: BATCH.events.slice(1) },
    ],
  ])("%s under the same key", async (_, path, sent, otherPath, other) => {
    const key = randomUUID();
    expect((await send(path, sent, key)).status).toBe(201);
    const stored = await storedEvents();
    const { status, body } = await send(otherPath, other, key);
    expect(status).toBe(422);
    expect(body.error.details[0].field).toBe("Idempotency-Key");
    expect(await storedEvents()).toBe(stored);
  });

  test("of 20 different requests with one key at the same time one is stored", async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send("/v1/events", { action: `a${n}` }, key)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
    expect(await storedEvents()).toBe(1);
  });

  test.each([
    ["of 256 characters", "k".repeat(256)],
    ["that is empty", ""],
  ])("a key %s", async (_, key) => {
    for (const [, path, sent] of FORMS) {
      const { status, body } = await send(path, sent, key);
      expect(status).toBe(422);
      expect(body.error.details[0].field.toLowerCase()).toBe("idempotency-key");
    }
    expect(await storedEvents()).toBe(0);
  });
});

test.each(FORMS)("422 for %s with a key that belongs to intake", async (_, path, sent) => {
  const { body, status } = await send(path, sent, "intake:otlp:1");
  expect(status).toBe(422);
  expect(body.error).toMatchObject({
    type: "validation_error",
    message:
      'Idempotency-Key: must not begin with "intake:", as the keys of the items of intake do',
  });
  expect(await storedEvents()).toBe(0);
  expect((await send(path, sent, "Intake:1")).status).toBe(201);
});
