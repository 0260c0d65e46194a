// Deletes what may hold erased values: exports whose file was read before the last record of an erasure,
// exports whose filter names the value, and the filter in entries of the outbox. Called by serve.ts. It must
// never say that nothing is left while a file may be.

import { type Counter, inPieces } from "@annals/chassis";
import { namesErased } from "@annals/contract";
import { ErasureCopy, type OpenErasure } from "@annals/proto/ledger";
import type { ErasedCopiesOptions, ErasureLedger } from "@annals/rpc";
import { withoutErased } from "../rules/erased-filter.ts";
import { type CopyRow, listCopies, listEntries, replaceEntry } from "../store/list-copies.ts";
import { clearArchives, type ErasedArchivesDeps } from "../../archives/erased-archives.ts";
import { markDeleted } from "./export-sweep.ts";

export interface ErasedCopiesDeps extends ErasedArchivesDeps {
  readonly ledger: ErasedArchivesDeps["ledger"] & ErasureLedger;
  readonly metrics: ErasedArchivesDeps["metrics"] & { readonly failures: Counter<"worker"> };
  /** Called when exports were marked as deleted: the sweep deletes their files. */
  readonly onDeleted: () => void;
}

/** Maximum rows of one statement. */
const PIECE = 100;

export const erasedCopies = (deps: ErasedCopiesDeps): ErasedCopiesOptions => ({
  copy: ErasureCopy.EXPORTS,
  failures: deps.metrics.failures,
  ledger: deps.ledger,
  log: deps.log,
  clear: (erasure, signal) => clearCopies(deps, erasure, signal),
});

async function clearCopies(
  deps: ErasedCopiesDeps,
  erasure: OpenErasure,
  signal: AbortSignal,
): Promise<boolean> {
  const left = await deleteExports(deps, erasure, signal);
  await clearEntries(deps, erasure, signal);
  const isCleared = await clearArchives(deps, erasure, signal);
  if (left > 0) deps.onDeleted();
  return left === 0 && isCleared;
}

/** Resolves to the number of exports of which a row, and so perhaps a file, is left. */
async function deleteExports(
  { clock, database }: ErasedCopiesDeps,
  erasure: OpenErasure,
  signal: AbortSignal,
): Promise<number> {
  const { accountId, lastRecord } = erasure;
  const ofAccount = database.forAccount(accountId, signal);
  let after = "";
  let left = 0;
  await inPieces(
    PIECE,
    async () => {
      const params = [accountId, String(lastRecord), after, PIECE] as const;
      const rows = await ofAccount.run(listCopies, [...params]);
      for (const row of rows.filter((each) => isCopy(each, erasure))) {
        left += 1;
        const key = { account_id: accountId, id: row.id };
        if (!row.is_deleted) await markDeleted(database, key, clock.nowText());
      }
      after = rows.at(-1)?.id ?? after;
      return rows.length;
    },
    signal,
  );
  return left;
}

async function clearEntries(
  { database }: ErasedCopiesDeps,
  erasure: OpenErasure,
  signal: AbortSignal,
): Promise<void> {
  const { accountId } = erasure;
  const ofAccount = database.forAccount(accountId, signal);
  let after = "0";
  await inPieces(
    PIECE,
    async () => {
      const rows = await ofAccount.run(listEntries, [accountId, after, PIECE]);
      for (const { data, position } of rows) {
        const cleared = withoutErased(data, erasure);
        if (cleared !== undefined)
          await ofAccount.run(replaceEntry, [accountId, position, cleared]);
      }
      after = rows.at(-1)?.position ?? after;
      return rows.length;
    },
    signal,
  );
}

function isCopy({ filter_json: filter, is_older: isOlder }: CopyRow, erasure: OpenErasure) {
  return isOlder || namesErased(JSON.parse(filter), erasure);
}
