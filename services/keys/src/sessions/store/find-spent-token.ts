// Whether what is valid once was used. No row: not yet.

import { statement } from "@annals/postgres";

export const findSpentToken = statement<[sha256: Uint8Array], { readonly spent: true }>(
  `/* keys.find-spent-token */
SELECT true AS spent FROM keys.used_tokens WHERE sha256 = $1::bytea
`,
  { route: "local" },
);
