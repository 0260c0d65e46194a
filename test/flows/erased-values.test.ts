// Guarantee: of the values that were erased over three accounts, no query, table, index, file of an export or
// delivery has one once the erasures are completed. After VACUUM and some appends none is in the files of the
// tables. One copy that is left in place on purpose is found by the same search.

import { eventually, ownerOf } from "@annals/testing";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { exported } from "../system/exports-client.ts";
import { sharedWebhookSystem } from "../system/webhook-constellation.ts";

const ACCOUNTS = 3;
const VALUES = inject("form").erasedValues.values;
const BATCH = 1_000;
/** Events that the filter index takes together. */
const CHUNK_SIZE = 4_096;
const PARTS = ["actor", "context", "diff", "metadata", "target"];
/** Exports are polled each ten seconds and so are webhooks, which wait for twenty. */
const COMPLETED_WITHIN_MS = 120_000;
/** Batches after which free space is overwritten. */
const MAX_BATCHES = 40;

type Client = Awaited<ReturnType<typeof system.client>>;
type Subscriber = Awaited<ReturnType<typeof system.subscriber>>;
interface Account {
  readonly client: Client;
  readonly hook: string;
  /** Events before those with the values. */
  readonly others: number;
  readonly subscriber: Subscriber;
  readonly values: readonly string[];
}

let system: Awaited<ReturnType<typeof sharedWebhookSystem>>;
let owner: ReturnType<typeof ownerOf>;
const accounts: Account[] = [];
const all = () => accounts.flatMap(({ values }) => values);

beforeAll(async () => {
  system = await sharedWebhookSystem();
  owner = ownerOf(system.stack.databaseUrl);
});
afterAll(async () => {
  await owner.close();
  await system.close();
});

const newValue = () => `value-${randomUUID()}`;
/** All that {@link newValue} makes, so that bytes are read once and not once for each value. */
const VALUE = /value-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The values that some bytes have. */
function found(bytes: string | Buffer): string[] {
  const text = typeof bytes === "string" ? bytes : bytes.toString("latin1");
  const there = new Set(text.match(VALUE));
  return all().filter((value) => there.has(value));
}

const eventOf = (value: string) => ({
  action: "user.changed",
  actor: { id: value, meta: { email: value } },
  context: { ip: value },
  diff: { before: { name: value }, after: {} },
  metadata: { value },
  target: { id: "shared" },
});

/** An account with the values, two of whose places are declared fields, after so many other events. */
async function newAccount(others = 0): Promise<Account> {
  const client = await system.client();
  for (const path of ["context.ip", "metadata.value"])
    expect((await client.post("/v1/search/fields", { path, type: "string" })).status).toBe(201);
  for (let sent = 0; sent < others; sent += BATCH) {
    const events = Array.from({ length: Math.min(others - sent, BATCH) }, () => ({
      action: "fills",
    }));
    expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  }
  const subscriber = await system.subscriber();
  const made = await client.post("/v1/webhooks", { url: subscriber.url(), events: ["*"] });
  const filter = { target_id: ["shared", "other"] };
  const filtered = { url: subscriber.url(), events: ["*"], active: false, filter };
  expect((await client.post("/v1/webhooks", filtered)).status).toBe(201);
  const search = { name: "Of shared", filter: { ...filter, text: "shared" } };
  expect((await client.post("/v1/searches", search)).status).toBe(201);
  const values = Array.from({ length: VALUES }, newValue);
  const { status } = await client.post("/v1/events/batch", { events: values.map(eventOf) });
  expect(status).toBe(201);
  await subscriber.waitFor(VALUES);
  return { client, hook: made.body.data.id, others, subscriber, values };
}

const areIndexed = ({ values: [value] }: Account) =>
  eventually("the values are in the filter index", async () => {
    const rows = await owner.query("SELECT FROM ledger.blocks WHERE $1 = ANY (keys)", [value]);
    return rows.length > 0;
  });

/** A column of bytes in JSON. */
const BYTES = /\\\\x([0-9a-f]+)/g;
const plain = (hex: string) => Buffer.from(hex, "hex").toString("latin1");

