// The unit in which the CPU of tests is budgeted: a fixed piece of work, so that a slow machine, or one whose
// cores are shared, has the same figures as a quick one. One unit is about a second of a quiet core.

import { createHash } from "node:crypto";

/** What is measured each time: a quarter of a unit. */
const PART = 0.25;
const HASHED_BYTES = 16 * 1024 * 1024;
const HASH_ROUNDS = 12;
const RECORDS = 1_000;
const JSON_ROUNDS = 60;

/** Seconds of CPU of one unit, now. */
export function measureUnit(): number {
  const started = process.cpuUsage();
  work();
  const { system, user } = process.cpuUsage(started);
  return (system + user) / 1_000_000 / PART;
}

function work(): void {
  const bytes = Buffer.alloc(HASHED_BYTES, "annals");
  for (let round = 0; round < HASH_ROUNDS; round += 1) createHash("sha256").update(bytes).digest();
  const records = Array.from({ length: RECORDS }, (_, at) => ({ id: `evt_${at}`, at, tags: [at] }));
  for (let round = 0; round < JSON_ROUNDS; round += 1) JSON.parse(JSON.stringify(records));
}
