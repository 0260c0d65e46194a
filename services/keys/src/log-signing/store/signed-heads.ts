// The last head of each log that was signed. It is stored before the signature leaves, so that no crash and
// no second process lets two heads of one size be signed. Called by the RPCs that sign.

import { statement } from "@annals/postgres";

export interface SignedHeadRow {
  readonly origin: string;
  readonly size: string;
  readonly root: Buffer;
  /** Null for the log that continues. */
  readonly succeeded_by: string | null;
}

/** The head of this log, and that of the log that continues: one row if they are the same. */
export const getSignedHeads = statement<[origin: string], SignedHeadRow>(
  `/* keys.get-signed-heads */
SELECT origin, size, root, succeeded_by FROM keys.signed_heads
WHERE origin = $1::text OR succeeded_by IS NULL
`,
  { route: "local" },
);

type First = [origin: string, size: string, root: Buffer, signedAt: string];

/** Stores the first head of a log. No row: another log continues, or this one has begun. */
export const beginSignedHead = statement<First, { readonly origin: string }>(
  `/* keys.begin-signed-head */
INSERT INTO keys.signed_heads (origin, size, root, signed_at)
VALUES ($1::text, $2::bigint, $3::bytea, $4::timestamptz)
ON CONFLICT DO NOTHING
RETURNING origin
`,
  { route: "local" },
);

type Next = [
  origin: string,
  sizeBefore: string,
  rootBefore: Buffer,
  size: string,
  root: Buffer,
  signedAt: string,
];

/** Stores the next head of a log that continues and has this one. No row: it has another. */
export const advanceSignedHead = statement<Next, { readonly origin: string }>(
  `/* keys.advance-signed-head */
UPDATE keys.signed_heads SET size = $4::bigint, root = $5::bytea, signed_at = $6::timestamptz
WHERE origin = $1::text AND size = $2::bigint AND root = $3::bytea AND succeeded_by IS NULL
RETURNING origin
`,
  { route: "local" },
);

/** Ends a log of this size: another one follows it. Nothing changes if it does not continue, or has grown. */
export const succeedSignedHead = statement<
  [origin: string, size: string, successor: string],
  never
>(
  `/* keys.succeed-signed-head */
UPDATE keys.signed_heads SET succeeded_by = $3::text
WHERE origin = $1::text AND size = $2::bigint AND succeeded_by IS NULL
`,
  { route: "local" },
);
