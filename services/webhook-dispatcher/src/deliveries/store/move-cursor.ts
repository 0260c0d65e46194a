// Moves a cursor by compare-and-set. No row: another replica has moved it since it was read. The row stays
// locked until the transaction ends.

import { statement } from "@annals/postgres";
import type { Kind } from "../../webhooks/rules/kinds.ts";

type Params = [accountId: string, kind: Kind, from: bigint, to: bigint];

export const moveCursor = statement<Params, { readonly position: string }>(
  `/* webhooks.move-cursor */
UPDATE webhooks.cursors SET position = $4::bigint
WHERE account_id = $1::text AND kind = $2::text AND position = $3::bigint
RETURNING position
`,
  { route: "one account" },
);
