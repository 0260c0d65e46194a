// Webhooks whose receivers no test runs: the shared stack reaches no private address. Imported by tests only.

import { ownerOf } from "./owner.ts";

/**
 * Marks the account's webhooks as having taken a delivery, so that ranges may be replayed to them.
 */
export async function markDelivered(databaseUrl: string, accountId: string): Promise<void> {
  const owner = ownerOf(databaseUrl);
  try {
    await owner.query(
      `UPDATE webhooks.webhooks SET first_success_at = now()
       WHERE account_id = $1 AND first_success_at IS NULL`,
      [accountId],
    );
  } finally {
    await owner.close();
  }
}
