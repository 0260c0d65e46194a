// Looks at the chain of an account as it lies in the tables, without any code of the product, and
// reports what is wrong with it. Called by flows that append from many sides, and by their control,
// whose broken chain it must find.

import type { TestDatabase } from "@annals/testing";

interface Row {
  readonly sequence_number: string;
  readonly previous_hash: string;
  readonly hash: string;
}

const GENESIS = "0".repeat(64);

/**
 * Sentences, at most one a kind of fault; none for a chain of `events` events without gap or fork
 * that ends at its head.
 */
export async function chainFaults(
  database: Pick<TestDatabase, "query">,
  accountId: string,
  events: number,
): Promise<string[]> {
  const rows = await database.query<Row>(
    `SELECT sequence_number, encode(previous_hash, 'hex') AS previous_hash, encode(hash, 'hex') AS hash
     FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number`,
    [accountId],
  );
  const [head] = await database.query(
    "SELECT sequence_number, encode(hash, 'hex') AS hash FROM ledger.heads WHERE account_id = $1",
    [accountId],
  );
  const faults = new Map<string, string>();
  const find = (kind: string, at: string | undefined) =>
    faults.has(kind) || faults.set(kind, `${kind} at ${at}`);
  const followed = new Set<string>();
  if (rows.length !== events) find(`${rows.length} events, not ${events},`, "the end");
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    const at = row.sequence_number;
    if (before?.sequence_number === at) find("two events of one number", at);
    else if (Number(at) !== Number(before?.sequence_number ?? 0) + 1) find("a gap", at);
    if (followed.has(row.previous_hash)) find("a fork", at);
    followed.add(row.previous_hash);
    if (row.previous_hash !== (before?.hash ?? GENESIS)) find("a wrong link", at);
  }
  const last = rows.at(-1);
  if (head?.["sequence_number"] !== last?.sequence_number || head?.["hash"] !== last?.hash)
    find("another head", "the end");
  return [...faults.values()];
}
