// Thins what is kept to prove heads of old epochs: the maps of epochs, and the heads of accounts. All of a
// day stay, then those of the last epoch of each hour for two weeks, then of the last epoch of each day,
// and those of epoch 1. Entries and checkpoints stay permanently. Any number of replicas may do it at the
// same time.

import type { DatabaseClock } from "@annals/contract";
import { type Database, isDistributed, workOnEach } from "@annals/postgres";
import { thinAccountHeads } from "../store/account-heads.ts";
import { forgetMaps, type KeptMapRow, listKeptMaps } from "../store/epochs.ts";
import { listTreeHeads } from "../store/list-tree-heads.ts";
import { getLog } from "../store/logs.ts";

export const DELAY_MS = 600_000;
const MS_PER_DAY = 86_400_000;
const ALL_FOR_MS = MS_PER_DAY;
const HOURLY_FOR_MS = 14 * MS_PER_DAY;
/** Characters of a time that name its hour, and its day. */
const HOUR = "YYYY-MM-DDTHH".length;
const DAY = "YYYY-MM-DD".length;
const MAPS = 5_000;
const ACCOUNTS = 1_000;

interface LogThinningDeps {
  readonly clock: DatabaseClock;
  readonly database: Database;
}

/** Maps of which only the last one stays, and the kept one before them. */
interface Thinned {
  readonly after: string;
  readonly forgotten: readonly string[];
  readonly last: string;
}

export class LogThinning {
  readonly #deps: LogThinningDeps;

  constructor(deps: LogThinningDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<number> {
    const { clock, database } = this.#deps;
    const [log] = await database.run(getLog, []);
    if (log === undefined) return DELAY_MS;
    const maps = await database.run(listKeptMaps, [log.log, "1", MAPS]);
    for (const { after, forgotten, last } of thinnedOf(maps, clock.nowMicros() / 1e3)) {
      if (signal.aborted) break;
      // The heads first: a map that is kept is looked at again.
      await this.#thinHeads(log.log, after, last);
      await database.run(forgetMaps, [log.log, forgotten]);
    }
    return DELAY_MS;
  }

  async #thinHeads(log: number, after: string, to: string): Promise<void> {
    const { database } = this.#deps;
    for (let last = ""; ;) {
      const page = await database.run(listTreeHeads, [last, ACCOUNTS]);
      const ids = page.map((row) => row.account_id);
      const thin = (some: readonly string[]) =>
        database.run(thinAccountHeads, [some, log, after, to]);
      if (await isDistributed(database)) await workOnEach(ids, (accountId) => thin([accountId]));
      else if (ids.length > 0) await thin(ids);
      if (page.length < ACCOUNTS) return;
      last = ids.at(-1) ?? "";
    }
  }
}

/** Neighbours of the same hour, or of the same day, by their age. */
function thinnedOf(maps: readonly KeptMapRow[], nowMs: number): Thinned[] {
  const found: Thinned[] = [];
  let [after, group] = ["1", [] as string[]];
  for (const [at, { epoch, time }] of maps.entries()) {
    group.push(epoch);
    const next = maps[at + 1]?.time;
    const length = lengthOf(nowMs - Date.parse(time));
    if (next !== undefined && length > 0 && next.slice(0, length) === time.slice(0, length))
      continue;
    if (group.length > 1) found.push({ after, forgotten: group.slice(0, -1), last: epoch });
    [after, group] = [epoch, []];
  }
  return found;
}

/** How much of a time is the same for maps of which one stays; 0 if all stay. */
function lengthOf(ageMs: number): number {
  if (ageMs <= ALL_FOR_MS) return 0;
  return ageMs <= HOURLY_FOR_MS ? HOUR : DAY;
}
