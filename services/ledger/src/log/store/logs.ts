// The row of a head log: how far it reaches, the proposal of its next entry, and the process that closes its
// epochs. Called by the epoch closer and by the RPCs of the log.

import { statement } from "@annals/postgres";

export interface LogRow {
  readonly log: number;
  readonly origin: string;
  readonly size: string;
  readonly root: Buffer;
  readonly frontier: Buffer;
  /** Public keys that the log has named and that signed its last epoch, 32 bytes each, newest first. */
  readonly keys: Buffer;
  /** A checkpoint that keys has signed and the log does not have. */
  readonly missing: string | null;
}

type NewLog = [log: number, origin: string, root: Buffer, keys: Buffer];

/** The newest log. */
export const getLog = statement<[], LogRow>(
  `/* ledger.get-log */
SELECT log, origin, size, root, frontier, keys, missing FROM ledger.logs
ORDER BY log DESC
LIMIT 1
`,
  { route: "local" },
);

export const getLogOf = statement<[log: number], LogRow>(
  `/* ledger.get-log-of */
SELECT log, origin, size, root, frontier, keys, missing FROM ledger.logs
WHERE log = $1::smallint
`,
  { route: "local" },
);

/** Makes a log without entries. One that is there stays as it is. */
export const createLog = statement<NewLog, never>(
  `/* ledger.create-log */
INSERT INTO ledger.logs (log, origin, size, root, frontier, keys)
VALUES ($1::smallint, $2::text, 0, $3::bytea, '', $4::bytea)
ON CONFLICT DO NOTHING
`,
  { route: "local" },
);

/** Leaves the epochs of a log to one process for some seconds. No row: another one has them. */
export const claimEpochs = statement<
  [log: number, closer: string, seconds: number],
  { readonly log: number }
>(
  `/* ledger.claim-epochs */
UPDATE ledger.logs
SET closer = $2::text, closer_until = statement_timestamp() + $3::integer * interval '1 second'
WHERE log = $1::smallint AND (closer = $2::text OR closer_until < statement_timestamp())
RETURNING log
`,
  { route: "local" },
);

export interface ProposalRow {
  readonly entry: string;
  readonly buckets: Buffer | null;
  /** Names the heads that change. Null if no head changes. */
  readonly heads: string | null;
  readonly parts: number;
}

export const getProposal = statement<[log: number], ProposalRow>(
  `/* ledger.get-proposal */
SELECT proposal AS entry, proposal_buckets AS buckets, proposal_heads AS heads,
  proposal_parts AS parts
FROM ledger.logs
WHERE log = $1::smallint AND proposal IS NOT NULL
`,
  { route: "local" },
);

type NewProposal = [
  log: number,
  size: string,
  entry: string,
  buckets: Buffer | null,
  heads: string | null,
  parts: number,
];

/**
 * Proposes the next entry of a log that has this size, no proposal, and every checkpoint that is known. No
 * row: another process was first.
 */
export const propose = statement<NewProposal, { readonly log: number }>(
  `/* ledger.propose */
UPDATE ledger.logs
SET proposal = $3::text, proposal_buckets = $4::bytea, proposal_heads = $5::uuid,
  proposal_parts = $6::integer
WHERE log = $1::smallint AND size = $2::bigint AND proposal IS NULL AND missing IS NULL
RETURNING log
`,
  { route: "local" },
);

type Closed = [
  log: number,
  sizeBefore: string,
  entry: string,
  root: Buffer,
  frontier: Buffer,
  keys: Buffer,
];

/** Ends the proposal: its entry is the last of the log. Nothing changes if another process has done it. */
export const closeEpoch = statement<Closed, never>(
  `/* ledger.close-epoch */
UPDATE ledger.logs
SET size = size + 1, root = $4::bytea, frontier = $5::bytea, keys = $6::bytea,
  proposal = NULL, proposal_buckets = NULL, proposal_heads = NULL,
  proposal_parts = 0
WHERE log = $1::smallint AND size = $2::bigint AND proposal = $3::text
`,
  { route: "local" },
);

type Successor = [log: number, origin: string, root: Buffer, keys: Buffer, entry: string];

/**
 * Begins a log that follows another, with the proposal of its first entry. No row: its number or origin is
 * taken.
 */
export const createSuccessor = statement<Successor, { readonly log: number }>(
  `/* ledger.create-successor */
INSERT INTO ledger.logs (log, origin, size, root, frontier, keys, proposal)
VALUES ($1::smallint, $2::text, 0, $3::bytea, '', $4::bytea, $5::text)
ON CONFLICT DO NOTHING
RETURNING log
`,
  { route: "local" },
);

type Missing = [log: number, checkpoint: string, size: string];

/** Keeps a checkpoint that the log does not have. No row: a larger one is kept, or this one. */
export const recordMissing = statement<Missing, { readonly log: number }>(
  `/* ledger.record-missing */
UPDATE ledger.logs SET missing = $2::text, missing_size = $3::bigint
WHERE log = $1::smallint AND missing_size < $3::bigint
RETURNING log
`,
  { route: "local" },
);

/** The log has the checkpoint by now. */
export const forgetMissing = statement<[log: number, checkpoint: string], never>(
  `/* ledger.forget-missing */
UPDATE ledger.logs SET missing = NULL, missing_size = 0
WHERE log = $1::smallint AND missing = $2::text
`,
  { route: "local" },
);
