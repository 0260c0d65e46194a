// Deletes what the dispatcher keeps of an erased value. An event that was read before its erasure is sent for
// some seconds (event-reader.ts): an erasure is confirmed after that time, which the clock of the ledger
// measures, so it holds for all replicas. A stored body that names the value is cleared before, and taken out
// of the filters of webhooks and sinks. Called by serve.ts.

import { type Counter, inPieces, type Logger } from "@annals/chassis";
import { namesErased } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { ErasureCopy, type OpenErasure } from "@annals/proto/ledger";
import type { ErasedCopiesOptions, ErasureLedger } from "@annals/rpc";
import { eventOf } from "../../webhooks/rules/kinds.ts";
import { MAX_AGE_MS } from "../event-reader.ts";
import { clearSinkFilters, hasSinks } from "../../sinks/exports.ts";
import { MAX_AGE_MS as MAX_SINK_AGE_MS } from "../../sinks/rules/sink-batches.ts";
import { type BodyRow, clearBody, listBodies } from "../store/stored-bodies.ts";
import { START_WINDOW_MS } from "./attempts.ts";
import { clearFilters, type ErasedFiltersDeps } from "../../webhooks/erased-filters.ts";

/** Maximum rows of one statement. */
const PIECE = 100;
/** For entries of the outbox of exports that are read and not yet stored, and clocks that run apart. */
const MARGIN_MS = 9_000;
/** The same for the batches of sinks. An account without sinks does not wait for it. */
export const SINKS_SETTLED_S = (MAX_SINK_AGE_MS + MARGIN_MS) / 1_000;
/** Seconds since the erasure after which no attempt begins with an event, or an entry, from before it. */
export const SETTLED_S = (MAX_AGE_MS + START_WINDOW_MS + MARGIN_MS) / 1_000;

export interface ErasedCopiesDeps extends ErasedFiltersDeps {
  readonly ledger: ErasureLedger;
  readonly log: Logger;
  readonly metrics: { readonly failures: Counter<"worker"> };
}

export const erasedCopies = (deps: ErasedCopiesDeps): ErasedCopiesOptions => ({
  copy: ErasureCopy.WEBHOOKS,
  failures: deps.metrics.failures,
  ledger: deps.ledger,
  log: deps.log,
  clear: (erasure, signal) => clearCopies(deps, erasure, signal),
  settledS: SETTLED_S,
});

/** Resolves to false if anything was cleared: an attempt with it may be about to begin. */
async function clearCopies(
  deps: ErasedFiltersDeps,
  erasure: OpenErasure,
  signal: AbortSignal,
): Promise<boolean> {
  const { accountId, ageS } = erasure;
  const bodies = await clearBodies(deps.database, erasure, signal);
  const webhooks = await clearFilters(deps, erasure, signal);
  const sinks = await clearSinkFilters(deps, erasure, signal);
  if (bodies + webhooks + sinks > 0) return false;
  if (ageS >= SINKS_SETTLED_S) return true;
  return !(await hasSinks(deps.database.forAccount(accountId, signal), accountId));
}

/** Resolves to the number of cleared bodies. Only that of a completed export names what was selected. */
async function clearBodies(pool: Pool, erasure: OpenErasure, signal: AbortSignal): Promise<number> {
  const { accountId } = erasure;
  const database = pool.forAccount(accountId, signal);
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

/** Reads the filter that a completed export was asked for with. */
function filterIn(body: Buffer): Readonly<Record<string, unknown>> {
  return JSON.parse(String(body)).data?.filter ?? {};
}
