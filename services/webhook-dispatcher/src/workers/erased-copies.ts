// Says to the ledger that no delivery sends an erased value. An event that was read before its
// erasure is sent for some seconds (event-reader.ts): an erasure is confirmed after that time, which the
// clock of the ledger measures, so it holds for all replicas. A stored body that names the value is cleared
// before, and taken out of the filters of webhooks and sinks. Any number of replicas may do it at once.

import {
  AccountWork,
  type Counter,
  inPieces,
  type Logger,
  type Loop,
  startLoop,
} from "@annals/chassis";
import { namesErased } from "@annals/contract";
import { ErasureCopy, type LedgerService, type OpenErasure } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { eventOf } from "../domain/kinds.ts";
import { MAX_AGE_MS as MAX_SINK_AGE_MS } from "../sinks/rules/sink-batches.ts";
import { MAX_AGE_MS } from "../outbound/event-reader.ts";
import { clearSinkFilters, hasSinks } from "../sinks/exports.ts";
import { type BodyRow, clearBody, listBodies } from "../store/stored-bodies.ts";
import { START_WINDOW_MS } from "./attempts.ts";
import { clearFilters, type ErasedFiltersDeps } from "./erased-filters.ts";

export type ErasureLedger = Pick<
  Client<typeof LedgerService>,
  "confirmErasure" | "listOpenErasures"
>;

export interface ErasedCopiesDeps extends ErasedFiltersDeps {
  readonly ledger: ErasureLedger;
  readonly log: Logger;
}

const DELAY_MS = 10_000;
const ERASURES = 1_000;
/** Maximum rows of one statement. */
const PIECE = 100;
/** For entries of the outbox of exports that are read and not yet stored, and clocks that run apart. */
const MARGIN_MS = 9_000;
/** The same for the batches of sinks. An account without sinks does not wait for it. */
export const SINKS_SETTLED_S = (MAX_SINK_AGE_MS + MARGIN_MS) / 1_000;
/** Seconds since the erasure after which no attempt begins with an event, or an entry, from before it. */
export const SETTLED_S = (MAX_AGE_MS + START_WINDOW_MS + MARGIN_MS) / 1_000;

export function startErasedCopies(
  deps: ErasedCopiesDeps & { readonly metrics: { readonly failures: Counter<"worker"> } },
): Loop {
  const copies = new ErasedCopies(deps);
  return startLoop({
    name: "erased_copies",
    log: deps.log,
    failures: deps.metrics.failures,
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
        const request = { ...after, copy: ErasureCopy.WEBHOOKS, limit: ERASURES };
        const { erasures } = await ledger.listOpenErasures(request, { signal });
        const settled = erasures.filter(({ ageS }) => ageS >= SETTLED_S);
        const rows = settled.map((erasure) => ({ account_id: erasure.accountId, erasure }));
        await run.each(rows, ({ erasure }) => this.#clear(erasure, signal));
        const last = erasures.at(-1);
        if (last) after = { afterAccountId: last.accountId, afterId: last.id };
        return erasures.length;
      },
      signal,
    );
    run.end();
  }

  /** The erasure is confirmed in the first run that clears nothing: an attempt may be about to begin. */
  async #clear(erasure: OpenErasure, signal: AbortSignal): Promise<void> {
    const { accountId, ageS, id } = erasure;
    const bodies = await this.#clearBodies(erasure, signal);
    const webhooks = await clearFilters(this.#deps, erasure, signal);
    const sinks = await clearSinkFilters(this.#deps, erasure, signal);
    if (bodies + webhooks + sinks > 0) return;
    const own = this.#deps.database.forAccount(accountId, signal);
    const isYoung = ageS < SINKS_SETTLED_S;
    if (isYoung && (await hasSinks(own, accountId))) return;
    await this.#deps.ledger.confirmErasure(
      { accountId, copy: ErasureCopy.WEBHOOKS, id },
      { signal },
    );
  }

  /** Resolves to the number of cleared bodies. Only that of a completed export names what was selected. */
  async #clearBodies(erasure: OpenErasure, signal: AbortSignal): Promise<number> {
    const { accountId } = erasure;
    const database = this.#deps.database.forAccount(accountId, signal);
    let last: BodyRow | undefined;
    let cleared = 0;
    await inPieces(
      PIECE,
      async () => {
        const after = [last?.webhook_id ?? "", last?.number ?? "0"] as const;
        const params = [accountId, ...after, eventOf("exports"), PIECE] as const;
        const rows = await database.run(listBodies, [...params]);
        for (const { body, number, webhook_id: webhookId } of rows) {
          if (!namesErased(filterIn(body), erasure)) continue;
          await database.run(clearBody, [accountId, webhookId, number]);
          cleared += 1;
        }
        last = rows.at(-1) ?? last;
        return rows.length;
      },
      signal,
    );
    return cleared;
  }
}

/** Reads the filter that a completed export was asked for with. */
function filterIn(body: Buffer): Readonly<Record<string, unknown>> {
  return JSON.parse(String(body)).data?.filter ?? {};
}
