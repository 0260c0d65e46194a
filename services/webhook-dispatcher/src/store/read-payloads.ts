// What the bodies of claimed deliveries have in common: each payload once, however many deliveries share it.
// Not part of the claim: with a plan made while the table was small, it would scan the table for each.

import { statement } from "@annals/postgres";

type Params = [accountIds: readonly string[], numbers: readonly string[]];

export interface PayloadRow {
  readonly account_id: string;
  readonly number: string;
  readonly tail: string;
}

export const readPayloads = statement<Params, PayloadRow>(
  `/* webhooks.read-payloads */
SELECT payload.account_id, payload.number, payload.tail
FROM (SELECT DISTINCT account_id, number FROM unnest($1::text[], $2::bigint[]) AS given (account_id, number)) AS given
JOIN webhooks.payloads AS payload ON payload.account_id = given.account_id AND payload.number = given.number
`,
  { customPlan: true },
);
