// Guarantee: kill -9 of keys and of ledgers at any moment of closing an epoch, with two replicas of each,
// skips no epoch, makes no second head of one size, and changes no checkpoint that was once shown. After
// each kill the log goes on, and in the end it covers every event.

import type { StackProcess } from "@annals/local";
import {
  append,
  checkpointText,
  EMPTY_TREE,
  entryHash,
  parseEntry,
  parseNote,
  parseVkey,
  rootOf,
  verifyNote,
} from "@annals/tlog";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { allServing, processesOf, startTestbed, type Testbed } from "../system/testbed.ts";
import { report } from "../system/report.ts";

const { rounds } = inject("form").epochKills;
const EPOCH_S = 1;
/** The time in which an epoch is proposed, signed and stored, and the one until the next. */
const KILLED_WITHIN_MS = 1_500;
const COVERED_WITHIN = { timeout: 60_000, interval: 100 };

let bed: Testbed;
/** Each checkpoint that was shown, by its size. */
const shown = new Map<string, string>();

beforeAll(async () => {
  bed = await startTestbed({
    replicas: { gateway: 1, keys: 2, ledger: 2 },
    env: { ledger: { ANNALS_LOG_EPOCH_S: String(EPOCH_S) } },
  });
});
afterAll(() => bed?.stop());

const [ORIGIN_LINE, SIZE_LINE] = [0, 1];

/** Reads the head log's checkpoint as anyone does, and expects it to be the one that was shown before. */
async function look(): Promise<void> {
  const response = await fetch(`${bed.stack.baseUrls[0]}/log/checkpoint`).catch(() => undefined);
  if (response?.status !== 200) return;
  const checkpoint = await response.text();
  const size = checkpoint.split("\n")[SIZE_LINE] ?? "";
  expect(shown.get(size) ?? checkpoint).toBe(checkpoint);
  shown.set(size, checkpoint);
}

async function covered(): Promise<number> {
  await look();
  const { body } = await bed.clients[0]!.get("/v1/log");
  return Number(body.data?.covered?.sequence_number ?? 0);
}

async function untilCovered(events: number): Promise<void> {
  await vi.waitFor(
    async () => expect(await covered()).toBeGreaterThanOrEqual(events),
    COVERED_WITHIN,
  );
}

test(`${rounds} kills of keys and ledgers`, async () => {
  let stored = 0;
  for (let round = 0; round < rounds; round += 1) {
    const victims = processesOf(bed.stack, round % 2 === 0 ? "ledger" : "keys");
    const victim = victims[randomInt(victims.length)] as StackProcess;
    const { status } = await bed.clients[0]!.post("/v1/events", { action: `round.${round}` });
    expect(status).toBe(201);
    stored += 1;
    await pause(randomInt(KILLED_WITHIN_MS));
    expect(victim.kill("SIGKILL")).toBe(true);
    await allServing(bed.stack);
    await untilCovered(stored);
  }
  const vkeys = (await (await fetch(`${bed.stack.baseUrls[0]}/log/vkey`)).text()).trimEnd();
  const keys = vkeys.split("\n").map((vkey) => parseVkey(vkey));
  const epochs = await bed.owner.query<{ epoch: string; entry: string; checkpoint: string }>(
    "SELECT epoch, entry, checkpoint FROM ledger.epochs ORDER BY epoch",
  );
  let tree = EMPTY_TREE;
  for (const [at, { checkpoint, entry, epoch }] of epochs.entries()) {
    expect([Number(epoch), parseEntry(entry).epoch]).toEqual([at + 1, at + 1]);
    tree = append(tree, [entryHash(Buffer.from(entry))]);
    const note = parseNote(checkpoint);
    verifyNote(note, keys);
    const origin = note.text.split("\n")[ORIGIN_LINE] ?? "";
    expect(note.text).toBe(checkpointText({ origin, size: tree.size, root: rootOf(tree) }));
    expect(shown.get(epoch) ?? checkpoint).toBe(checkpoint);
  }
  expect(shown.size).toBeGreaterThan(1);
  report({ rounds, epochs: epochs.length, checkpoints: shown.size });
});
