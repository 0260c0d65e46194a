// Finds one of the sealing keys that are in use but not in the given list.

import { statement } from "@annals/postgres";

export const listUnknownKeyIds = statement<
  [keyIds: readonly string[]],
  { readonly secret_key_id: string }
>(
  `/* webhooks.list-unknown-key-ids */
SELECT sealed.key_id AS secret_key_id
FROM webhooks.webhooks
CROSS JOIN LATERAL (VALUES (secret_key_id), (previous_secret_key_id)) AS sealed (key_id)
WHERE deleted_at IS NULL AND sealed.key_id <> ALL ($1::text[])
LIMIT 1
`,
  { route: "all accounts, read" },
);
