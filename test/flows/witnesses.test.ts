// Guarantees: the log is served as far as a quorum of witnesses has signed it. One that is away costs nothing
// while the others make the quorum. If too many are away, the served checkpoint stays, appends go on, and the
// log catches up by itself. A witness gets one request in an interval, whatever the number of replicas.

import { eventually, newClient } from "@annals/testing";
import { noteSigner, parseCheckpoint, parseNote, type VerifierKey, verifyNote } from "@annals/tlog";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { FakeWitness } from "../system/fake-witness.ts";
import { metricOf } from "../system/metric-of.ts";

type System = Awaited<ReturnType<typeof startConstellation>>;

const ORIGIN = "log.example/witnesses";
const WITHIN_MS = 60_000;
const LONG_MS = 180_000;
const EVENT = { action: "thing.done" };

let system: System;
let client: Awaited<ReturnType<typeof newClient>>["client"];
let file: string;
/** Of the log. */
let keys: VerifierKey[];
/** What the second witness is configured with, if it is something else. */
let keysOfTwo: VerifierKey[] | undefined;
let witnesses: [FakeWitness, FakeWitness];
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  [keys, keysOfTwo] = [[], undefined];
  const folder = await mkdtemp(join(tmpdir(), "annals-policy-"));
  closing.push(() => rm(folder, { recursive: true }));
  file = join(folder, "policy");
  witnesses = [
    new FakeWitness("one.example", 1, logKeys),
    new FakeWitness("two.example", 2, () => keysOfTwo ?? keys),
  ];
  for (const witness of witnesses) {
    await witness.start();
    closing.push(() => witness.stop());
  }
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** What a witness is configured with. */
const logKeys = () => keys;

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
      "webhook-dispatcher": policyFile,
    },
  });
  closing.push(() => system.stop());
  const line = await readFile(join(system.dataDir, "log-key"), "utf8");
  keys = [noteSigner(ORIGIN, Buffer.from(line.trim(), "base64")).key];
  ({ client } = await newClient(system));
}

async function append(): Promise<void> {
  expect((await client.post("/v1/events", EVENT)).status).toBe(201);
}

async function servedNote(): Promise<string> {
  const answer = await fetch(`${system.baseUrls[0]}/log/checkpoint`);
  return answer.status === 200 ? answer.text() : "";
}

const sizeOf = (note: string): number =>
  note === "" ? 0 : parseCheckpoint(parseNote(note).text).size;

const servedBeyond = (size: number): Promise<string> =>
  eventually(
    `a served checkpoint beyond ${size}`,
    async () => {
      const note = await servedNote();
      return sizeOf(note) > size && note;
    },
    WITHIN_MS,
  );

/** Covers one more event, and resolves to the checkpoint that is served then. */
async function oneMore(): Promise<string> {
  const before = sizeOf(await servedNote());
  await append();
  return servedBeyond(before);
}

/** Requests to witnesses with an outcome, of all replicas. */
async function requests(outcome: string): Promise<number> {
  const metric = `annals_log_witness_requests_total{outcome="${outcome}"`;
  const dispatchers = system.processes.filter(({ service }) => service === "webhook-dispatcher");
  const all = await Promise.all(dispatchers.map(({ adminUrl }) => metricOf(adminUrl, metric)));
  return all.reduce((sum, each) => sum + each);
}

const until = (outcome: string, count: number) =>
  eventually(`requests: ${outcome}`, async () => (await requests(outcome)) >= count, WITHIN_MS);

const signers = (note: string) => {
  const own = witnesses.flatMap(({ key, mlDsaKey }) => [key, mlDsaKey]);
  return verifyNote(parseNote(note), own).signed.map(({ key }) => key.name);
};

test(
  "what is served is signed by a quorum, stays in an outage of all, and goes on by itself",
  async () => {
    await start(policyOf("any"));
    expect(signers(await oneMore())).not.toEqual([]);
    await witnesses[1].stop();
    expect(signers(await oneMore())).toEqual(["one.example"]);
    await witnesses[0].stop();
    const before = await servedNote();
    await append();
    await until("failed", (await requests("failed")) + 3);
    expect(sizeOf(await servedNote())).toBe(sizeOf(before));
    await append();
    await witnesses[0].start();
    expect(signers(await servedBeyond(sizeOf(before)))).toEqual(["one.example"]);
  },
  LONG_MS,
);

test(
  "with `quorum none` it is served without a witness",
  async () => {
    await start(policyOf("none"));
    for (const witness of witnesses) await witness.stop();
    await oneMore();
    expect(parseNote(await oneMore()).signatures).toHaveLength(1);
  },
  LONG_MS,
);

test(
  "a witness that refuses is passed over, and one that has seen another size gets the proof for it",
  async () => {
    await start(policyOf("any"));
    await oneMore();
    const [one, two] = witnesses;
    one.refuses = 403;
    const note = await oneMore();
    await until("refused", (await requests("refused")) + 1);
    expect(signers(note)).toContain("two.example");
    two.seen.clear();
    await oneMore();
    expect(two.answered).toContain(409);
    expect(two.answered.at(-1)).toBe(200);
    // Its own view is what it has signed.
    const log = createHash("sha256").update(ORIGIN).digest("hex");
    const view = await (await fetch(`${two.url}${log}/checkpoint`)).text();
    expect(signers(view)).toEqual(["two.example"]);
  },
  LONG_MS,
);

test(
  "a witness that knows another key of the log answers 403, and signs once it knows the right one",
  async () => {
    await start(policyOf("any"));
    const [one, two] = witnesses;
    keysOfTwo = [noteSigner(ORIGIN, Buffer.alloc(32, 9)).key];
    const note = await oneMore();
    await eventually("a refusal", () => two.answered.includes(403), WITHIN_MS);
    expect(signers(note)).toEqual(["one.example"]);
    keysOfTwo = undefined;
    await one.stop();
    expect(signers(await oneMore())).toEqual(["two.example"]);
  },
  LONG_MS,
);

test(
  "ML-DSA-44 counts, alone and beside Ed25519, and another policy needs no restart",
  async () => {
    await start(policyOf("any"));
    const [one, two] = witnesses;
    await oneMore();
    two.refuses = 503;
    one.lines = "both";
    await write(`${one.line("w1")}${one.line("w1b", one.mlDsaKey)}group w any w1 w1b\nquorum w\n`);
    await eventually("both lines", async () => signers(await oneMore()).length === 2, WITHIN_MS);
    one.lines = "ml-dsa";
    await oneMore();
    const alone = await oneMore();
    expect(verifyNote(parseNote(alone), [one.mlDsaKey]).signed).toHaveLength(1);
    expect(parseNote(alone).signatures).toHaveLength(2);
  },
  LONG_MS,
);
