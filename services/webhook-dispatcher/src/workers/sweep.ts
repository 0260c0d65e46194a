// Looks every few seconds for what no notice told of: it compares the cursors of every account that
// has subscribers with how far the producers reach. So a notice that is lost, or a NATS that is
// away, costs seconds and nothing else.

import type { Logger } from "@annals/chassis";
import { NOTICE_KINDS } from "@annals/messaging";
import type { Database } from "@annals/postgres";
import { patternsOf } from "../domain/kinds.ts";
import type { Metrics } from "../metrics.ts";
import type { Producers } from "../outbound/producers.ts";
import {
  listSubscribedAccounts,
  type SubscribedAccountRow,
} from "../store/list-subscribed-accounts.ts";
import type { FanOut } from "./fan-out.ts";
import { Wake } from "./wake.ts";

export interface SweepDeps {
  readonly database: Database;
  readonly fanOut: Pick<FanOut, "look">;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly producers: Pick<Producers, "positions">;
  readonly intervalMs: number;
}

/** What one call may ask the producers. */
const ACCOUNTS_PER_CALL = 1_000;

/** Begins to sweep; the returned function ends it and resolves when nothing is under way. */
export function startSweep(deps: SweepDeps): () => Promise<void> {
  const wake = new Wake();
  let isStopping = false;
  const loop = (async () => {
    while (!isStopping) {
      await wake.wait(deps.intervalMs);
      if (!isStopping) await sweep(deps);
    }
  })();
  return () => {
    isStopping = true;
    wake.wake();
    return loop;
  };
}

async function sweep(deps: SweepDeps): Promise<void> {
  const { database, log, metrics } = deps;
  try {
    let after = "";
    for (;;) {
      const accounts = await database.run(listSubscribedAccounts, [
        after,
        ACCOUNTS_PER_CALL,
        patternsOf("events"),
        patternsOf("verifications"),
        patternsOf("exports"),
      ]);
      if (accounts.length > 0) await compare(deps, accounts);
      const last = accounts.at(-1);
      if (!last || accounts.length < ACCOUNTS_PER_CALL) return;
      after = last.account_id;
    }
  } catch (error) {
    metrics.failures.inc({ worker: "sweep" });
    log.warn({ err: error }, "sweep failed");
  }
}

/** Each producer by itself: that one is away must not keep the other from being asked. */
async function compare(
  { fanOut, metrics, producers }: SweepDeps,
  accounts: readonly SubscribedAccountRow[],
): Promise<void> {
  const ids = accounts.map(({ account_id }) => account_id);
  const answers = await Promise.allSettled([
    producers.positions(ids, ["events", "verifications"]),
    producers.positions(ids, ["exports"]),
  ]);
  for (const answer of answers) {
    if (answer.status === "rejected") continue;
    for (const [index, account] of accounts.entries()) {
      for (const kind of NOTICE_KINDS) {
        const position = answer.value[index]?.[kind] ?? 0n;
        const cursor = account[kind];
        if (cursor === null || position <= BigInt(cursor)) continue;
        metrics.sweepFinds.inc({ kind });
        fanOut.look({ kind, accountId: account.account_id, position });
      }
    }
  }
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed) throw failed.reason;
}
