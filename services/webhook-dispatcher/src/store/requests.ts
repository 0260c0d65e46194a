// What requests with an idempotency key have created in this service. Called by the RPCs that create webhooks
// and sinks.

import {
  type AskedOnce,
  earlierResponse,
  idempotentRequests,
  type KeptRequests,
  type Pool,
} from "@annals/postgres";
import { complete } from "@annals/errors";
import { lockAccount } from "./lock-account.ts";

export const REQUESTS = idempotentRequests("webhooks");

/** What an earlier request with the key has created; waits for one that is creating it. */
export async function findEarlier(
  database: Pool,
  kept: KeptRequests,
  asked: AskedOnce,
): Promise<Uint8Array | undefined> {
  const { accountId, idempotencyKey } = asked;
  complete({ account_id: accountId, idempotency_key: idempotencyKey });
  return database.forAccount(accountId).transaction(async (transaction) => {
    await transaction.run(lockAccount, [accountId]);
    return earlierResponse(transaction, kept, asked);
  });
}
