// One of the sealing keys that are in use but not in the given list.

import { statement } from "@annals/postgres";

export const listUnknownKeyIds = statement<
  [keyIds: readonly string[]],
  { readonly secret_key_id: string }
>(`/* webhooks.list-unknown-key-ids */
SELECT secret_key_id
FROM webhooks.webhooks
WHERE deleted_at IS NULL AND secret_key_id <> ALL ($1::text[])
LIMIT 1
`);
