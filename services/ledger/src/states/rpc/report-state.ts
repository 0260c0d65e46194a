// ReportState: what the operator's console shows of the chains of some accounts. Called by keys. An account
// whose server is away while others answer is left out.

import { invalid } from "@annals/errors";
import { type Database, type Pool, readAccounts } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { listLateErasures, listLateVerifications } from "../store/list-late-accounts.ts";
import { reportChains } from "../store/report-chains.ts";
import { reportErasures } from "../store/report-erasures.ts";

interface Deps {
  readonly database: Pool;
}

/** The name by which the pool counts these calls: they are for all accounts, and have one share. */
const OPERATORS = "operators";

/** Accounts of one call, and of each kind of work that waits. */
const MAX_ACCOUNTS = 100;
const LONGEST = 10;

export function reportState({ database }: Deps): ServiceImpl<typeof LedgerService>["reportState"] {
  return async ({ accountIds: given }, { signal }) => {
    if (given.length > MAX_ACCOUNTS)
      throw invalid({ field: "account_ids", message: `Must be at most ${MAX_ACCOUNTS}.` });
    const all = database.forAccount(OPERATORS, signal);
    const accountIds = given.length === 0 ? await lateAccounts(all) : given;
    const { rows: chains } = await readAccounts(all, accountIds, {
      together: () => all.run(reportChains, [accountIds]),
      each: (accountId) => all.run(reportChains, [[accountId]]),
    });
    const { rows: erasures } = await readAccounts(all, accountIds, {
      together: () => all.run(reportErasures, [accountIds]),
      each: (accountId) => all.run(reportErasures, [[accountId]]),
    });
    const erasuresOf = new Map(erasures.map((row) => [row.account_id, row]));
    const states = chains.map((row) => {
      const open = erasuresOf.get(row.account_id);
      return {
        accountId: row.account_id,
        events: BigInt(row.events),
        newestEventAt: row.newest_event_at,
        verifiedEvents: BigInt(row.verified_events),
        verifiedAt: row.verified_at ?? "",
        verificationDueAt: row.verification_due_at ?? "",
        openErasures: open?.open ?? 0,
        erasureDueAt: open?.due_at ?? "",
      };
    });
    return { states };
  };
}

async function lateAccounts(all: Database): Promise<string[]> {
  const verifications = await all.run(listLateVerifications, [LONGEST]);
  const erasures = await all.run(listLateErasures, [LONGEST]);
  return [...new Set([...verifications, ...erasures].map((row) => row.account_id))];
}
