// Every way to tamper with a chain of EVENTS events that flows/tampering tries, one at a time, with
// the rights of the owner of the database, and what verification has to say of it.

import { eventually, ON_ONE_SERVER } from "@annals/testing";
import { FORGERIES } from "./tampering-forgeries.ts";
import { AT, deleteEvents, EVENTS, type Kind, type Owner, sql, where } from "./tampering-sql.ts";

/**
 * The column's new value, as SQL, and what it breaks. Every column that the hash covers, and each copy, has
 * to be here.
 */
export const COLUMNS: Readonly<Record<string, readonly [value: string, reason: string]>> = {
  account_id: ["'acct_other_' || $1", "sequence_gap"],
  sequence_number: [`${EVENTS + 50}`, "sequence_gap"],
  id: ["'evt_' || right(id, -5) || 'x'", "hash_mismatch"],
  action: ["action || ' '", "hash_mismatch"],
  occurred_at: ["'2020-01-01T00:00:00.000000Z'", "hash_mismatch"],
  received_at: ["'2020-01-01T00:00:00.000000Z'", "hash_mismatch"],
  created_at: ["replace(created_at, 'Z', '+00:00')", "hash_mismatch"],
  digests: ["set_byte(digests, 159, (get_byte(digests, 159) + 1) % 256)", "digest_mismatch"],
  previous_hash: [
    "set_byte(previous_hash, 0, (get_byte(previous_hash, 0) + 1) % 256)",
    "link_mismatch",
  ],
  hash: ["set_byte(hash, 31, (get_byte(hash, 31) + 1) % 256)", "hash_mismatch"],
  actor: [`replace(actor, 'u_', 'v_')`, "digest_mismatch"],
  context: [`'{}'`, "digest_mismatch"],
  diff: [`replace(diff, '1', '2')`, "digest_mismatch"],
  metadata: ["replace(metadata, ':', ': ')", "digest_mismatch"],
  target: ["'null'", "digest_mismatch"],
  salts: ["set_byte(salts, 79, (get_byte(salts, 79) + 1) % 256)", "digest_mismatch"],
  actor_id: ["'u_other'", "digest_mismatch"],
  actor_type: ["NULL", "digest_mismatch"],
  target_id: ["target_id || ' '", "digest_mismatch"],
  target_type: ["''", "digest_mismatch"],
  erased: ["erased | 1", "digest_mismatch"],
};

/** Citus itself refuses to change the column that decides the server. */
const changeable = Object.entries(COLUMNS).filter(
  ([column]) => ON_ONE_SERVER || column !== "account_id",
);

const columnKinds = changeable.map(([column, [value, reason]]) => {
  const text = `UPDATE ledger.events SET ${column} = ${value} WHERE account_id = $1 AND sequence_number = ${AT}`;
  return sql(`change ${column}`, [text], reason);
});

/** As an erasure leaves an event, but without its record. */
const NO_ACTOR = "actor = '{}', actor_id = NULL, actor_type = NULL";
const NO_SALT = "salts = decode(repeat('00', 16), 'hex') || substring(salts, 17)";
const erasure = sql(
  "erase a part without a record",
  [
    `UPDATE ledger.events SET erased = 1, ${NO_ACTOR}, ${NO_SALT}
     WHERE account_id = $1 AND sequence_number = ${AT}`,
  ],
  "erasure_unrecorded",
);

const deletions: readonly Kind[] = [
  sql("delete an event", [deleteEvents(`sequence_number = ${AT}`)], "sequence_gap"),
  sql("delete the first event", [deleteEvents("sequence_number = 1")], "sequence_gap", 1),
  sql(
    "delete a run of events",
    [deleteEvents("sequence_number BETWEEN 30 AND 60")],
    "sequence_gap",
    30,
  ),
  sql(
    "delete the last event",
    [deleteEvents(`sequence_number = ${EVENTS}`)],
    "head_mismatch",
    EVENTS,
  ),
  sql("truncate the tail", [deleteEvents("sequence_number > 150")], "head_mismatch", 151),
  sql("delete all events", [deleteEvents("true")], "head_mismatch", 1),
];

const setHead = (changes: string, from = "") =>
  `UPDATE ledger.heads SET ${changes} ${from} WHERE heads.account_id = $1`;
