// Compares the runs of times of a chunk with its events: a count reads the bars of events from them. Called
// by block-checker.ts. It must never name an event that retention has deleted: its time is in no row.

import type { Database } from "@annals/postgres";
import { findWrongRun, type UNITS } from "../counts/rules/wrong-run.ts";
import { CHUNK_SIZE, chunkOf } from "../search/rules/chunk.ts";
import { readRange } from "../store/read-range.ts";
import type { Range } from "./blocks.ts";
import { getRuns, makeRuns } from "./store/get-runs.ts";

interface WrongTime {
  readonly sequenceNumber: number;
  readonly id: string;
  readonly unit: (typeof UNITS)[number];
}

/** The first event of a range within a chunk that a count would put into a wrong bar. */
export async function findWrongTime(
  database: Database,
  accountId: string,
  { from, to }: Range,
): Promise<WrongTime | undefined> {
  const base = chunkOf(from) * CHUNK_SIZE;
  const [stored] = await database.run(getRuns, [accountId, base]);
  // What is not in the index is named by its times.
  if (!stored) return undefined;
  const [made] = await database.run(makeRuns, [accountId, base]);
  const [minutes, quarters] = made?.runs ?? [Buffer.of(), Buffer.of()];
  for (let next = from; next <= to;) {
    const places = { from: next - base - 1, to: to - base - 1 };
    const wrong = findWrongRun(stored, { minutes, quarters }, places);
    if (!wrong) return undefined;
    const number = base + wrong.place + 1;
    // oxlint-disable-next-line no-await-in-loop -- again only where retention has deleted events meanwhile
    const [event] = await database.run(readRange, [accountId, String(number), String(to), 1]);
    if (!event) return undefined;
    next = Number(event.sequence_number);
    if (next === number) return { sequenceNumber: next, id: event.id, unit: wrong.unit };
  }
  return undefined;
}
