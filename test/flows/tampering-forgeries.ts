// Kinds of tampering by an attacker who knows how hashes are made: events inserted, replaced, linked anew.

import { PARTS, partDigest, leafHash, leafText } from "@annals/event";
import { randomBytes } from "node:crypto";
import { AT, deleteEvents, EVENTS, type Kind, type Owner, sql, where } from "./tampering-sql.ts";

/** Writes an event as an attacker does who knows how hashes are made. Returns its hash. */
async function forge(
  owner: Owner,
  accountId: string,
  event: { readonly sequence: number; readonly previousHash: string; readonly action: string },
): Promise<string> {
  const { sequence, previousHash, action } = event;
  const salts = PARTS.map(() => randomBytes(16));
  const digests = Buffer.concat(salts.map((salt) => partDigest(salt, "{}")));
  const time = "2026-01-31T09:30:00.000000Z";
  const id = `evt_${"0".repeat(26)}`;
  const times = { createdAt: time, occurredAt: time, receivedAt: time };
  const leaf = leafText({
    action,
    chain: accountId,
    digests,
    id,
    previousHash,
    sequenceNumber: sequence,
    ...times,
  });
  const hash = leafHash(leaf);
  await owner.query(
    `INSERT INTO ledger.events (account_id, sequence_number, id, action, occurred_at, received_at, created_at,
       digests, previous_hash, hash, actor, context, diff, metadata, target, salts)
     VALUES ($1, $2, $3, $4, $5, $5, $5, $6, decode($7, 'hex'), decode($8, 'hex'), '{}', '{}', '{}', '{}', '{}', $9)`,
    [accountId, sequence, id, action, time, digests, previousHash, hash, Buffer.concat(salts)],
  );
  return hash;
}

async function hashAt(owner: Owner, accountId: string, sequence: number): Promise<string> {
  const [row] = await owner.query(
    `SELECT encode(hash, 'hex') AS hash FROM ledger.events ${where("sequence_number = $2")}`,
    [accountId, sequence],
  );
  return String(row?.["hash"]);
}

/** Moves all events after `AT` one number up, to make room for one. */
async function makeRoom(owner: Owner, accountId: string): Promise<void> {
  for (const move of [1_000, -999]) {
    const text = `UPDATE ledger.events SET sequence_number = sequence_number + $2 ${where(`sequence_number > ${AT}`)}`;
    await owner.query(text, [accountId, move]);
  }
}

const setPrevious = `UPDATE ledger.events SET previous_hash = decode($3, 'hex') ${where("sequence_number = $2")}`;

export const FORGERIES: readonly Kind[] = [
  {
    name: "insert an event at the end, without moving the head",
    first: EVENTS + 1,
    reason: "head_mismatch",
    tamper: async (owner, accountId) =>
      forge(owner, accountId, {
        sequence: EVENTS + 1,
        previousHash: await hashAt(owner, accountId, EVENTS),
        action: "a",
      }),
  },
  {
    name: "insert an event beyond the end",
    first: EVENTS + 1,
    reason: "head_mismatch",
    tamper: (owner, accountId) =>
      forge(owner, accountId, { sequence: EVENTS + 7, previousHash: "ab".repeat(32), action: "a" }),
  },
  {
    name: "insert an event in the middle that fits, and link the next one to it",
    first: AT + 2,
    reason: "hash_mismatch",
    tamper: async (owner, accountId) => {
      await makeRoom(owner, accountId);
      const previousHash = await hashAt(owner, accountId, AT);
      await owner.query(setPrevious, [accountId, AT + 2, "ab".repeat(32)]);
      const hash = await forge(owner, accountId, { sequence: AT + 1, previousHash, action: "a" });
      await owner.query(setPrevious, [accountId, AT + 2, hash]);
    },
  },
  {
    name: "insert an event in the middle that fits nowhere",
    first: AT + 1,
    reason: "link_mismatch",
    tamper: async (owner, accountId) => {
      await makeRoom(owner, accountId);
      await forge(owner, accountId, {
        sequence: AT + 1,
        previousHash: "ab".repeat(32),
        action: "a",
      });
    },
  },
  {
    name: "replace an event by another with a hash of its own",
    first: AT + 1,
    reason: "link_mismatch",
    tamper: async (owner, accountId) => {
      await owner.query(deleteEvents(`sequence_number = ${AT}`), [accountId]);
      const previousHash = await hashAt(owner, accountId, AT - 1);
      await forge(owner, accountId, { sequence: AT, previousHash, action: "a" });
    },
  },
  {
    name: "replace the last event by another with a hash of its own",
    first: EVENTS,
    reason: "head_mismatch",
    tamper: async (owner, accountId) => {
      await owner.query(deleteEvents(`sequence_number = ${EVENTS}`), [accountId]);
      const previousHash = await hashAt(owner, accountId, EVENTS - 1);
      await forge(owner, accountId, { sequence: EVENTS, previousHash, action: "a" });
    },
  },
  {
    name: "write the chain anew from an event on, but for the head",
    first: EVENTS,
    reason: "head_mismatch",
    tamper: async (owner, accountId) => {
      await owner.query(deleteEvents(`sequence_number >= ${AT}`), [accountId]);
      let previousHash = await hashAt(owner, accountId, AT - 1);
      for (let sequence = AT; sequence <= EVENTS; sequence += 1) {
        previousHash = await forge(owner, accountId, { sequence, previousHash, action: "a" });
      }
    },
  },
  {
    name: "re-point an event to the end of the chain",
    first: AT,
    reason: "link_mismatch",
    tamper: async (owner, accountId) =>
      owner.query(setPrevious, [accountId, AT, await hashAt(owner, accountId, EVENTS)]),
  },
  sql(
    "change two events: the first is named",
    [50, 150].map(
      (n) => `UPDATE ledger.events SET action = 'b' ${where(`sequence_number = ${n}`)}`,
    ),
    "hash_mismatch",
    50,
  ),
];
