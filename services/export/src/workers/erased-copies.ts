// Deletes what may hold erased values, and says so to the ledger: exports whose file was read before the last
// record of an erasure, exports whose filter names the value, and the filter in entries of the outbox. Any
// number of replicas may do it at once. It must never confirm an erasure while a file may be left.

import { AccountWork, type Counter, inPieces, type Loop, startLoop } from "@annals/chassis";
import { namesErased } from "@annals/contract";
import { ErasureCopy, type LedgerService, type OpenErasure } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { withoutErased } from "../domain/erased-filter.ts";
import { type CopyRow, listCopies, listEntries, replaceEntry } from "../store/list-copies.ts";
import { clearArchives, type ErasedArchivesDeps } from "./erased-archives.ts";
import { markDeleted } from "./export-sweep.ts";

export interface ErasedCopiesDeps extends ErasedArchivesDeps {
  readonly ledger: ErasedArchivesDeps["ledger"] &
    Pick<Client<typeof LedgerService>, "confirmErasure" | "listOpenErasures">;
  /** Called when exports were marked as deleted: the sweep deletes their files. */
  readonly onDeleted: () => void;
}

const DELAY_MS = 10_000;
const ERASURES = 1_000;
/** Maximum rows of one statement. */
const PIECE = 100;

export function startErasedCopies(
  deps: ErasedCopiesDeps & { readonly failures: Counter<"worker"> },
): Loop {
  const copies = new ErasedCopies(deps);
  return startLoop({
    name: "erased_copies",
    log: deps.log,
    failures: deps.failures,
    delayMs: DELAY_MS,
    // The ledger may start at the same time.
    initialDelayMs: DELAY_MS,
    run: (signal) => copies.run(signal),
  });
}

export class ErasedCopies {
  readonly #deps: ErasedCopiesDeps;
  readonly #work: AccountWork;

  constructor(deps: ErasedCopiesDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "erased_copies");
  }

  async run(signal: AbortSignal): Promise<void> {
    const { ledger } = this.#deps;
    const run = this.#work.begin(signal);
    let after = { afterAccountId: "", afterId: "" };
    await inPieces(
      ERASURES,
      async () => {
        const request = { ...after, copy: ErasureCopy.EXPORTS, limit: ERASURES };
        const { erasures } = await ledger.listOpenErasures(request, { signal });
        const rows = erasures.map((erasure) => ({ account_id: erasure.accountId, erasure }));
        await run.each(rows, ({ erasure }) => this.#clear(erasure, signal));
        const last = erasures.at(-1);
        if (last) after = { afterAccountId: last.accountId, afterId: last.id };
        return erasures.length;
      },
      signal,
    );
    run.end();
  }

  /** The erasure is confirmed in the first run that finds nothing left. */
  async #clear(erasure: OpenErasure, signal: AbortSignal): Promise<void> {
    const { accountId, id } = erasure;
    const left = await this.#deleteExports(erasure, signal);
    await this.#clearEntries(erasure, signal);
    const isCleared = await clearArchives(this.#deps, erasure, signal);
    if (left > 0) return this.#deps.onDeleted();
    if (!isCleared) return;
    await this.#deps.ledger.confirmErasure(
      { accountId, copy: ErasureCopy.EXPORTS, id },
      { signal },
    );
  }

  /** Resolves to the number of exports of which a row, and so perhaps a file, is left. */
  async #deleteExports(erasure: OpenErasure, signal: AbortSignal): Promise<number> {
    const { clock, database } = this.#deps;
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

  async #clearEntries(erasure: OpenErasure, signal: AbortSignal): Promise<void> {
    const { accountId } = erasure;
    const ofAccount = this.#deps.database.forAccount(accountId, signal);
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
}

function isCopy({ filter_json: filter, is_older: isOlder }: CopyRow, erasure: OpenErasure) {
  return isOlder || namesErased(JSON.parse(filter), erasure);
}
