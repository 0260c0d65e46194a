// The sweep: compares, every few seconds, the cursors of every account that has subscribers with the
// positions of the producers, and hands accounts that are behind to the fan-out. So a lost notice, or a NATS
// outage, costs seconds and nothing else. Any number of replicas may sweep at once. While there is no
// subscriber it rests until serve.ts announces one that this process has created.

import {
  type AccountRun,
  AccountWork,
  inPieces,
  type Logger,
  MAX_BACKOFF_MS,
  REST_MS,
  type RestingLoop,
  startResting,
} from "@annals/chassis";
import { NOTICE_KINDS } from "@annals/messaging";
import type { Database } from "@annals/postgres";
import { patternsOf } from "../../webhooks/rules/kinds.ts";
import type { Metrics } from "../../metrics.ts";
import type { Producers } from "../../outbound/producers.ts";
import {
  listSubscribedAccounts,
  type SubscribedAccountRow,
} from "../store/list-subscribed-accounts.ts";
import type { FanOut } from "./fan-out.ts";
import { OutboxLag } from "./outbox-lag.ts";

export interface SweepDeps {
  readonly database: Database;
  readonly fanOut: Pick<FanOut, "notify">;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly producers: Pick<Producers, "positions">;
  readonly intervalMs: number;
}

/** Maximum accounts of one call to a producer. */
const ACCOUNTS_PER_CALL = 1_000;
/** Maximum time by which a producer that does not respond delays the next sweep. */
const POSITIONS_TIMEOUT_MS = 3_000;

export function startSweep(deps: SweepDeps): RestingLoop {
  const lag = new OutboxLag(deps.metrics, () => performance.now());
  const name = "sweep";
  const work = new AccountWork(deps.log, name);
  return startResting({
    name,
    log: deps.log,
    failures: deps.metrics.failures,
    initialDelayMs: deps.intervalMs,
    delayMs: deps.intervalMs,
    // One unreachable producer must not delay what the sweep finds at the other.
    maxBackoffMs: Math.min(deps.intervalMs, MAX_BACKOFF_MS),
    run: (signal) => sweep(deps, lag, work.begin(signal)).finally(() => lag.report()),
  });
}

/** Resolves to the delay before the next. */
async function sweep(deps: SweepDeps, lag: OutboxLag, run: AccountRun): Promise<number> {
  let after = "";
  let hasSubscribers = false;
  const comparePiece = async (): Promise<number> => {
    const accounts = await run.list(after, () =>
      deps.database.run(listSubscribedAccounts, [
        after,
        ACCOUNTS_PER_CALL,
        patternsOf("events"),
        patternsOf("verifications"),
        patternsOf("exports"),
      ]),
    );
    hasSubscribers ||= accounts.length > 0;
    if (accounts.length > 0) await compare(deps, accounts, lag);
    after = accounts.at(-1)?.account_id ?? "";
    return accounts.length;
  };
  await inPieces(ACCOUNTS_PER_CALL, comparePiece, run.signal);
  run.end();
  return hasSubscribers ? deps.intervalMs : Math.max(deps.intervalMs, REST_MS);
}

/** Asks each producer separately: if one fails, the other must still be asked. */
async function compare(
  { fanOut, metrics, producers }: SweepDeps,
  accounts: readonly SubscribedAccountRow[],
  lag: OutboxLag,
): Promise<void> {
  const ids = accounts.map(({ account_id }) => account_id);
  const options = { timeoutMs: POSITIONS_TIMEOUT_MS };
  const results = await Promise.allSettled([
    producers.positions(ids, ["events", "verifications"], options),
    producers.positions(ids, ["exports"], options),
  ]);
  for (const result of results) {
    if (result.status === "rejected") continue;
    for (const [index, account] of accounts.entries()) {
      for (const kind of NOTICE_KINDS) {
        const position = result.value[index]?.[kind] ?? 0n;
        const cursor = account[kind];
        if (cursor === null || position <= BigInt(cursor)) continue;
        lag.found(kind, account.account_id, BigInt(cursor), position);
        metrics.sweepFinds.inc({ kind });
        fanOut.notify({ kind, accountId: account.account_id, position });
      }
    }
  }
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
