// The rows of what signs or keeps the checkpoints of the log: what each has seen, and when it may be asked
// next. Called by the files of worker/.

import { statement } from "@annals/postgres";

export type AnchorKind = "witness" | "timestamp" | "bucket";

/** Rows of targets that a policy has no more stay. */
const MAX_ROWS = 200;

export const createAnchors = statement<[kind: AnchorKind, names: readonly string[]], never>(
  `/* webhooks.create-anchors */
INSERT INTO webhooks.anchors (kind, name)
SELECT $1::text, name FROM unnest($2::text[]) AS given (name)
ON CONFLICT (kind, name) DO NOTHING
`,
  { route: "local" },
);

export interface AnchorRow {
  readonly name: string;
  readonly size: string;
  /** The newest that it has signed, without its signature, or that it keeps. */
  readonly checkpoint: string | null;
  readonly is_due: boolean;
  readonly is_failing: boolean;
}

export const listAnchors = statement<[kind: AnchorKind, names: readonly string[]], AnchorRow>(
  `/* webhooks.list-anchors */
SELECT name, size, checkpoint, due_at <= statement_timestamp() AS is_due, failing_since IS NOT NULL AS is_failing
FROM webhooks.anchors
WHERE kind = $1::text AND name = ANY ($2::text[])
ORDER BY name
LIMIT ${MAX_ROWS}
`,
  { route: "local" },
);

type Claim = [kind: AnchorKind, name: string, size: string, seconds: number];

/** Leaves a target that is due to this process for some seconds. No row: another one has it. */
export const claimAnchor = statement<Claim, { readonly name: string }>(
  `/* webhooks.claim-anchor */
UPDATE webhooks.anchors
SET due_at = statement_timestamp() + $4::integer * interval '1 second'
WHERE kind = $1::text AND name = $2::text AND size = $3::bigint AND due_at <= statement_timestamp()
RETURNING name
`,
  { route: "local" },
);

type Success = [kind: AnchorKind, name: string, size: string, checkpoint: string, seconds: number];

/** The target has signed or keeps a checkpoint, and has another one after some seconds. */
export const succeedAnchor = statement<Success, never>(
  `/* webhooks.succeed-anchor */
UPDATE webhooks.anchors
SET size = $3::bigint, checkpoint = $4::text, failing_since = NULL,
  due_at = statement_timestamp() + $5::integer * interval '1 second'
WHERE kind = $1::text AND name = $2::text
`,
  { route: "local" },
);

/**
 * The target has signed nothing yet, and says that it has seen this size; or a bucket has the full tiles up
 * to it. It is asked again as it was claimed.
 */
export const moveAnchor = statement<[kind: AnchorKind, name: string, size: string], never>(
  `/* webhooks.move-anchor */
UPDATE webhooks.anchors
SET size = $3::bigint, failing_since = coalesce(failing_since, statement_timestamp())
WHERE kind = $1::text AND name = $2::text
`,
  { route: "local" },
);

type Failure = [kind: AnchorKind, name: string, leastSeconds: number, mostSeconds: number];

/** The target has signed or kept nothing. It is asked again after as long as it has failed, within bounds. */
export const failAnchor = statement<Failure, never>(
  `/* webhooks.fail-anchor */
UPDATE webhooks.anchors
SET failing_since = coalesce(failing_since, statement_timestamp()),
  due_at = statement_timestamp() + greatest($3::integer, least($4::integer,
    extract(epoch FROM statement_timestamp() - coalesce(failing_since, statement_timestamp())))) * interval '1 second'
WHERE kind = $1::text AND name = $2::text
`,
  { route: "local" },
);