const hashOf = (sequence: number) =>
  setHead(`sequence_number = ${sequence}, hash = events.hash`, "FROM ledger.events") +
  ` AND events.account_id = $1 AND events.sequence_number = ${sequence}`;

const heads: readonly Kind[] = [
  sql("delete the head", ["DELETE FROM ledger.heads WHERE account_id = $1"], "head_mismatch", 1),
  sql("move the head back", [hashOf(150)], "head_mismatch", 151),
  sql("move the head's number on", [setHead("sequence_number = 210")], "head_mismatch", EVENTS + 1),
  sql("move the head's number back", [setHead("sequence_number = 150")], "head_mismatch", 151),
  sql(
    "change the head's hash",
    [setHead("hash = decode(repeat('ab', 32), 'hex')")],
    "head_mismatch",
    EVENTS,
  ),
  sql(
    "truncate the tail and move the head's number",
    [deleteEvents("sequence_number > 150"), setHead("sequence_number = 150")],
    "head_mismatch",
    150,
  ),
];

const IN_TREE = `SELECT 1 FROM ledger.trees WHERE account_id = $1 AND size = ${EVENTS}`;
const COVERED = `SELECT 1 FROM ledger.account_heads JOIN ledger.epochs USING (log, epoch)
  WHERE account_id = $1 AND account_heads.size = ${EVENTS} AND quorum_at IS NOT NULL`;

/** Cuts off the end, and moves the head back to what is left, once all events are where `condition` says. */
function cut(name: string, condition: string, ...more: readonly string[]): Kind {
  const statements = [hashOf(150), deleteEvents("sequence_number > 150"), ...more];
  const kind = sql(name, statements, "tree_mismatch", 151);
  const tamper = async (owner: Owner, accountId: string) => {
    const isMet = async () => (await owner.query(condition, [accountId])).length > 0;
    await eventually("the log has all events", isMet);
    await kind.tamper(owner, accountId);
  };
  return { ...kind, tamper };
}

const cuts: readonly Kind[] = [
  cut("truncate the tail and move the head's number and hash back", IN_TREE),
  cut(
    "the same, and delete the tree",
    COVERED,
    "DELETE FROM ledger.trees WHERE account_id = $1",
    "DELETE FROM ledger.tiles WHERE account_id = $1",
  ),
];

const UNUSED_NUMBER = 9_999;

/** Swaps a column between rows 100 and 101, by way of a value that no row has. */
function swap(column: string, reason: string): Kind {
  const tamper = async (owner: Owner, accountId: string) => {
    const rows = await owner.query(
      `SELECT ${column} AS value FROM ledger.events ${where(`sequence_number IN (${AT}, ${AT + 1})`)} ORDER BY sequence_number`,
      [accountId],
    );
    const [one, other] = rows.map((row) => row["value"]);
    const set = (sequence: number, value: unknown) => {
      const text = `UPDATE ledger.events SET ${column} = $3 ${where("sequence_number = $2")}`;
      return owner.query(text, [accountId, sequence, value]);
    };
    const isNumber = column === "sequence_number";
    if (isNumber) await set(AT, UNUSED_NUMBER);
    if (column === "previous_hash") await set(AT, Buffer.alloc(32, 0xab));
    await set(AT + 1, one);
    await set(isNumber ? UNUSED_NUMBER : AT, other);
  };
  return { name: `swap ${column} of two events`, tamper, first: AT, reason };
}

const swapsOfParts = [
  "actor",
  "context",
  "diff",
  "metadata",
  "target",
  "salts",
  "actor_id",
  "target_id",
].map((column) => swap(column, "digest_mismatch"));

const swaps: readonly Kind[] = [
  { ...swap("sequence_number", "link_mismatch"), name: "swap two whole events" },
  swap("hash", "hash_mismatch"),
  swap("previous_hash", "link_mismatch"),
  swap("digests", "digest_mismatch"),
  swap("action", "hash_mismatch"),
  swap("id", "hash_mismatch"),
];

export const KINDS: readonly Kind[] = [
  ...columnKinds,
  erasure,
  ...deletions,
  ...heads,
  ...cuts,
  ...swaps,
  ...swapsOfParts,
  ...FORGERIES,
];
