// RecordAuditEvents: appends the changes of a service to the system account's chain, and, if that is set, to
// the chain of the changed account, which always has what its sinks pass over. The ledger records its own
// changes in the same way, without a call. An entry that was stored before is found by its id and not stored
// again. An entry that its service may not send is refused, counted and logged; an entry that cannot be
// stored must not affect the others.

import { AUDIT_SERVICES, type AuditService, SYSTEM_ACCOUNT_ID, type Work } from "@annals/contract";
import { BoundedLog } from "@annals/chassis";
import { AnnalsError, invalid } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import { callerOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { auditAppend, faultOf, type GivenAuditEntry, isOfAccount } from "../rules/audit-append.ts";
import type { Metrics } from "../../metrics.ts";
import { ReadBudget } from "../rules/read-budget.ts";
import { type PreparedAppend, prepareAppend } from "../../append/rules/prepare-append.ts";
import type { Deps } from "../../append/append-outcome.ts";

const MAX_ENTRIES = 1_000;

interface RecordDeps extends Deps {
  /** Whether audit events are also appended to the chains of the accounts that they concern. */
  readonly auditInAccounts: boolean;
  readonly clock: { nowText(): string };
  readonly metrics: Pick<Metrics, "auditRefused">;
}

type Recording = RecordDeps & { readonly bounded: BoundedLog };
type Sender = AuditService | "unknown";

export function recordAuditEvents(
  deps: RecordDeps,
): ServiceImpl<typeof LedgerService>["recordAuditEvents"] {
  const recordEntries = auditRecorder(deps);
  const reads = new ReadBudget(deps.clock);
  return async ({ entries }, { values }) => {
    if (entries.length < 1 || entries.length > MAX_ENTRIES) {
      throw invalid({ field: "entries", message: `must contain 1 to ${MAX_ENTRIES} entries` });
    }
    const caller = callerOf({ contextValues: values });
    const service = AUDIT_SERVICES.find((each) => each === caller) ?? "unknown";
    // The gateway sends the others again.
    const taken = service === "gateway" ? entries.slice(0, reads.take(entries.length)) : entries;
    return { storedIds: await recordEntries(taken, service) };
  };
}

/** Records entries of a service, and resolves to the ids of those that are stored. */
export function auditRecorder(deps: RecordDeps) {
  const recording = { ...deps, bounded: new BoundedLog(deps.log, { linesPerS: 1 }) };
  return async (entries: readonly GivenAuditEntry[], service: Sender): Promise<string[]> => {
    const stored = await Promise.all(entries.map((entry) => record(recording, entry, service)));
    return stored.flatMap((id) => id ?? []);
  };
}

/** Resolves to the entry's id once all of its chains have it. Never rejects. */
async function record(
  { appends, auditInAccounts, bounded, clock, log, metrics, random, turns }: Recording,
  entry: GivenAuditEntry,
  service: Sender,
): Promise<string | undefined> {
  const { accountId, id } = entry;
  // An account that is read must not grow by it.
  const isRead = service === "gateway";
  const isShown = auditInAccounts || isOfAccount(entry);
  const isOwn = isShown && accountId !== SYSTEM_ACCOUNT_ID && !isRead;
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
    // The service sends the entry again. If something is only unavailable, the service reports it.
    const fault = faultOf(error);
    if (fault !== undefined) {
      metrics.auditRefused.inc({ caller: service, fault });
      const fields = { caller: service, entry_id: id, err: error, fault };
      bounded.write("warn", fields, "audit entry refused: its service may not record it");
    } else if (!(error instanceof AnnalsError) || error.kind !== "unavailable") {
      log.error({ err: error, entry_id: id, caller: service }, "audit entry cannot be stored");
    }
    return undefined;
  }
}

function* prepare(
  entry: GivenAuditEntry,
  at: Parameters<typeof auditAppend>[1],
  random: RecordDeps["random"],
): Work<PreparedAppend> {
  return yield* prepareAppend(yield* auditAppend(entry, at), random);
}
