// ReportState: what the operator's console shows of the webhooks and sinks of some accounts. Called by keys.
// An account whose server is away while others answer is left out.

import { invalid } from "@annals/errors";
import { type Database, type Pool, readAccounts } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import type { ServiceImpl } from "@connectrpc/connect";
import { listFailingSinks, listFailingWebhooks } from "../store/list-failing-accounts.ts";
import { reportSinks, reportWebhooks } from "../store/report-receivers.ts";

export interface ReportStateDeps {
  readonly database: Pool;
}

/** The name by which the pool counts these calls: they are for all accounts, and have one share. */
const OPERATORS = "operators";

/** Accounts of one call, and of each kind of work that waits. */
const MAX_ACCOUNTS = 100;
const LONGEST = 10;

export function reportState({
  database,
}: ReportStateDeps): ServiceImpl<typeof WebhooksService>["reportState"] {
  return async ({ accountIds: given }, { signal }) => {
    if (given.length > MAX_ACCOUNTS)
      throw invalid({ field: "account_ids", message: `Must be at most ${MAX_ACCOUNTS}.` });
    const all = database.forAccount(OPERATORS, signal);
    const accountIds = given.length === 0 ? await failingAccounts(all) : given;
    const { rows: webhooks } = await readAccounts(all, accountIds, {
      together: () => all.run(reportWebhooks, [accountIds]),
      each: (accountId) => all.run(reportWebhooks, [[accountId]]),
    });
    const { rows: sinks } = await readAccounts(all, accountIds, {
      together: () => all.run(reportSinks, [accountIds]),
      each: (accountId) => all.run(reportSinks, [[accountId]]),
    });
    const webhooksOf = new Map(webhooks.map((row) => [row.account_id, row]));
    const sinksOf = new Map(sinks.map((row) => [row.account_id, row]));
    const states = [...new Set([...webhooksOf.keys(), ...sinksOf.keys()])].map((accountId) => {
      const [ofWebhooks, ofSinks] = [webhooksOf.get(accountId), sinksOf.get(accountId)];
      return {
        accountId,
        webhooks: ofWebhooks?.count ?? 0,
        failingWebhooks: ofWebhooks?.failing ?? 0,
        webhookFailingSince: ofWebhooks?.failing_since ?? "",
        sinks: ofSinks?.count ?? 0,
        failingSinks: ofSinks?.failing ?? 0,
        sinkFailingSince: ofSinks?.failing_since ?? "",
        sentEvents: BigInt(ofSinks?.sent_events ?? 0),
      };
    });
    return { states };
  };
}

async function failingAccounts(all: Database): Promise<string[]> {
  const webhooks = await all.run(listFailingWebhooks, [LONGEST]);
  const sinks = await all.run(listFailingSinks, [LONGEST]);
  return [...new Set([...webhooks, ...sinks].map((row) => row.account_id))];
}
