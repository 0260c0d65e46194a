// Gives each account that a sink of the operator is for its row, soon after its first event. Any number of
// replicas may do it at once. A row stays when its sink is taken out of the file: put back, it goes on where
// it was.

import { type Clock, newId, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { inPieces, type Logger, type Loop, startLoop } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
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

const DELAY_MS = 10_000;
const TIMEOUT_MS = 5_000;
/** Accounts of one call. */
const PIECE = 1_000;

export function startOperatorSinks(deps: OperatorSinksDeps): Loop {
  return startLoop({
    name: "operator_sinks",
    log: deps.log,
    failures: deps.metrics.failures,
    delayMs: DELAY_MS,
    initialDelayMs: 0,
    run: (signal) => addRows(deps, signal),
  });
}

/** Adds the rows that accounts lack. */
export async function addRows(deps: OperatorSinksDeps, signal: AbortSignal): Promise<void> {
  const sinks = [...deps.operatorSinks.values()];
  const namesFor = (accountId: string) =>
    sinks.filter((sink) => isFor(sink, accountId)).map(({ name }) => name);
  if (sinks.every(({ accounts }) => accounts === "system")) {
    if (sinks.length > 0) await addRowsOf(deps, [SYSTEM_ACCOUNT_ID], namesFor);
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
      await addRowsOf(deps, accountIds, namesFor);
      return accountIds.length;
    },
    signal,
  );
}

async function addRowsOf(
  { clock, database, producers, random }: OperatorSinksDeps,
  accountIds: readonly string[],
  namesFor: (accountId: string) => readonly string[],
): Promise<void> {
  const rows = await database.run(listOperatorSinks, [accountIds]);
  const found = new Set(rows.map((row) => `${row.account_id} ${row.operator}`));
  for (const accountId of accountIds) {
    const missing = namesFor(accountId).filter((name) => !found.has(`${accountId} ${name}`));
    if (missing.length === 0) continue;
    // It begins with the first event that retention has left: no event is lost that was there before it.
    const cursor = ((await producers.retainedFrom(accountId, 1n)) ?? 1n) - 1n;
    for (const name of missing) {
      const row = [accountId, newId("sink", random), name, clock.nowText(), cursor] as const;
      await database.forAccount(accountId).run(createOperatorSink, [...row]);
    }
  }
}
