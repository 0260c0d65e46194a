// Deletes, in pieces, sessions that have ended, what was valid once and has expired, tokens of workloads, and
// people long after their last login. Any number of replicas may do it at once.

import { type Counter, inPieces, type Logger, type Loop, startLoop } from "@annals/chassis";
import type { DatabaseClock } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { forgetPeople } from "../../people/forget-people.ts";
import { forgetTokens } from "../../workloads/forget-tokens.ts";
import { deleteExpiredSessions } from "../store/delete-expired-sessions.ts";
import { deleteExpiredUsedTokens } from "../store/delete-expired-used-tokens.ts";

export interface SessionSweepDeps {
  readonly clock: DatabaseClock;
  readonly database: Database;
  readonly swept: Pick<Counter<"kind">, "inc">;
  /** 0: people are kept. */
  readonly personRetentionDays: number;
}

const INTERVAL_MS = 600_000;
/** Rows of one statement. */
const PIECE = 500;

export function startSessionSweep(
  deps: SessionSweepDeps & { readonly log: Logger; readonly failures: Counter<"worker"> },
): Loop {
  return startLoop({
    name: "session_sweep",
    log: deps.log,
    failures: deps.failures,
    delayMs: INTERVAL_MS,
    run: (signal) => sweepSessions(deps, signal),
  });
}

/** Deletes all that is due now. Ends early when the signal is aborted. */
export async function sweepSessions(deps: SessionSweepDeps, signal?: AbortSignal): Promise<void> {
  const { database, personRetentionDays, swept } = deps;
  const sweep = async (kind: string, deletePiece: () => Promise<number>): Promise<void> => {
    const counted = async (): Promise<number> => {
      const deleted = await deletePiece();
      if (deleted > 0) swept.inc({ kind }, deleted);
      return deleted;
    };
    await inPieces(PIECE, counted, signal);
  };
  await sweep("sessions", async () => (await database.run(deleteExpiredSessions, [PIECE])).length);
  await sweep("used_tokens", async () => {
    return (await database.run(deleteExpiredUsedTokens, [PIECE])).length;
  });
  await sweep("workload_tokens", () => forgetTokens(deps, PIECE));
  if (personRetentionDays > 0)
    await sweep("people", () => forgetPeople(deps, personRetentionDays, PIECE));
}
