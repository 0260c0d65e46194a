// Removes erased values from the files of the tables: VACUUM makes the space of old rows free, and later rows
// overwrite it. It waits some hours for further erasures, because a VACUUM reads much of the tables. An
// erasure is marked once no older snapshot can have kept its rows. If the role may not vacuum (PostgreSQL
// before 17), it follows autovacuum. Any number of replicas may do it: they skip a table that one vacuums.

import { AccountWork, inPieces, type Logger } from "@annals/chassis";
import { type Database, isDistributed } from "@annals/postgres";
import {
  getVacuumTimes,
  listUnvacuumed,
  measureErasures,
  recordVacuum,
  TABLES,
  type UnvacuumedRow,
} from "../store/vacuum.ts";

export interface VacuumDeps {
  readonly database: Database;
  readonly log: Logger;
  /** Resolves to the transaction before which deleted rows are gone; undefined if that is not known. */
  readonly vacuumTables: (
    tables: readonly string[],
    signal: AbortSignal,
  ) => Promise<bigint | undefined>;
}

/** Time from the end of a pass to the beginning of the next. */
export const DELAY_MS = 600_000;
/** The same after a VACUUM that did not remove all. */
export const RETRY_MS = 3_600_000;
/** Time from an erasure to its VACUUM, which is then also that of the erasures in between. */
export const GATHER_S = 12 * 3_600;
const PIECE = 1_000;

export class Vacuum {
  readonly #deps: VacuumDeps;
  readonly #work: AccountWork;

  constructor(deps: VacuumDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "vacuum");
  }

  /** Resolves to the delay before the next pass. */
  async run(signal: AbortSignal): Promise<number> {
    const { database, log, vacuumTables } = this.#deps;
    const [times] = await database.run(getVacuumTimes, []);
    if (times === undefined) return DELAY_MS;
    const { can_vacuum: canVacuum, vacuumed_s: vacuumedS } = times;
    if (!canVacuum) {
      await this.#record(signal, ({ age_s: ageS }) => vacuumedS !== null && ageS > vacuumedS);
      return DELAY_MS;
    }
    const [before] = await database.run(measureErasures, []);
    if ((before?.unvacuumed_s ?? 0) < GATHER_S) return DELAY_MS;
    const cutoff = await vacuumTables(TABLES, signal);
    // Over several servers nothing is known of their snapshots.
    const isKnown = cutoff !== undefined || !(await isDistributed(database));
    await this.#record(signal, ({ last_xid: last }) =>
      cutoff === undefined ? !isKnown : BigInt(last) < cutoff,
    );
    const [after] = await database.run(measureErasures, []);
    if ((after?.unvacuumed_s ?? 0) < GATHER_S) return DELAY_MS;
    log.warn({}, "erased values are still in the files of the tables: an older snapshot is open");
    return RETRY_MS;
  }

  async #record(signal: AbortSignal, isGone: (row: UnvacuumedRow) => boolean): Promise<void> {
    const { database } = this.#deps;
    const run = this.#work.begin(signal);
    let after: [string, string] = ["", ""];
    await inPieces(
      PIECE,
      async () => {
        const rows = await database.run(listUnvacuumed, [...after, PIECE]);
        await run.each(rows.filter(isGone), ({ account_id: accountId, id }) =>
          database.run(recordVacuum, [accountId, id]),
        );
        const last = rows.at(-1);
        if (last) after = [last.account_id, last.id];
        return rows.length;
      },
      signal,
    );
    run.end();
  }
}
