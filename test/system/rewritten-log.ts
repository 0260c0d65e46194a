// What a superuser of the database does who knows how hashes are made, and who has the key of the log: an
// event is changed and the chain made anew from it on, and an epoch with the new head is signed. Called by
// the tests that show what verification says of it. No service runs meanwhile.

import { leafHash, leafText } from "@annals/event";
import type { TestDatabase } from "@annals/testing";
import {
  append,
  checkpointText,
  EMPTY_TREE,
  entryHash,
  entryText,
  frontierOf,
  HeadMap,
  nextEntry,
  noteSigner,
  noteText,
  parseEntry,
  rootOf,
  splitHashes,
} from "@annals/tlog";

type Owner = Pick<TestDatabase, "query">;

interface EventRow {
  readonly sequence_number: string;
  readonly id: string;
  readonly action: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly created_at: string;
  readonly digests: Buffer;
}

const GENESIS = "0".repeat(64);

/** Changes the action of an event, and makes the rest of its chain fit. The account's tree is built anew. */
export async function rewriteEvent(owner: Owner, accountId: string, at: number): Promise<void> {
  const [before] = await owner.query<{ hash: Buffer }>(
    "SELECT hash FROM ledger.events WHERE account_id = $1 AND sequence_number = $2",
    [accountId, at - 1],
  );
  let previousHash = before?.hash.toString("hex") ?? GENESIS;
  const rows = await owner.query<EventRow>(
    `SELECT sequence_number, id, action, occurred_at, received_at, created_at, digests
     FROM ledger.events WHERE account_id = $1 AND sequence_number >= $2 ORDER BY sequence_number`,
    [accountId, at],
  );
  for (const row of rows) {
    const sequenceNumber = Number(row.sequence_number);
    const action = sequenceNumber === at ? "rewritten" : row.action;
    const leaf = leafText({
      action,
      chain: accountId,
      createdAt: row.created_at,
      digests: row.digests,
      id: row.id,
      occurredAt: row.occurred_at,
      previousHash,
      receivedAt: row.received_at,
      sequenceNumber,
    });
    const hash = leafHash(leaf);
    await owner.query(
      `UPDATE ledger.events SET action = $3, previous_hash = decode($4, 'hex'), hash = decode($5, 'hex')
       WHERE account_id = $1 AND sequence_number = $2`,
      [accountId, sequenceNumber, action, previousHash, hash],
    );
    previousHash = hash;
  }
  await owner.query("UPDATE ledger.heads SET hash = decode($2, 'hex') WHERE account_id = $1", [
    accountId,
    previousHash,
  ]);
  for (const table of ["trees", "tiles", "account_heads"])
    await owner.query(`DELETE FROM ledger.${table} WHERE account_id = $1`, [accountId]);
}

interface LogRow {
  readonly log: number;
  readonly origin: string;
  readonly size: string;
  readonly frontier: Buffer;
}

/** Closes an epoch in which the account has the head that its chain has now. The head log only grows. */
export async function forgeEpoch(owner: Owner, seed: Buffer, accountId: string): Promise<void> {
  const [log] = await owner.query<LogRow>("SELECT log, origin, size, frontier FROM ledger.logs");
  if (log === undefined) throw new Error("there is no log");
  const leaves = await owner.query<{ hash: Buffer }>(
    "SELECT hash FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number",
    [accountId],
  );
  const tree = append(
    EMPTY_TREE,
    leaves.map(({ hash }) => hash),
  );
  const heads = await owner.query<{ account_id: string; size: string; root: Buffer }>(
    `SELECT DISTINCT ON (account_id) account_id, size, root FROM ledger.account_heads
     WHERE account_id <> $1 ORDER BY account_id, epoch DESC`,
    [accountId],
  );
  const map = new HeadMap();
  for (const { account_id: chain, root, size } of heads)
    map.set({ chain, root, size: Number(size) });
  map.set({ chain: accountId, root: rootOf(tree), size: tree.size });
  const epoch = Number(log.size) + 1;
  const time = new Date().toISOString().replace("Z", "000Z");
  const entry = entryText({ epoch, kind: "heads", heads: map.root(), time });
  const frontier = frontierOf(Number(log.size), splitHashes(log.frontier));
  const next = nextEntry(frontier, entryHash(Buffer.from(entry)));
  const text = checkpointText({ origin: log.origin, size: epoch, root: next.root });
  const note = noteText({ text, signatures: [noteSigner(log.origin, seed).sign(text)] });
  await owner.query(
    `INSERT INTO ledger.epochs (log, epoch, entry, time, checkpoint, buckets)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [log.log, epoch, entry, time, note, map.buckets()],
  );
  await owner.query(
    "INSERT INTO ledger.account_heads (account_id, log, epoch, size, root) VALUES ($1, $2, $3, $4, $5)",
    [accountId, log.log, epoch, tree.size, rootOf(tree)],
  );
  const hashes = Buffer.concat(next.tree.hashes);
  await owner.query("UPDATE ledger.logs SET size = $1, root = $2, frontier = $3", [
    epoch,
    next.root,
    hashes,
  ]);
  await owner.query("UPDATE keys.signed_heads SET size = $1, root = $2", [epoch, next.root]);
}

/** Changes what the last epoch says, and signs it anew: its size has two heads then. */
export async function rewriteEpoch(owner: Owner, seed: Buffer): Promise<void> {
  const [log] = await owner.query<LogRow>("SELECT log, origin, size, frontier FROM ledger.logs");
  const epochs = await owner.query<{ entry: string }>(
    "SELECT entry FROM ledger.epochs ORDER BY epoch",
  );
  const last = parseEntry(epochs.at(-1)?.entry ?? "");
  if (log === undefined) throw new Error("there is no log");
  const entry = entryText({ ...last, time: new Date().toISOString().replace("Z", "999Z") });
  const entries = [...epochs.slice(0, -1).map((epoch) => epoch.entry), entry];
  const tree = append(
    EMPTY_TREE,
    entries.map((each) => entryHash(Buffer.from(each))),
  );
  const text = checkpointText({ origin: log.origin, size: tree.size, root: rootOf(tree) });
  const note = noteText({ text, signatures: [noteSigner(log.origin, seed).sign(text)] });
  await owner.query("UPDATE ledger.epochs SET entry = $1, checkpoint = $2 WHERE epoch = $3", [
    entry,
    note,
    tree.size,
  ]);
  const hashes = Buffer.concat(tree.hashes);
  await owner.query(
    `UPDATE ledger.logs SET root = $1, frontier = $2, proposal = NULL, proposal_buckets = NULL,
       proposal_heads = NULL, proposal_parts = 0`,
    [rootOf(tree), hashes],
  );
  await owner.query("UPDATE keys.signed_heads SET size = $1, root = $2", [tree.size, rootOf(tree)]);
}
