// The blocks of the filter index in tests: chains of rows without true hashes, what the index says of them,
// and what it should say, from the rows alone. Imported by tests only.

import type { TestDatabase } from "@annals/testing";

export const FRESH = 4_096;
export const SEALED = 65_536;

const COLUMNS = ["action", "actor_id", "actor_type", "target_id", "target_type"] as const;
const FIELDS = [...COLUMNS, "outcome"] as const;

/** Values of event n: action, actor_id, actor_type, target_id, target_type, and its erased parts. */
export const KINDS = {
  one: "'a', 'u', 'user', 't', 'thing', 0",
  many: "'a' || n, 'u' || n * 7, 'user' || n, 't' || -n, 'thing' || md5(n::text), 0",
  some: `'a.' || n % 7, 'u_' || n * 7919 % 500, 'user', 'inv_' || md5((n * 31 % 900)::text),
    CASE WHEN n % 1000 = 1 THEN repeat('é', 200) ELSE 'invoice' END, 0`,
  erased: `'a', CASE WHEN n % 3 > 0 THEN 'u_' || n % 90 END, CASE WHEN n % 3 > 0 THEN 'user' END,
    CASE WHEN n % 2 > 0 THEN '' END, NULL, CASE WHEN n % 3 = 0 THEN 1 ELSE 0 END`,
  deleted:
    "'a.' || n % 5, CASE WHEN n > 300 THEN 'u_' || n % 90 END, NULL, NULL, NULL, CASE WHEN n <= 300 THEN 63 ELSE 0 END",
} as const;

/** Metadata of event n: two in three have an outcome, of which one is too long for a key. */
export const OUTCOMES = `CASE WHEN n % 900 = 2 THEN '{"outcome":"' || repeat('é', 200) || '"}'
  WHEN n % 3 > 0 THEN '{"a":1,"outcome":"o' || n % 7 || '"}' ELSE '{}' END`;

/** Numbers of a sparse chain for each event. A segment of it costs a sixteenth, and behaves the same. */
export const SPARSE = 16;

/** The number of event n of a sparse chain. Fresh segments have their first and their last number. */
export const sparse = (n: number): number => SPARSE * (n - 1) + 1 + ((n - 1) % SPARSE);

interface Given {
  /** SQL of event n, which may name its number, too. */
  readonly values?: string;
  readonly metadata?: string;
  readonly context?: string;
  /** Absent: the chain has all its numbers. */
  readonly every?: typeof SPARSE;
  /** SQL of when event n occurred and was received. Absent: texts with its number. */
  readonly time?: string;
}

