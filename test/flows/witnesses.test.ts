// Guarantees: the log is served as far as a quorum of witnesses has signed it. One that is away costs nothing
// while the others make the quorum. If too many are away, the served checkpoint stays, appends go on, and the
// log catches up by itself. A witness gets one request in an interval, whatever the number of replicas.

import { eventually, newClient } from "@annals/testing";
import { noteSigner, parseCheckpoint, parseNote, verifyNote } from "@annals/tlog";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { FakeWitness } from "../system/fake-witness.ts";
import { metricOf } from "../system/metric-of.ts";

type System = Awaited<ReturnType<typeof startConstellation>>;

const ORIGIN = "log.example/witnesses";
const SLOW = { timeout: 60_000 };
const EVENT = { action: "thing.done" };

let system: System;
let client: Awaited<ReturnType<typeof newClient>>["client"];
let file: string;
let witnesses: [FakeWitness, FakeWitness];
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "annals-policy-"));
  closing.push(() => rm(folder, { recursive: true }));
  file = join(folder, "policy");
  witnesses = [
    new FakeWitness("one.example", 1, logKeys),
    new FakeWitness("two.example", 2, logKeys),
  ];
  for (const witness of witnesses) {
    await witness.start();
    closing.push(() => witness.stop());
  }
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** The keys of the log: what a witness is configured with. */
function logKeys() {
  const line = readFileSync(join(system.dataDir, "log-key"), "utf8").trim();
  return [noteSigner(ORIGIN, Buffer.from(line, "base64")).key];
}

const policyOf = (quorum: string) =>
  `${witnesses[0].line("w1")}${witnesses[1].line("w2")}group any any w1 w2\nquorum ${quorum}\n`;

async function write(policy: string): Promise<void> {
  await writeFile(`${file}.new`, policy);
  await rename(`${file}.new`, file);
}

async function start(policy: string): Promise<void> {
  await write(policy);
  const policyFile = { ANNALS_LOG_POLICY_FILE: file };
  system = await startConstellation({
    shared: inject("stack"),
    without: ["export"],
    replicas: { "webhook-dispatcher": 2 },
    env: {
      ledger: { ...policyFile, ANNALS_LOG_EPOCH_S: "1", ANNALS_LOG_ORIGIN: ORIGIN },
      "webhook-dispatcher": { ...policyFile, ANNALS_LOG_WITNESS_INTERVAL_S: "1" },
    },
  });
  closing.push(() => system.stop());
  ({ client } = await newClient(system));
}

async function append(): Promise<void> {
  expect((await client.post("/v1/events", EVENT)).status).toBe(201);
}

async function servedNote(): Promise<string> {
  const answer = await fetch(new URL("/log/checkpoint", system.url));
  return answer.status === 200 ? answer.text() : "";
}

async function servedSize(): Promise<number> {
  const note = await servedNote();
  return note === "" ? 0 : parseCheckpoint(parseNote(note).text).size;
}

/** Covers one more event, and resolves to the size that is served then. */
async function oneMore(): Promise<number> {
  const before = await servedSize();
  await append();
  return eventually(async () => {
    const size = await servedSize();
    expect(size).toBeGreaterThan(before);
    return size;
  }, SLOW);
}

test("the served checkpoint has the signature of a quorum, and comes back by itself after an outage", async () => {
  await start(policyOf("any"));
  await oneMore();
  const note = parseNote(await servedNote());
  const { signed } = verifyNote(
    note,
    witnesses.map(({ key }) => key),
  );
  expect(signed.length).toBeGreaterThan(0);
  await witnesses[1].stop();
  await oneMore();
  await witnesses[0].stop();
  const before = await servedNote();
  await append();
  const counted = witnesses[0].answered.length;
  await eventually(async () => {
    const failed = `annals_log_witness_requests_total{outcome="failed"`;
    const dispatchers = system.processes.filter(({ service }) => service === "webhook-dispatcher");
    const all = await Promise.all(dispatchers.map(({ adminUrl }) => metricOf(adminUrl, failed)));
    expect(all.reduce((sum, each) => sum + each)).toBeGreaterThan(3);
  }, SLOW);
  expect(await servedNote()).toContain(before.split("\n\n")[0]);
  await append();
  await witnesses[0].start();
  await eventually(async () => {
    expect(parseCheckpoint(parseNote(await servedNote()).text).size).toBeGreaterThan(
      parseCheckpoint(parseNote(before).text).size,
    );
  }, SLOW);
  expect(witnesses[0].answered.length).toBeGreaterThan(counted);
}, 180_000);
