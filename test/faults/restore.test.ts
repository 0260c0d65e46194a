// Guarantee: a backup is restored as docs/operators/backup.md says, to a moment or to its end, also into
// a server without the roles: the system starts, every chain verifies, appends, webhooks and exports go on,
// and `annals check-heads` names each chain that is older than the heads that were kept.

import type { Stack } from "@annals/local";
import { eventually, HttpClient, newAccount, ownerOf } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ended } from "../system/exports-client.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import { Backups } from "../system/restored-system.ts";
import { runVerb } from "../system/operator.ts";
import { processesOf } from "../system/testbed.ts";

const ROLES = ["annals_keys", "annals_ledger", "annals_exports", "annals_webhooks"];
const SERVICES = ["keys", "ledger", "export", "webhook-dispatcher"] as const;

let folder: string;
let backups: Backups;
let base: string;
let moment: string;
let account: Awaited<ReturnType<typeof newAccount>>;
let exportId: string;
/** Heads at the moment, and at the end. */
let kept: { readonly moment: string; readonly end: string };

const clientOf = (stack: Stack) => new HttpClient(stack.baseUrls[0] ?? "", account.key);
const EVENT = { action: "thing.done", metadata: { n: 1 } };

async function append(client: HttpClient, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    expect((await client.post("/v1/events", EVENT)).status).toBe(201);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-backed-up-"));
  const system = await startWebhookSystem({}, { dataDir: join(folder, "data") });
  const { stack } = system;
  const owner = ownerOf(stack.databaseUrl);
  backups = await Backups.open({ stack, owner });
  account = await eventually("PostgreSQL answers", () => newAccount(stack.databaseUrl));
  const client = clientOf(stack);
  await eventually(
    "it serves",
    async () => (await client.post("/v1/events", EVENT)).status === 201,
  );
  await append(client, 9);
  const made = await client.post("/v1/exports", { include_proofs: true });
  exportId = made.body.data.id;
  await ended(client, exportId);
  base = await backups.base();
  await append(client, 5);
  kept = { moment: (await runVerb(stack, "ledger", "heads")).stdout, end: "" };
  moment = String((await owner.query("SELECT clock_timestamp()::text AS now"))[0]?.["now"]);
  await append(client, 5);
  const other = await newAccount(stack.databaseUrl);
  await append(new HttpClient(stack.baseUrls[0] ?? "", other.key), 1);
  kept = { ...kept, end: (await runVerb(stack, "ledger", "heads")).stdout };
  await backups.archived();
  await owner.close();
  await system.stop();
});
afterAll(async () => {
  backups.remove();
  await rm(folder, { recursive: true, force: true });
});

/** What check-heads says of what was kept. */
async function checked(stack: Stack, heads: string) {
  const file = join(folder, "heads.jsonl");
  await writeFile(file, heads);
  return runVerb(stack, "ledger", "check-heads", "--file", file);
}

async function verified(client: HttpClient): Promise<unknown> {
  return (await client.get("/v1/verify")).body.data;
}

describe("restored to a moment", () => {
  let system: WebhookSystem;
  let client: HttpClient;

  beforeAll(async () => {
    system = await startWebhookSystem({}, { dataDir: await backups.restored(base, moment) });
    client = clientOf(system.stack);
  });
  afterAll(() => system.stop());

  test("the chain verifies, and check-heads names what is older than the heads kept later", async () => {
    expect(await verified(client)).toMatchObject({ valid: true, checked: 15 });
    expect(await checked(system.stack, kept.moment)).toMatchObject({ status: 0 });
    const { status, stdout } = await checked(system.stack, kept.end);
    expect(status).toBe(1);
    expect(stdout).toContain(
      `${account.accountId} went back: its chain had 20 events and ends at 15\n`,
    );
    expect(stdout).toMatch(/^acct_\w+ is missing: its chain had 1 events$/m);
    // The system account's chain is one of them; whether it went back depends on when its entries came.
    expect(stdout).toMatch(/^[23] of 3 chains do not contain/m);
  });

  test("appends, webhooks and exports go on", async () => {
    const subscriber = await system.subscriber();
    const { status } = await client.post("/v1/webhooks", {
      url: subscriber.url(),
      events: ["*"],
    });
    expect(status).toBe(201);
    await append(client, 1);
    await eventually("it is delivered", () =>
      subscriber.received.some(({ json }) => json.data.sequence_number === 16),
    );
    expect((await client.get(`/v1/exports/${exportId}/content`)).status).toBe(200);
  });

  test("in a server without the roles nothing is served until migrate has set them", async () => {
    const owner = ownerOf(system.stack.databaseUrl);
    for (const role of ROLES) {
      await owner.query(`DROP OWNED BY ${role}`);
      await owner.query(`DROP ROLE ${role}`);
    }
    await processesOf(system.stack, "postgres")[0]?.restart();
    await eventually("it is not ready", async () => {
      const answer = await client.post("/v1/events", EVENT).catch(() => undefined);
      return answer?.status === 500;
    });
    for (const service of SERVICES)
      expect(await runVerb(system.stack, service, "migrate")).toMatchObject({ status: 0 });
    await eventually("it serves", async () => {
      const answer = await client.post("/v1/events", EVENT).catch(() => undefined);
      return answer?.status === 201;
    });
    expect(await verified(client)).toMatchObject({ valid: true });
    await owner.close();
  });
});

test("restored to the end of the archive, nothing is missing", async () => {
  const system = await startWebhookSystem({}, { dataDir: await backups.restored(base) });
  const client = clientOf(system.stack);
  expect(await verified(client)).toMatchObject({ valid: true, checked: 20 });
  expect(await checked(system.stack, kept.end)).toMatchObject({ status: 0 });
  await append(client, 1);
  await system.stop();
});