/** Inserts events of a chain, which by default say their numbers in their times, and its head. */
export async function insertEvents(
  database: TestDatabase,
  accountId: string,
  count: number,
  { context = "'{}'", every, metadata = "'{}'", time, values = KINDS.some }: Given = {},
): Promise<void> {
  const timeOf = (what: string) => time ?? `'${what} ' || lpad(number::text, 9, '0')`;
  await database.query(
    `INSERT INTO ledger.events (account_id, sequence_number, id, action, actor_id, actor_type, target_id, target_type,
       erased, occurred_at, received_at, created_at, digests, previous_hash, hash, actor, context, diff, metadata,
       target, salts)
     SELECT $1, number, 'evt_' || number, ${values}, ${timeOf("occurred")}, ${timeOf("received")}, '',
       decode(repeat('00', 160), 'hex'), sha256(n::text::bytea), sha256(n::text::bytea), '{}', ${context}, '{}', ${metadata}, '{}',
       decode(repeat('00', 80), 'hex')
     FROM generate_series(1, $2::bigint) AS n
     CROSS JOIN LATERAL (VALUES ($3::bigint * (n - 1) + 1 + (n - 1) % $3::bigint)) AS at (number)`,
    [accountId, count, every ?? 1],
  );
  await database.query(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash)
     SELECT account_id, sequence_number, hash FROM ledger.events WHERE account_id = $1 ORDER BY 2 DESC LIMIT 1`,
    [accountId],
  );
}

/** Makes a chain sparse that has all its events. Its hashes are those of the numbers before. */
export async function spread(database: TestDatabase, accountId: string): Promise<void> {
  const high = 1_000_000_000;
  const steps = [
    `${high} + ${SPARSE} * (sequence_number - 1) + 1 + (sequence_number - 1) % ${SPARSE}`,
    `sequence_number - ${high}`,
  ];
  for (const step of steps)
    for (const table of ["events", "heads"])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await database.query(
        `UPDATE ledger.${table} SET sequence_number = ${step} WHERE account_id = $1`,
        [accountId],
      );
}

/** Adds the fresh segments between two numbers to the index, also where numbers of them have no event. */
export async function indexSparse(
  database: TestDatabase,
  accountId: string,
  from: number,
  to: number,
): Promise<void> {
  await database.query(
    `INSERT INTO ledger.segments (account_id, level, base, earliest, latest, first_received, last_received)
     SELECT account_id, 0, (sequence_number - 1) / 4096 * 4096 AS base, min(occurred_at), max(occurred_at),
       min(received_at), max(received_at)
     FROM ledger.events WHERE account_id = $1 AND sequence_number > $2 AND sequence_number <= $3
     GROUP BY account_id, base`,
    [accountId, from, to],
  );
  for (let base = from; base < to; base += FRESH)
    // oxlint-disable-next-line no-await-in-loop -- in order
    await database.query("SELECT ledger.make_blocks($1, $2::bigint)", [accountId, base]);
}

/** A key of a field, and the numbers of its events in the order in which they are stored. */
type Entry = readonly [field: string, key: string, numbers: readonly number[]];

/** The plain definition. Values of more than 256 bytes are under the key ''. */
export async function entriesOfEvents(
  database: TestDatabase,
  accountId: string,
  after = 0,
  upTo = Infinity,
): Promise<Entry[]> {
  const rows = await database.query<Readonly<Record<string, string | null>>>(
    `SELECT sequence_number, ${COLUMNS.join(", ")}, metadata FROM ledger.events
     WHERE account_id = $1 AND erased & 32 = 0 ORDER BY sequence_number`,
    [accountId],
  );
  const entries = new Map<string, number[]>();
  for (const row of rows) {
    const number = Number(row["sequence_number"]);
    if (number <= after || number > upTo) continue;
    const { outcome } = JSON.parse(row["metadata"] ?? "{}") as { outcome?: string | string[] };
    const values = [
      ...COLUMNS.map((column) => [column, row[column]] as const),
      ...[outcome ?? []].flat().map((each) => ["outcome", each] as const),
    ];
    for (const [field, value] of values) {
      if (value === null || value === undefined) continue;
      const key = JSON.stringify([field, Buffer.byteLength(value) > 256 ? "" : value]);
      const numbers = entries.get(key) ?? [];
      if (numbers.push(number) === 1) entries.set(key, numbers);
    }
  }
  return sorted(
    [...entries].map(([key, numbers]) => [...(JSON.parse(key) as [string, string]), numbers]),
  );
}

/** What the blocks of an account say, those of each key together, in the order of the segments. */
export async function entriesOfBlocks(database: TestDatabase, accountId: string): Promise<Entry[]> {
  const entries = new Map<string, number[]>();
  for (const { field, base, keys, counts, places } of await blocksOf(database, accountId)) {
    let at = 0;
    for (const [index, key] of keys.entries()) {
      const name = JSON.stringify([FIELDS[field - 1], key]);
      const numbers = entries.get(name) ?? [];
      entries.set(name, numbers);
      const end = at + 2 * (counts?.[index] ?? places.length / 2);
      for (; at < end; at += 2)
        numbers.push(Number(base) - (Number(base) % SEALED) + places.readUInt16BE(at) + 1);
    }
  }
  return sorted(
    [...entries].map(([key, numbers]) => [...(JSON.parse(key) as [string, string]), numbers]),
  );
}

interface StoredBlock {
  readonly field: number;
  readonly level: number;
  readonly base: string;
  readonly first: string;
  readonly keys: readonly string[];
  readonly counts: readonly number[] | null;
  readonly places: Buffer;
}

export function blocksOf(database: TestDatabase, accountId: string): Promise<StoredBlock[]> {
  return database.query<StoredBlock>(
    `SELECT field, level, base, first, keys, counts, places FROM ledger.blocks
     WHERE account_id = $1 ORDER BY field, base, level, first`,
    [accountId],
  );
}

interface Place {
  readonly field: number;
  readonly key: string;
  readonly base: number;
}

/** Changes the places of a key in a segment by hand. Undefined: the key is gone. Fails if it is not there. */
export async function changeEntry(
  database: TestDatabase,
  accountId: string,
  { base, field, key }: Place,
  change: (places: readonly number[]) => readonly number[] | undefined,
): Promise<void> {
  const blocks = await blocksOf(database, accountId);
  const block = blocks.find(
    (each) => each.field === field && Number(each.base) === base && each.keys.includes(key),
  );
  if (!block) throw new Error(`no block has ${key}`);
  let at = 0;
  const entries = block.keys.map((each, index) => {
    const bytes = 2 * (block.counts?.[index] ?? block.places.length / 2);
    const places = Array.from({ length: bytes / 2 }, (_, n) =>
      block.places.readUInt16BE(at + 2 * n),
    );
    at += bytes;
    return { key: each, places: each === key ? change(places) : places };
  });
  const kept = entries.flatMap((entry) =>
    entry.places ? [{ ...entry, places: entry.places }] : [],
  );
  const places = Buffer.from(
    kept.flatMap((entry) => entry.places.flatMap((n) => [n >> 8, n & 255])),
  );
  const of = [accountId, field, block.level, base, block.first] as const;
  const where = "account_id = $1 AND field = $2 AND level = $3 AND base = $4 AND first = $5";
  if (kept.length === 0) await database.query(`DELETE FROM ledger.blocks WHERE ${where}`, [...of]);
  else
    await database.query(
      `UPDATE ledger.blocks SET keys = $6::text[], counts = $7::smallint[], places = $8::bytea WHERE ${where}`,
      [...of, kept.map((entry) => entry.key), kept.map((entry) => entry.places.length), places],
    );
}

export function segmentsOf(database: TestDatabase, accountId: string) {
  return database.query(
    "SELECT level, base::int, earliest, latest FROM ledger.segments WHERE account_id = $1 ORDER BY base, level",
    [accountId],
  );
}

const sorted = (entries: Entry[]): Entry[] =>
  entries.toSorted(([a, b], [c, d]) => (`${a} ${b}` < `${c} ${d}` ? -1 : 1));
