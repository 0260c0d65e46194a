// Cases of the append: one event and several, with idempotency keys and without them, and what it must not
// store. Called by all.ts.

import { type ChainedRow, chainOf, EVENTS } from "../seeds/chain.ts";
import type { Case, Cases, Params, Subject } from "./case.ts";

interface Append {
  readonly events: number;
  readonly keys?: readonly string[];
  /** By how much the given head lies before the stored one. */
  readonly behind?: number;
}

const SHA256 = Buffer.alloc(32, 7);
const ZEROS = `\\x${"00".repeat(32)}`;
const bytes = (texts: readonly (string | null)[]): Buffer =>
  Buffer.concat(texts.map((text) => Buffer.from((text ?? "").slice(2), "hex")));

/** The columns of both statements, from the third parameter on, of one chain. */
function columnsOf(added: readonly ChainedRow[], before: string, keys: readonly string[]) {
  const of = (column: string) => added.map((row) => row[column] ?? null);
  const first = added[0]?.["sequence_number"] ?? "";
  return {
    hashes: bytes([before, ...of("hash")]),
    texts: ["id", "action", "occurred_at", "received_at"].map(of),
    digests: bytes(of("digests")),
    parts: ["actor", "context", "diff", "metadata", "target"].map(of),
    salts: bytes(of("salts")),
    copies: ["actor_id", "actor_type", "target_id", "target_type", "key_id"].map(of),
    remembered: [
      keys,
      Buffer.concat(keys.map(() => SHA256)),
      keys.map(() => first),
      keys.map(() => 1),
    ],
  };
}

function addedTo({ account, chain }: Subject, { events, behind = 0, keys = [] }: Append) {
  const head = chain.at(-1 - behind);
  const sequence = chain.length === 0 ? 0 : EVENTS - behind;
  const before = head?.hash ?? ZEROS;
  const added = chainOf(account, {
    count: events,
    first: sequence + 1,
    previousHash: before.slice(2),
  });
  const createdAt = added[0]?.["created_at"] ?? "";
  return { sequence, createdAt, columns: columnsOf(added, before, keys), keys };
}

const append =
  (given: Append): Case =>
  (subject) => {
    const { columns, createdAt, sequence } = addedTo(subject, given);
    const { copies, digests, hashes, parts, remembered, salts, texts } = columns;
    const given26 = [hashes, ...texts, createdAt, digests, ...parts, salts, ...copies];
    return [subject.account, String(sequence), ...given26, ...remembered, String(sequence), 24];
  };

/** One event for each of two chains. */
function appendToChains({ accounts, ...subject }: Subject): Params {
  const added = accounts.map((account) =>
    addedTo(
      { ...subject, accounts, account, chain: chainOf(account) },
      { events: 1, keys: ["new"] },
    ),
  );
  const all = (of: (each: (typeof added)[number]) => unknown[]): unknown[] => added.flatMap(of);
  const joined = (of: (each: (typeof added)[number]) => Buffer) => Buffer.concat(added.map(of));
  const turned = (of: (each: (typeof added)[number]) => unknown[][]) =>
    (added[0] ? of(added[0]) : []).map((_, index) => all((each) => of(each)[index] ?? []));
  const chains = accounts.map((_, index) => index + 1);
  return [
    accounts,
    added.map(({ sequence }) => String(sequence)),
    joined(({ columns }) => columns.hashes),
    ...turned(({ columns }) => columns.texts),
    added.map(({ createdAt }) => createdAt),
    joined(({ columns }) => columns.digests),
    ...turned(({ columns }) => columns.parts),
    joined(({ columns }) => columns.salts),
    ...turned(({ columns }) => columns.copies),
    accounts.map(() => "new"),
    Buffer.concat(accounts.map(() => SHA256)),
    added.map(({ sequence }) => String(sequence + 1)),
    accounts.map(() => 1),
    added.map(({ sequence }) => String(sequence)),
    accounts.map(() => 1),
    accounts.map((_, index) => index),
    chains,
    chains,
    24,
  ];
}

export const APPEND: Cases = {
  "ledger.append-events": [
    append({ events: 1 }),
    append({ events: 3 }),
    append({ events: 1, keys: ["new"] }),
    append({ events: 3, keys: ["old", "new", "newer"] }),
    append({ events: 1, keys: ["known"] }),
    append({ events: 1, behind: 1 }),
  ],
  "ledger.append-to-chains": [appendToChains],
};
