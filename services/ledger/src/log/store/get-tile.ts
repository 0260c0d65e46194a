// A full tile of an account's tree.

import { statement } from "@annals/postgres";

type Place = [accountId: string, level: number, tile: string];

export const getTile = statement<Place, { readonly hashes: Buffer }>(
  `/* ledger.get-tile */
SELECT hashes FROM ledger.tiles
WHERE account_id = $1::text AND level = $2::smallint AND tile = $3::bigint
`,
  { route: "one account" },
);
