// Says to the ledger that a service has no copy of an erased value left. Started by the services that keep
// copies, which find and delete theirs. Any number of replicas may do it at once. It must never confirm an
// erasure in a pass that has found a copy.

import {
  AccountWork,
  type Counter,
  inPieces,
  type Logger,
  type Loop,
  startLoop,
} from "@annals/chassis";
import type { ErasureCopy, LedgerService, OpenErasure } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";

export type ErasureLedger = Pick<
  Client<typeof LedgerService>,
  "confirmErasure" | "listOpenErasures"
>;

export interface ErasedCopiesOptions {
  readonly copy: ErasureCopy;
  readonly failures: Counter<"worker">;
  readonly ledger: ErasureLedger;
  readonly log: Logger;
  /** Deletes the copies of an erasure. Resolves to whether nothing is left: the erasure is then confirmed. */
  readonly clear: (erasure: OpenErasure, signal: AbortSignal) => Promise<boolean>;
  /** An erasure is cleared from this age on, by the clock of the ledger; by default at once. */
  readonly settledS?: number;
}

const DELAY_MS = 10_000;
const ERASURES = 1_000;

/** Looks for open erasures every ten seconds. */
export function startErasedCopies(options: ErasedCopiesOptions): Loop {
  const work = new AccountWork(options.log, "erased_copies");
  return startLoop({
    name: "erased_copies",
    log: options.log,
    failures: options.failures,
    delayMs: DELAY_MS,
    // The ledger may start at the same time.
    initialDelayMs: DELAY_MS,
    run: (signal) => clearErasedCopies(options, signal, work),
  });
}

/** One pass over all open erasures. */
export async function clearErasedCopies(
  { clear, copy, ledger, log, settledS = 0 }: Omit<ErasedCopiesOptions, "failures">,
  signal: AbortSignal,
  work = new AccountWork(log, "erased_copies"),
): Promise<void> {
  const run = work.begin(signal);
  const clearOne = async ({ erasure }: { readonly erasure: OpenErasure }): Promise<void> => {
    const { accountId, id } = erasure;
    if (await clear(erasure, signal))
      await ledger.confirmErasure({ accountId, copy, id }, { signal });
  };
  let after = { afterAccountId: "", afterId: "" };
  await inPieces(
    ERASURES,
    async () => {
      const request = { ...after, copy, limit: ERASURES };
      const { erasures } = await ledger.listOpenErasures(request, { signal });
      const settled = erasures.filter(({ ageS }) => ageS >= settledS);
      const rows = settled.map((erasure) => ({ account_id: erasure.accountId, erasure }));
      await run.each(rows, clearOne);
      const last = erasures.at(-1);
      if (last) after = { afterAccountId: last.accountId, afterId: last.id };
      return erasures.length;
    },
    signal,
  );
  run.end();
}
