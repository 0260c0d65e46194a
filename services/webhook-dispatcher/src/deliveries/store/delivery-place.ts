// The place of a claimed delivery: SQL shared by the statements that end claims. A delivery is looked up in
// its queue, and then changed at its place, its ctid (claim-deliveries.ts says why). It must stay a lookup
// with a LIMIT, which PostgreSQL cannot turn into a join.

/**
 * Joins `queued.place`, and the number of attempts with this one, to rows `given`.
 * `accountIds` is the parameter with the accounts of all rows.
 */
export const joinPlace = (accountIds: string): string => `CROSS JOIN LATERAL (
    SELECT ctid AS place, attempts + CASE WHEN is_counted THEN 0 ELSE 1 END AS attempted
    FROM webhooks.deliveries
    WHERE account_id = ANY (${accountIds}::text[]) AND account_id = given.account_id AND webhook_id = given.webhook_id
      AND due_at = given.due_at AND number = given.number
    LIMIT 1) AS queued`;
