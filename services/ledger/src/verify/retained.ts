// The first event of a chain that retention has left. Called by verify-chain.ts and by the scheduled
// verification. It must never take events for deleted that no record of the chain names: these are missing.

import { checkLeaf, MAX_EVENT_DEPTH, readJson, RETENTION } from "@annals/event";
import type { Database } from "@annals/postgres";
import { type LifecycleRow, getLifecycle } from "../store/lifecycles.ts";
import { readRange } from "../store/read-range.ts";
import { chainRow } from "./chain-row.ts";

/** What retention has left. */
export interface Retained {
  /** The first event; 1 if nothing was deleted. */
  readonly from: number;
  /** The first row, which may be the leaf of a deleted event. */
  readonly leaves: number;
}

const ALL: Retained = { from: 1, leaves: 1 };
const LIMITS = { maxDepth: MAX_EVENT_DEPTH, maxValues: 1_000 };

export async function retainedOf(database: Database, accountId: string): Promise<Retained> {
  const [lifecycle] = await database.run(getLifecycle, [accountId]);
  if (!lifecycle || Number(lifecycle.deleted_through) === 0) return ALL;
  if (!(await isRecorded(database, accountId, lifecycle))) return ALL;
  return { from: Number(lifecycle.deleted_through) + 1, leaves: Number(lifecycle.min_index) + 1 };
}

/** Whether the last record of retention is what the chain has hashed, and names what is deleted. */
async function isRecorded(
  database: Database,
  accountId: string,
  { deleted_through: deleted, min_index: leaves, record_sequence: number }: LifecycleRow,
): Promise<boolean> {
  const [row] = await database.run(readRange, [accountId, number, number, 1]);
  if (row?.action !== RETENTION || Number(leaves) > Number(deleted)) return false;
  const { payload, ...leaf } = chainRow(row);
  if (!payload || payload.erased !== 0) return false;
  const { salts } = payload;
  if (checkLeaf({ ...leaf, chain: accountId, parts: payload, salts }) !== undefined) return false;
  const metadata = readJson(Buffer.from(payload.metadata), LIMITS);
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return false;
  const through = metadata["through_sequence"];
  return typeof through === "number" && through >= Number(deleted) && through < Number(number);
}
