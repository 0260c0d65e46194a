// `npm run example:cloudtrail`: sends the sample of CloudTrail records to a running service, lists
// some of them, verifies the chain, takes an export away and verifies that without the service,
// shows the webhooks of it where the stack allows, and says what it did. It must never print the
// key or the webhook's secret.

import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "./client.ts";
import { importRecords } from "./import-records.ts";
import { Progress } from "./progress.ts";
import { readSample } from "./record.ts";
import { takeExport } from "./take-export.ts";
import { howToAllow, Webhook } from "./webhook.ts";

/** Whose events are listed: one of the two people in the sample. */
const ACTOR = "arn:aws:iam::123837392027:user/benjamin";
const LISTED = 5;

const CHECKOUT = resolve(import.meta.dirname, "../../..");
const HOW_TO_START =
  "Is a stack running? `npm start` in another terminal starts one; " +
  "ANNALS_URL and ANNALS_KEY name another service.";

interface Page {
  readonly data: readonly { readonly occurred_at: string; readonly action: string }[];
}

interface Verified {
  readonly data: {
    readonly valid: boolean;
    readonly checked: number;
    readonly head: { readonly sequence_number: number; readonly hash: string };
    readonly first_invalid: object | null;
  };
}

// A reader that went away (`| head`) is no failure.
process.stdout.on("error", () => process.exit());

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.stderr.write(`${HOW_TO_START}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { env } = process;
  const baseUrl = env["ANNALS_URL"] || `http://127.0.0.1:${env["ANNALS_PORT"] || "8080"}`;
  const dataDir = resolve(CHECKOUT, env["ANNALS_DATA_DIR"] || ".annals");
  const client = new Client({
    baseUrl,
    key: env["ANNALS_KEY"] || bootstrapKey(dataDir),
    wait: async (ms) => pause(ms),
    onWait: (seconds, reason) => say(`waiting ${seconds} s for ${reason}`),
  });
  const folder = join(dataDir, "example");
  mkdirSync(folder, { recursive: true });

  await sendRecords(client, baseUrl);
  await listSome(client);
  const webhook = await Webhook.open(client, { baseUrl, folder });
  try {
    const isValid = await verifyChain(client);
    const id = await verifyExport(client, join(folder, "export.jsonl"));
    const hasArrived = webhook === undefined || (await showArrivals(webhook, id));
    if (webhook === undefined || !hasArrived) {
      say(`to see webhooks arrive, start the stack with: ${await howToAllow(folder)}`);
    }
    // An equal export would be answered with this one, and no webhook would follow.
    await client.delete(`/v1/exports/${id}`);
    say(`deleted export ${id}: its file stays here`);
    return isValid && hasArrived ? 0 : 1;
  } finally {
    await webhook?.close();
  }
}

async function sendRecords(client: Client, baseUrl: string): Promise<void> {
  const records = await readSample();
  say(`sending ${records.length.toLocaleString("en")} CloudTrail records to ${baseUrl}`);
  const progress = new Progress(process.stdout, records.length);
  const { added, known } = await importRecords(client, records, (done) => progress.show(done));
  say(`added ${added.toLocaleString("en")} events; ${known.toLocaleString("en")} were there`);
}

async function listSome(client: Client): Promise<void> {
  say(`the last ${LISTED} of ${ACTOR}:`);
  const page = await client.get<Page>(
    `/v1/events?actor_id=${encodeURIComponent(ACTOR)}&limit=${LISTED}`,
  );
  for (const event of page.body.data) say(`  ${event.occurred_at}  ${event.action}`);
}

async function verifyChain(client: Client): Promise<boolean> {
  const { valid, checked, head, first_invalid } = (await client.get<Verified>("/v1/verify")).body
    .data;
  say(`verified ${checked.toLocaleString("en")} events: ${valid ? "valid" : "NOT VALID"}`);
  if (!valid) say(`  ${JSON.stringify(first_invalid)}`);
  say(`the chain ends with event ${head.sequence_number}, hash ${head.hash}`);
  return valid;
}

/** Resolves to the export's id. Throws where the file is not valid. */
async function verifyExport(client: Client, file: string): Promise<string> {
  const { id, report, sha256 } = await takeExport(client, file, async (ms) => pause(ms));
  const { events, linksChecked, manifest } = report;
  say(`export ${id} is in ${file}`);
  say(
    `verified it without the service: ${events.toLocaleString("en")} events, ` +
      `${linksChecked.toLocaleString("en")} links, valid`,
  );
  say(`the file ends with event ${manifest.head.sequenceNumber}, hash ${manifest.head.hash}`);
  say(`again: npx annals-verify --sha256 ${sha256} ${file}`);
  return id;
}

/** Whether both came. */
async function showArrivals(webhook: Webhook, exportId: string): Promise<boolean> {
  const arrivals = [
    ["event.verified", await webhook.arrival("event.verified")],
    ["export.completed", await webhook.arrival("export.completed", exportId)],
  ] as const;
  for (const [event, payload] of arrivals) {
    say(
      payload === undefined
        ? `webhook ${event} did NOT arrive`
        : `webhook ${event} arrived, signed with the webhook's secret: ${payload.id}`,
    );
  }
  return arrivals.every(([, payload]) => payload !== undefined);
}

function bootstrapKey(dataDir: string): string {
  const file = join(dataDir, "bootstrap-key");
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new Error(`there is no API key: ANNALS_KEY is not set, and ${file} cannot be read`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