/** Every row of every table, as text. */
async function tables(): Promise<string> {
  const names = await owner.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('exports', 'keys', 'ledger', 'webhooks')`,
  );
  const texts: string[] = [];
  for (const { name } of names) {
    const rows = await owner.query<{ text: string }>(
      `SELECT row_to_json(one)::text AS text FROM ${name} AS one`,
    );
    texts.push(...rows.map(({ text }) => text.replaceAll(BYTES, (_, hex) => plain(hex))));
  }
  return texts.join("\n");
}

/**
 * The bytes of the tables that have values, of their indexes, and of their large values. Values in blocks of
 * the filter index are looked for in rows alone: many are compressed, and only later blocks take their space.
 */
async function tableFiles(): Promise<Buffer> {
  await owner.query("CHECKPOINT");
  const files = await owner.query<{ bytes: Buffer }>(
    `SELECT pg_read_binary_file(pg_relation_filepath(part.oid)) AS bytes
     FROM pg_class AS main
     JOIN pg_class AS part ON part.oid = main.oid OR part.oid = main.reltoastrelid
       OR part.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = main.oid)
     WHERE main.oid IN ('ledger.events'::regclass, 'ledger.unindexed'::regclass)`,
  );
  return Buffer.concat(files.map(({ bytes }) => bytes));
}

async function exportFiles(): Promise<Buffer> {
  const folder = join(system.stack.dataDir, "exports");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  // Files of other accounts may go meanwhile.
  const read = (path: string) => readFile(path).catch(() => Buffer.alloc(0));
  return Buffer.concat(
    await Promise.all(files.map((file) => read(join(file.parentPath, file.name)))),
  );
}

/** What the routes show of an account. */
async function shown({ client, values }: Account): Promise<string> {
  const texts: string[] = [];
  for (let path = "/v1/events?limit=100&include=proof"; ;) {
    const { body, text } = await client.get(path);
    texts.push(text);
    if (body.has_more !== true) break;
    path = `/v1/events?limit=100&include=proof&cursor=${body.next_cursor}`;
  }
  for (const value of values) {
    const { body } = await client.get(`/v1/events?actor_id=${value}`);
    texts.push(...body.data.map(() => value));
  }
  for (const format of ["jsonl", "csv"])
    texts.push((await exported(client, { format, include_proofs: true })).content.text);
  return texts.join("\n");
}

/** What a delivery sends now of events that were delivered before. */
async function replayed({ client, hook, others, subscriber }: Account): Promise<string> {
  const before = subscriber.received.length;
  const range = { from_sequence_number: others + 1, to_sequence_number: others + VALUES };
  expect((await client.post(`/v1/webhooks/${hook}/replay`, range)).status).toBe(201);
  const received = await subscriber.waitFor(before + VALUES);
  return received
    .slice(before)
    .map(({ body }) => String(body))
    .join("\n");
}

async function erase({ client }: Account): Promise<string> {
  const made = await client.post("/v1/erasures", { target_id: "shared", parts: PARTS });
  expect(made.status).toBe(201);
  return made.body.data.id;
}

const completed = ({ client }: Account, id: string) =>
  eventually(
    `${id} is completed`,
    async () => {
      const { data } = (await client.get(`/v1/erasures/${id}`)).body;
      return data.status === "completed" && data;
    },
    COMPLETED_WITHIN_MS,
  );

test("no copy of an erased value is left", { timeout: 300_000 }, async () => {
  for (let count = 0; count < ACCOUNTS - 1; count += 1) accounts.push(await newAccount());
  const chunk = await newAccount(CHUNK_SIZE - VALUES);
  accounts.push(chunk);
  await areIndexed(chunk);
  const older: string[] = [];
  for (const { client } of accounts)
    for (const format of ["jsonl", "csv"]) older.push((await exported(client, { format })).data.id);
  expect(found(await tables())).toHaveLength(ACCOUNTS * VALUES);
  expect(found(await exportFiles())).toHaveLength(ACCOUNTS * VALUES);

  const ids = await Promise.all(accounts.map(erase));
  for (const [at, account] of accounts.entries())
    expect(await completed(account, ids[at] ?? "")).toMatchObject({
      erased: VALUES,
      held: 0,
      copies: { exports: expect.any(String), webhooks: expect.any(String) },
    });
  expect(found(await tables())).toEqual([]);
  expect(found(await exportFiles())).toEqual([]);
  for (const account of accounts) {
    expect(found(await shown(account))).toEqual([]);
    expect(found(await replayed(account))).toEqual([]);
    const [filtered] = (await account.client.get("/v1/webhooks")).body.data;
    expect(filtered.filter).toEqual({ target_id: ["other"] });
    const [search] = (await account.client.get("/v1/searches")).body.data;
    const left = { name: "(erased)", filter: { target_id: ["other"] }, has_erased: true };
    expect(search).toMatchObject(left);
    expect((await account.client.get("/v1/verify")).body.data).toMatchObject({ valid: true });
    for (const id of older)
      expect((await account.client.get(`/v1/exports/${id}/content`)).status).toBe(404);
  }
  expect(found(await exportFiles())).toEqual([]);

  const [left = ""] = all();
  const folder = join(system.stack.dataDir, "exports", "left");
  await mkdir(folder);
  await writeFile(join(folder, "copy"), `{"id":"${left}"}`);
  expect(found(await exportFiles())).toEqual([left]);
  await rm(folder, { recursive: true });
});

test(
  "after VACUUM and appends none is in the files of the tables",
  { timeout: 300_000 },
  async () => {
    expect(found(await tableFiles()).length).toBeGreaterThan(0);
    const [first] = accounts;
    const client = first?.client ?? expect.fail("no account");
    // Events of many sizes: a small one fits where a large one does not.
    const events = Array.from({ length: BATCH }, (_, n) => ({
      action: "fills",
      metadata: { text: "x".repeat((n * 7) % 400) },
    }));
    for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
      // What another file reads meanwhile may keep rows.
      await owner.query("VACUUM (INDEX_CLEANUP ON) ledger.events, ledger.blocks, ledger.unindexed");
      expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
      if (found(await tableFiles()).length === 0) break;
    }
    expect(found(await tableFiles())).toEqual([]);
  },
);
