// RecordAuditEvents: appends what a service has changed to the system account's chain, and to the changed
// account's own where that is set. An entry that was stored by an earlier call is found by its id and stored
// no second time. An entry that cannot be stored must not keep the others.

import { SYSTEM_ACCOUNT_ID, type Work } from "@annals/contract";
import { AnnalsError, invalid } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import { callerOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { auditAppend, type GivenAuditEntry } from "../domain/audit-append.ts";
import { type PreparedAppend, prepareAppend } from "../domain/prepare-append.ts";
import type { Deps } from "./append-outcome.ts";

const MAX_ENTRIES = 1_000;

type Given = Deps & { readonly clock: { nowText(): string } };

export function recordAuditEvents(
  deps: Given,
): ServiceImpl<typeof LedgerService>["recordAuditEvents"] {
  return async ({ entries }, { values }) => {
    if (entries.length < 1 || entries.length > MAX_ENTRIES) {
      throw invalid({ field: "entries", message: `must hold 1 to ${MAX_ENTRIES} entries` });
    }
    const service = callerOf({ contextValues: values }) ?? "unknown";
    const stored = await Promise.all(entries.map((entry) => record(deps, entry, service)));
    return { storedIds: stored.flatMap((id) => id ?? []) };
  };
}

/** Resolves to the entry's id once all of its chains have it. Never rejects. */
async function record(
  { appends, auditInAccounts, clock, log, random, turns }: Given,
  entry: GivenAuditEntry,
  service: string,
): Promise<string | undefined> {
  const { accountId, id } = entry;
  const isOwn = auditInAccounts && accountId !== SYSTEM_ACCOUNT_ID;
  try {
    const chains = [SYSTEM_ACCOUNT_ID, ...(isOwn ? [accountId] : [])];
    const receivedAt = clock.nowText();
    await Promise.all(
      chains.map(async (chain) => {
        const work = prepare(entry, { chain, receivedAt, service }, random);
        return appends.submit(await turns.run(chain, work));
      }),
    );
    return id;
  } catch (error) {
    // Its service sends it again. What is only unavailable is that service's to report.
    if (!(error instanceof AnnalsError) || error.kind !== "unavailable") {
      log.error({ err: error, entry_id: id, caller: service }, "audit entry cannot be stored");
    }
    return undefined;
  }
}

function* prepare(
  entry: GivenAuditEntry,
  at: Parameters<typeof auditAppend>[1],
  random: Given["random"],
): Work<PreparedAppend> {
  return yield* prepareAppend(yield* auditAppend(entry, at), random);
}
