// Fixtures of the block checker: a database with valid and forged chains, and what the verifier of this
// service finds in them. Imported by tests only.

import { PARTS, partDigest, GENESIS_HASH, leafHash, leafText } from "@annals/event";
import { createLog, createRegistry } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import type { TestDatabase } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import { append, eventOf } from "./append-fixtures.ts";
import { newLedgerDatabase, openPool } from "./database.ts";
import { ChainVerifier } from "../verify/rules/chain-verifier.ts";
import type { NewEvent } from "../append/rules/prepare-append.ts";
import { createMetrics } from "../metrics.ts";
import { chainRow } from "../verify/chain-row.ts";
import { readRange } from "../store/read-range.ts";
import { AppendQueue } from "../append/append-queue.ts";
import { BlockChecker } from "../verify/block-checker.ts";

/** Events of {@link BlockFixtures.newChain}. */
export const EVENTS = 5;
export const NEVER: AbortSignal = new AbortController().signal;

export type BlockFixtures = Awaited<ReturnType<typeof openBlockFixtures>>;

export async function openBlockFixtures() {
  const owner = await newLedgerDatabase(afterAll);
  const database = openPool(owner.url, { atEnd: afterAll });
  const queue = new AppendQueue({
    clock: systemClock(),
    database,
    log: createLog({ service: "test", level: "error" }),
    metrics: createMetrics(createRegistry("test")),
    notices: { notify: () => {} },
    random: randomBytes,
  });
  const checker = new BlockChecker(2);
  let accounts = 0;
  const newAccountId = () => `acct_${(accounts += 1)}`;
  const appendTo = async (accountId: string, events: readonly NewEvent[]) => {
    await queue.submit(append(accountId, { events }));
  };
  return {
    owner,
    database,
    newAccountId,
    appendTo,
    check: (accountId: string, from = 1, to = EVENTS) =>
      checker.check(database, { accountId, from, to, signal: NEVER }),
    /** An account with a chain of {@link EVENTS} events. */
    newChain: async () => {
      const accountId = newAccountId();
      const actor = { actor: '{"id":"u","type":"user"}', actorId: "u", actorType: "user" };
      const target = { target: '{"id":"t","type":"thing"}', targetId: "t", targetType: "thing" };
      await appendTo(
        accountId,
        Array.from({ length: EVENTS }, () => eventOf("a", { ...actor, ...target })),
      );
      return accountId;
    },
    /** What the verifier finds in the rows from the first to the one numbered `to`. */
    isValid: async (accountId: string, to = EVENTS) => {
      const rows = await database.run(readRange, [accountId, "1", String(to), to + 1]);
      const verifier = new ChainVerifier(accountId, { sequenceNumber: 0, hash: GENESIS_HASH });
      verifier.take(rows.map(chainRow));
      return verifier.firstInvalid === undefined && verifier.checked === to;
    },
  };
}

/** Replaces an event by another with valid digests and a valid hash, whatever its actor is. */
export async function forge(
  owner: TestDatabase,
  accountId: string,
  event: {
    readonly at?: number;
    readonly previousHash?: string;
    readonly actor?: string;
    readonly actorId?: string | null;
  },
): Promise<void> {
  const { at = 1, previousHash = GENESIS_HASH, actor = "{}", actorId = null } = event;
  const parts = { actor, context: "{}", diff: "{}", metadata: "{}", target: "{}" };
  const salts = PARTS.map(() => randomBytes(16));
  const digests = Buffer.concat(
    PARTS.map((field, index) => partDigest(salts[index] as Buffer, parts[field])),
  );
  const times = { createdAt: "", occurredAt: "", receivedAt: "" };
  const leaf = { action: "a", chain: accountId, digests, id: "e", previousHash };
  const hash = leafHash(leafText({ ...leaf, ...times, sequenceNumber: at }));
  await owner.query("DELETE FROM ledger.events WHERE account_id = $1 AND sequence_number = $2", [
    accountId,
    at,
  ]);
  await owner.query(
    `INSERT INTO ledger.events VALUES ($1, $2, 'e', 'a', '', '', '', $3, decode($4, 'hex'), decode($5, 'hex'),
       $6, '{}', '{}', '{}', '{}', $7, $8)`,
    [accountId, at, digests, previousHash, hash, actor, Buffer.concat(salts), actorId],
  );
}
