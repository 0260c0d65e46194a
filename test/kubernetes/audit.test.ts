// Guarantees, of a real API server whose audit log goes to Annals as docs/kubernetes-audit.md says. Each
// request of its own audit file is in the log exactly once, and nothing else is, but for what it has dropped
// by its own count while Annals was away. No value of a secret and no token is in a table or a log. Answers
// that come late do not make it hold more memory. The last test is the control of the search for secrets.

import { CertificateAuthority } from "@annals/certificates";
import type { Stack, StackProcess } from "@annals/local";
import { eventually, newAccount, ownerOf } from "@annals/testing";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { AuditedCluster } from "./audited-cluster.ts";
import { AuditedWork } from "./audited-work.ts";
import { openTlsProxy, type TlsProxy } from "./tls-proxy.ts";

const FORM = inject("form").kubernetesAudit;
const CHART = resolve(import.meta.dirname, "../../helm/annals");
/** This machine, to the cluster. */
const HOST = "10.87.0.1";
const LATE_MS = 5_000;
/** The API server tries five times, and drops events after eight times this. */
const FLAGS = [
  `--audit-webhook-initial-backoff=${FORM.awayMs / 25}ms`,
  `--audit-webhook-batch-max-wait=${FORM.maxWaitS}s`,
];
const ARRIVED_WITHIN_MS = 180_000;
const SAMPLE_MS = 500;
/** What its memory varies by, in two minutes without late answers. */
const MAX_GROWTH = 1.3;

let stack: Stack;
let owner: ReturnType<typeof ownerOf>;
let gateway: StackProcess;
let proxy: TlsProxy;
let cluster: AuditedCluster;
let work: AuditedWork;
let accountId: string;
const memory = { before: 0, late: 0 };

beforeAll(async () => {
  stack = await startConstellation({ without: ["nats", "export", "webhook-dispatcher"] });
  owner = ownerOf(stack.databaseUrl);
  gateway = stack.processes.find(({ service }) => service === "gateway")!;
  const account = await newAccount(stack.databaseUrl, ["events:write"]);
  ({ accountId } = account);
  const authority = await CertificateAuthority.create("ingress");
  proxy = await openTlsProxy(new URL(gateway.baseUrl!), HOST, authority);
  const url = `https://${HOST}:${proxy.port}/v1/intake/kubernetes`;
  const receiver = { url, authority: authority.cert, key: account.key };
  cluster = await AuditedCluster.start(inject("clusterProgram"), receiver, FLAGS);
  work = new AuditedWork(cluster);
  await work.begin();
  await work.during(phases());
});
afterAll(async () => {
  await cluster?.stop();
  proxy?.close();
  await owner?.close();
  await stack?.stop();
});

/** What goes on while the cluster is used. */
async function phases(): Promise<void> {
  if (FORM.isChartInstalled) await install();
  memory.before = await peakDuring(FORM.forMs);
  if (FORM.isChartInstalled) await uninstall();
  await gateway.stop();
  await delay(FORM.awayMs);
  gateway.start();
  await gateway.waitReady();
  proxy.lateMs = LATE_MS;
  memory.late = await peakDuring(FORM.lateMs);
  proxy.lateMs = 0;
}

/** The objects of the chart, without its Jobs: the node has no image of them. */
async function install(): Promise<void> {
  const values = ["--values", join(CHART, "ci/minimal-values.yaml")];
  const words = ["--namespace", "annals", "--create-namespace", "--no-hooks"];
  await cluster.helm("install", "annals", CHART, ...words, ...values);
}

const uninstall = () => cluster.helm("uninstall", "annals", "--namespace", "annals", "--no-hooks");

/** The most memory that the API server holds in so many milliseconds. */
async function peakDuring(ms: number): Promise<number> {
  const until = performance.now() + ms;
  let peak = 0;
  while (performance.now() < until) {
    peak = Math.max(peak, await cluster.memory());
    await delay(SAMPLE_MS);
  }
  return peak;
}

/** The ids of the requests in the log. */
async function logged(): Promise<string[]> {
  const rows = await owner.query<{ id: string }>(
    "SELECT metadata::json->>'audit_id' AS id FROM ledger.events WHERE account_id = $1",
    [accountId],
  );
  return rows.map(({ id }) => id);
}

/** How many of these are not in the log. */
async function missingOf(ended: readonly string[]): Promise<number> {
  const there = new Set(await logged());
  return ended.filter((id) => !there.has(id)).length;
}

test("each request that has ended is in the log once, or dropped by the server's own count", async () => {
  // Twice: the second time no request of the first is under way.
  for (const _ of [1, 2]) {
    const ended = await cluster.ended();
    await eventually(
      "what is missing is what was dropped",
      async () => (await missingOf(ended)) === (await cluster.dropped()),
      ARRIVED_WITHIN_MS,
    );
  }
  const ids = await logged();
  const ended = await cluster.ended();
  const dropped = await cluster.dropped();
  expect(new Set(ended).size).toBe(ended.length);
  expect(new Set(ids).size).toBe(ids.length);
  const known = new Set(ended);
  expect(ids.filter((id) => !known.has(id))).toEqual([]);
  expect(ids.length).toBeGreaterThan(dropped);
  // Otherwise Annals was not away for as long as the server tries.
  expect(dropped).toBeGreaterThan(0);
  process.stderr.write(`${ended.length} requests, ${ids.length} in the log, ${dropped} dropped\n`);
});

test("requests with credentials that are refused are in the log", async () => {
  const rows = await owner.query(
    `SELECT FROM ledger.events WHERE account_id = $1
     AND metadata::json->>'status_code' = '401' AND metadata::json->>'outcome' = 'failure'`,
    [accountId],
  );
  expect(rows.length).toBeGreaterThan(0);
});

test("answers that come late do not make the API server hold more memory", () => {
  const { before, late } = memory;
  process.stderr.write(
    `at most ${before.toFixed(0)} MB, with late answers ${late.toFixed(0)} MB\n`,
  );
  expect(late).toBeLessThan(before * MAX_GROWTH);
});

/** Tables and logs that have the text, or its bytes in base64 or hexadecimal. */
async function placesOf(text: string): Promise<string[]> {
  const bytes = Buffer.from(text);
  const forms = [text, bytes.toString("base64"), bytes.toString("hex")];
  const tables = await owner.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await owner.query(
      `SELECT FROM ${name} AS one, unnest($1::text[]) AS form WHERE strpos(one::text, form) > 0 LIMIT 1`,
      [forms],
    );
    if (rows.length > 0) found.push(name);
  }
  const files = readdirSync(stack.dataDir, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((each) => each.endsWith(".log"))) {
    const log = readFileSync(join(stack.dataDir, file), "latin1");
    if (forms.some((form) => log.includes(form))) found.push(file);
  }
  return found;
}

test("no value of a secret and no token is in a table or a log", async () => {
  expect(await placesOf(work.secret)).toEqual([]);
  expect(work.tokens.length).toBeGreaterThan(0);
  // The first two thirds of a token are the same in others.
  for (const token of work.tokens.slice(0, 3))
    expect(await placesOf(token.split(".")[2]!)).toEqual([]);
  // The API server has recorded them, and sent the same.
  const value = Buffer.from(work.secret).toString("base64");
  for (const text of [work.secret, value, work.tokens[0]!])
    expect(await cluster.hasWritten(text)).toBe(true);
});

test("control: the search finds the value of a ConfigMap, which is not masked", async () => {
  expect(await placesOf(work.open)).toContain("ledger.events");
});
