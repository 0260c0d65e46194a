// Guarantee: an account whose old events retention has deleted goes on as before, on the routes that
// clients use: lists, the widget, retries, usage, verification, replays, proofs that were fetched before.
// Its exports and bundles begin with the first event that is left, and both verifiers accept them.

import { type HttpClient, newClient, ownerOf, type TestAccount } from "@annals/testing";
import { verifyEvidence } from "annals-verify";
import { mkdtempDisposableSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordOf, statementOf, withQueue } from "../system/append-record.ts";
import { append, untilCovered } from "../system/covered.ts";
import { exported } from "../system/exports-client.ts";
import { download } from "../system/exports-large.ts";
import { URL_OF_NOBODY } from "../system/bad-bodies.ts";
import { newToken } from "../system/widget-client.ts";
import { verify } from "../verifiers/made-export.ts";
import { hasPython } from "../system/programs.ts";
import { shared, type SharedSystem } from "../system/shared-systems.ts";
import { reasonOf, verdict } from "../verifiers/python-evidence.ts";

const EVENTS = 600;
const THROUGH = 300;
const AGE = "AND created_at >= youngest";
const CUT = statementOf(
  "cut",
  "UPDATE ledger.lifecycles SET record_sequence = $2, through_sequence = $3 WHERE account_id = $1",
);
const EXPIRE = statementOf("expire", 'SELECT ledger.expire_young($1::text COLLATE "C")');

let stack: SharedSystem;
let client: HttpClient;
let account: TestAccount;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  stack = await shared("one");
  owner = ownerOf(stack.databaseUrl);
  ({ client, ...account } = await newClient(stack));
});

afterAll(async () => {
  client.close();
  await owner.close();
});

/**
 * Records and deletes events as the service does, with the rights of its role, but young ones, too: by a copy
 * of its function, which others do not call.
 */
async function expire(): Promise<void> {
  const { accountId } = account;
  const [row] = await owner.query("SELECT pg_get_functiondef('ledger.expire'::regproc) AS text");
  const text = String(row?.["text"]);
  expect(text).toContain(AGE);
  const young = text.replace(AGE, "AND false").replace("ledger.expire(", "ledger.expire_young(");
  await owner.query(young);
  await owner.query("GRANT EXECUTE ON FUNCTION ledger.expire_young TO annals_ledger");
  await withQueue(stack.databaseUrl, async (queue, pool) => {
    await queue.record(accountId, async (transaction) => ({
      record: recordOf({
        action: "annals.retention",
        actor: { id: "ledger", type: "service" },
        metadata: { through_sequence: THROUGH },
      }),
      act: async (record) => {
        await transaction.run(CUT, [accountId, record, THROUGH]);
      },
    }));
    await pool.run(EXPIRE, [accountId]);
  });
  await owner.query("DROP FUNCTION ledger.expire_young");
}

const get = async (path: string) => (await client.get(`/v1${path}`)).body;

test("all routes go on, and both verifiers accept what is exported", async () => {
  const keyed = { headers: { "idempotency-key": "once" } };
  await append(client, EVENTS - 1);
  const { data: last } = (await client.post("/v1/events", { action: "last" }, keyed)).body;
  const { data: first } = await get("/events?order=asc&limit=1");
  await untilCovered(client, EVENTS);
  const inclusion = `/log/inclusion?sequence_number=5&size=${EVENTS}`;
  const proved = await get(inclusion);
  const usage = await get("/usage");

  await expire();

  expect((await get("/events?order=asc&limit=2")).data[0].sequence_number).toBe(THROUGH + 1);
  expect((await get("/events?action=annals.retention")).data).toHaveLength(1);
  const gone = await client.get(`/v1/events/${first[0].id}`);
  expect([gone.status, gone.body.error.message]).toEqual([
    404,
    `Retention has deleted the events before ${THROUGH + 1}.`,
  ]);
  const { widget } = await newToken(client);
  expect((await widget.get("/v1/widget/events?limit=1")).body.data).toHaveLength(1);
  expect((await client.post("/v1/events", { action: "last" }, keyed)).body.data).toEqual(last);
  // The record takes nothing of the month.
  const { month_events: used } = (await get("/usage")).data;
  expect(used).toEqual(usage.data.month_events);
  expect((await get(inclusion)).data.hashes).toEqual(proved.data.hashes);
  // Entries go in whole bundles.
  expect((await get("/log")).data.min_index).toBe(256);
  const bundles = ["000", "001"].map((path) => client.get(`/v1/log/tile/entries/${path}`));
  expect((await Promise.all(bundles)).map(({ status }) => status)).toEqual([404, 200]);
  expect((await get("/verify")).data).toMatchObject({
    valid: true,
    checked: EVENTS + 1 - THROUGH,
    from_sequence: THROUGH + 1,
    retained_from: THROUGH + 1,
  });
  const early = await client.get("/v1/verify?from_sequence=1");
  expect([early.status, early.body.error.message]).toEqual([
    422,
    expect.stringContaining(`before ${THROUGH + 1}, the first that can be verified`),
  ]);
  const hook = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
  const range = { from_sequence_number: 1, to_sequence_number: 2 };
  const replay = await client.post(`/v1/webhooks/${hook.body.data.id}/replay`, range);
  expect([replay.status, replay.body.error.message]).toEqual([
    422,
    expect.stringContaining(`must be at least ${THROUGH + 1}`),
  ]);

  const lines = (await exported(client, { include_proofs: true })).content;
  expect(await verify(lines.text)).toMatchObject({ events: EVENTS + 1 - THROUGH });
  await append(client, 10);
  await untilCovered(client, EVENTS + 11);
  const { data } = await exported(client, { format: "evidence" });
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-retention-"));
  const file = join(folder.path, "bundle.tar");
  expect(await download({ stack, account }, data.id, file)).toBe(data.sha256);
  const vkey = (await client.get("/log/vkey")).text.trimEnd();
  const policy = Buffer.from(`log ${vkey}\nquorum none\n`);
  if (hasPython) expect(reasonOf(verdict(await readFile(file), { policy }))).toBe("valid");
  const report = await verifyEvidence(file, { policy });
  expect(report).toMatchObject({ events: EVENTS + 11 - THROUGH });
});
