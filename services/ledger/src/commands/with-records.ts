// What the commands that append records share: they write with the rights of the ledger, as another ledger
// next to those that run, and the lock of the chain's head puts them in order. Called by the commands of
// erasures, holds and retention.

import { type CommandContext, createRegistry } from "@annals/chassis";
import { CommandError, requiredOption, UsageError } from "@annals/cli";
import { ComparedClock, pooledRandom } from "@annals/contract";
import { compareClock, type Pool, withCommandPool } from "@annals/postgres";
import { AppendQueue } from "../append/append-queue.ts";
import { ROLE, type SETTINGS } from "../config.ts";
import type { RecordActor } from "../append/rules/record-events.ts";
import { createMetrics } from "../metrics.ts";
import { getHeadSequences } from "../store/get-head-sequences.ts";

export type Context = CommandContext<typeof SETTINGS>;

export const REQUIRES = "Requires the ANNALS_DATABASE_URL of the ledger.";
export const EXAMPLE = "--account acct_2r8w4y6b1e3g5j7m9p0s2v4x6z";
export const ACCOUNT = requiredOption("<id>", "Id of the account");
export const OPERATOR: RecordActor = { type: "operator" };

/** A misspelled id would begin a chain of its own. */
export async function requireChain(database: Pool, accountId: string): Promise<void> {
  const [head] = await database.forAccount(accountId).run(getHeadSequences, [[accountId]]);
  if (head === undefined)
    throw new UsageError(
      `--account: ${accountId} has no event: the account is new or does not exist`,
    );
}

/** The webhook dispatcher gets no notice of what a command records: its sweep finds it. */
export function withRecords<T>(
  { config, log }: Context,
  work: (deps: RecordDeps) => Promise<T>,
): Promise<T> {
  const pool = { config, role: ROLE, applicationName: "annals-ledger-command", log };
  return withCommandPool(pool, async (database) => {
    const [clock, random] = [new ComparedClock(), pooledRandom()];
    await compareClock(clock, database);
    requireRightClock(clock);
    const metrics = createMetrics(createRegistry("ledger"));
    const notices = { notify: () => {} };
    const appends = new AppendQueue({ clock, database, log, metrics, notices, random });
    return work({ appends, clock, database, random });
  });
}

/** What an operator's machine with a wrong clock appends would be in the chain permanently. */
export function requireRightClock(clock: ComparedClock): void {
  const fault = clock.fault();
  if (fault !== undefined) throw new CommandError(`${fault}: set the clock of this machine`);
}

type RecordDeps = Pick<ConstructorParameters<typeof AppendQueue>[0], "clock" | "random"> & {
  readonly appends: AppendQueue;
  readonly database: Pool;
};
