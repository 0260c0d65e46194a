// The statements of the outbox, over the application's PostgreSQL, where Annals has no rows. Called by
// outbox.ts.

/** What of `pg.Client`, `pg.PoolClient` and `pg.Pool` the outbox needs. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

export interface Connection extends Queryable {
  release(error?: boolean): void;
  on?(event: "error", listener: () => void): unknown;
  off?(event: "error", listener: () => void): unknown;
}

export interface ConnectionPool extends Queryable {
  connect(): Promise<Connection>;
}

export interface Marked {
  readonly batch: string;
  /** Text, so that it compares equal to what the table has. */
  readonly claimedAt: string;
  /** Whether this relay made the batch, and so no other can have sent it. */
  readonly isNew: boolean;
  readonly rows: readonly { readonly id: string; readonly event: string }[];
}

interface Row {
  id: string;
  event: string;
  claimed_at: string;
}

export async function insert(transaction: Queryable, event: string): Promise<void> {
  await transaction.query("INSERT INTO annals_outbox (event) VALUES ($1::json)", [event]);
}

/**
 * Marks the next rows as a batch, or takes over one that its relay has not touched for a minute. Undefined if
 * there is none, or another relay sends one.
 */
export async function mark(
  connection: Queryable,
  batch: string,
  most: { readonly events: number; readonly bytes: number },
): Promise<Marked | undefined> {
  // One of several relays at a time decides. The lock ends with the transaction, whatever pools connections.
  await connection.query("SELECT pg_advisory_xact_lock(hashtext('annals_outbox'))");
  const { rows: marked } = await connection.query(
    `SELECT batch, claimed_at < clock_timestamp() - interval '60 seconds' AS is_left
     FROM annals_outbox WHERE batch IS NOT NULL LIMIT 1`,
  );
  const [before] = marked as { batch: string; is_left: boolean }[];
  if (before && !before.is_left) return undefined;
  if (before) await touchBatch(connection, before.batch);
  else
    await connection.query(
      `UPDATE annals_outbox SET batch = $1::text, claimed_at = statement_timestamp()
       WHERE id IN (
         SELECT id FROM (
           SELECT id, row_number() OVER w AS events, sum(octet_length(event::text)) OVER w AS bytes
           FROM (SELECT id, event FROM annals_outbox ORDER BY id LIMIT $2::int) AS next
           WINDOW w AS (ORDER BY id)
         ) AS counted
         WHERE events = 1 OR bytes <= $3::bigint
       )`,
      [batch, most.events, most.bytes],
    );
  const { rows } = await connection.query(
    `SELECT id::text, event::text, claimed_at::text FROM annals_outbox
     WHERE batch = $1::text ORDER BY annals_outbox.id`,
    [before?.batch ?? batch],
  );
  const [first] = rows as Row[];
  if (!first) return undefined;
  return {
    batch: before?.batch ?? batch,
    claimedAt: first.claimed_at,
    isNew: before === undefined,
    rows: rows as Row[],
  };
}

/** Keeps other relays from taking a batch over. */
export async function touchBatch(connection: Queryable, batch: string): Promise<void> {
  await connection.query(
    "UPDATE annals_outbox SET claimed_at = statement_timestamp() WHERE batch = $1::text",
    [batch],
  );
}

export async function deleteBatch(connection: Queryable, batch: string): Promise<void> {
  await connection.query("DELETE FROM annals_outbox WHERE batch = $1::text", [batch]);
}

/** Nothing of the batch is stored: its rows may go under another key. */
export async function unmark(connection: Queryable, batch: string): Promise<void> {
  await connection.query(
    "UPDATE annals_outbox SET batch = NULL, claimed_at = NULL WHERE batch = $1::text",
    [batch],
  );
}

/** Unmarks it if no other relay has taken it over. */
export async function unmarkOwn(
  connection: Queryable,
  { batch, claimedAt }: Marked,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `UPDATE annals_outbox SET batch = NULL, claimed_at = NULL
     WHERE batch = $1::text AND claimed_at = $2::timestamptz`,
    [batch, claimedAt],
  );
  return (rowCount ?? 0) > 0;
}

/** Moves rows of a batch to the table of refused ones, and unmarks the others, in one statement. */
export async function refuse(
  connection: Queryable,
  batch: string,
  ids: readonly string[],
  reason: "refused" | "unconfirmed",
  error: string,
): Promise<void> {
  await connection.query(
    `WITH moved AS (
       DELETE FROM annals_outbox WHERE batch = $1::text AND id = ANY($2::bigint[])
       RETURNING id, event
     ), kept AS (
       INSERT INTO annals_outbox_refused (id, event, reason, error)
       SELECT id, event, $3::text, $4::text FROM moved
     )
     UPDATE annals_outbox SET batch = NULL, claimed_at = NULL
     WHERE batch = $1::text AND NOT id = ANY($2::bigint[])`,
    [batch, ids, reason, error],
  );
}
