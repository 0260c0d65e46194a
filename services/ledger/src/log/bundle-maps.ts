// The epochs that a bundle of evidence has of an account: epoch 1, the last one of each UTC day in which the
// chain grew, and the one with the head of the bundle. Called by list-heads.ts. Each step reads the epochs of
// one day at most, however old the log is.

import type { Database } from "@annals/postgres";
import { getEpoch, getLastMapOfDay, listMaps, type MapRow } from "./store/epochs.ts";
import { getNextAccountHead } from "./store/get-account-head.ts";
import type { CoveredHead } from "./covered-head.ts";

const DAY_MS = 86_400_000;

export interface MapPage {
  readonly accountId: string;
  /** Only later epochs. */
  readonly after: number;
  readonly count: number;
}

/** In their order. The last one of all is the epoch of the covered head. */
export async function bundleMaps(
  database: Database,
  covered: CoveredHead,
  { accountId, after, count }: MapPage,
): Promise<readonly MapRow[]> {
  const maps: MapRow[] = [];
  for (let last = after; maps.length < count;) {
    const map = await nextMap(database, covered, accountId, last);
    if (map === undefined) break;
    maps.push(map);
    last = Number(map.epoch);
  }
  return maps;
}

async function nextMap(
  database: Database,
  { epoch: end, log }: CoveredHead,
  accountId: string,
  after: number,
): Promise<MapRow | undefined> {
  const [next] = await database.run(getNextAccountHead, [accountId, log, String(after)]);
  const grown = Number(next?.epoch ?? end + 1);
  if (grown > end) return undefined;
  const day = await dayOf(database, log, grown);
  if (grown === 1 || grown === end || day === (await dayOf(database, log, end))) {
    const only = grown === 1 ? 1 : end;
    const [map] = await database.run(listMaps, [log, String(only - 1), String(only), 1]);
    return map;
  }
  const range = [String(grown), dayAfter(day), String(end - 1)] as const;
  const [map] = await database.run(getLastMapOfDay, [log, ...range]);
  return map;
}

/** The UTC day of an epoch, as YYYY-MM-DD. */
async function dayOf(database: Database, log: number, epoch: number): Promise<string> {
  const [row] = await database.run(getEpoch, [log, String(epoch)]);
  return (row?.time ?? "").slice(0, "YYYY-MM-DD".length);
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, "YYYY-MM-DD".length);
}
