// Gives each account that a sink of the operator is for its row, soon after its first event. Any number of
// replicas may do it at once. A row stays when its sink is taken out of the file: put back, it goes on where
// it was.

import { type Clock, newId, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import {
  type AccountRun,
  AccountWork,
  inPieces,
  type Logger,
  type Loop,
  startLoop,
} from "@annals/chassis";
import { type Pool, readAccounts } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { isFor, type OperatorSinks } from "../rules/operator-sink.ts";
import type { Metrics } from "../../metrics.ts";
import type { Producers } from "../../outbound/producers.ts";
import { createOperatorSink, listOperatorSinks } from "../store/operator-sinks.ts";

export interface OperatorSinksDeps {
  readonly accounts: Pick<Client<typeof LedgerService>, "listAccounts">;
  readonly clock: Clock;
  readonly database: Pool;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, "failures">;
  readonly operatorSinks: OperatorSinks;
  readonly producers: Pick<Producers, "retainedFrom">;
  readonly random: (size: number) => Uint8Array;
}

const NAME = "operator_sinks";
const DELAY_MS = 10_000;
const TIMEOUT_MS = 5_000;
/** Accounts of one call. */
const PIECE = 1_000;

export function startOperatorSinks(deps: OperatorSinksDeps): Loop {
  const work = new AccountWork(deps.log, NAME);
  return startLoop({
    name: NAME,
    log: deps.log,
    failures: deps.metrics.failures,
    delayMs: DELAY_MS,
    initialDelayMs: 0,
    run: (signal) => addRows(deps, signal, work),
  });
}

/** Adds the rows that accounts lack. An account that fails does not stop the others. */
export async function addRows(
  deps: OperatorSinksDeps,
  signal: AbortSignal,
  work = new AccountWork(deps.log, NAME),
): Promise<void> {
  const run = work.begin(signal);
  const sinks = [...deps.operatorSinks.values()];
  if (sinks.every(({ accounts }) => accounts === "system")) {
    if (sinks.length > 0) await addRowsOf(deps, [SYSTEM_ACCOUNT_ID], run);
    run.end();
    return;
  }
  let after = "";
  await inPieces(
    PIECE,
    async () => {
      const request = { afterAccountId: after, limit: PIECE };
      const options = { signal, timeoutMs: TIMEOUT_MS };
      const { accountIds } = await deps.accounts.listAccounts(request, options);
      after = accountIds.at(-1) ?? after;
      await addRowsOf(deps, accountIds, run);
      return accountIds.length;
    },
    signal,
  );
  run.end();
}

async function addRowsOf(
  { clock, database, operatorSinks, producers, random }: OperatorSinksDeps,
  accountIds: readonly string[],
  run: AccountRun,
): Promise<void> {
  const { failed, rows } = await readAccounts(database, accountIds, {
    together: () => database.run(listOperatorSinks, [accountIds]),
    each: (accountId) => database.run(listOperatorSinks, [[accountId]]),
  });
  const found = new Set(rows.map((row) => `${row.account_id} ${row.operator}`));
  const lacking = accountIds.flatMap((accountId) => {
    const sinks = [...operatorSinks.values()].filter((sink) => isFor(sink, accountId));
    const missing = sinks.flatMap(({ name }) => (found.has(`${accountId} ${name}`) ? [] : [name]));
    return failed.has(accountId) || missing.length === 0
      ? []
      : [{ account_id: accountId, missing }];
  });
  await run.each(lacking, async ({ account_id: accountId, missing }) => {
    // It begins with the first event that retention has left: no event is lost that was there before it.
    const cursor = ((await producers.retainedFrom(accountId, 1n)) ?? 1n) - 1n;
    for (const name of missing) {
      const row = [accountId, newId("sink", random), name, clock.nowText(), cursor] as const;
      await database.forAccount(accountId).run(createOperatorSink, [...row]);
    }
  });
}
