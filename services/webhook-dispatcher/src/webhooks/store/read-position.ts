// The position of an account's cursor of a kind. No row: the account has never had a webhook.

import { statement } from "@annals/postgres";
import type { Kind } from "../rules/kinds.ts";

export const readPosition = statement<
  [accountId: string, kind: Kind],
  { readonly position: string }
>(
  `/* webhooks.read-position */
SELECT position FROM webhooks.cursors WHERE account_id = $1::text AND kind = $2::text
`,
  { route: "one account" },
);
