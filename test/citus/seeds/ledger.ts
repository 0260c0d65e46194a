// The rows of the ledger with which each statement begins: the same for each account, but for what makes a
// branch of a statement differ. Called by databases.ts.

import { FUTURE, LONG_AGO } from "../cases/case.ts";
import { auditSeeds, requestSeeds } from "./audit.ts";
import { chainOf, EVENTS } from "./chain.ts";
import { headLogSeeds } from "./head-log.ts";
import { outboxSeeds } from "./outbox.ts";
import type { Seeds, SeedsOf } from "./seeds.ts";

const SHA256 = `\\x${"ab".repeat(32)}`;
const FIRST_SEGMENTS = 2;

export const ledgerSeeds: SeedsOf = (accounts) => {
  const each = (rowsOf: (account: string, index: number) => Seeds[string]) =>
    accounts.flatMap(rowsOf);
  return {
    events: each((account) => chainOf(account)),
    heads: each((account_id) => [
      {
        account_id,
        sequence_number: EVENTS,
        hash: chainOf(account_id).at(-1)?.hash ?? "",
        created_at: "2020-02-01T00:00:00.000000Z",
        month_start: 2,
      },
    ]),
    // No two expired ones have the same age.
    idempotency_keys: each((account_id, index) =>
      [
        ["known", FUTURE],
        ["old", `2020-02-01T00:00:0${index}Z`],
        ["older", `2020-01-01T00:00:0${index}Z`],
      ].map(([idempotency_key, created_at]) => ({
        account_id,
        idempotency_key,
        request_sha256: SHA256,
        first_sequence_number: 3,
        event_count: 2,
        created_at,
      })),
    ),
    // A segment that begins after its first events.
    segments: each((account_id) =>
      Array.from({ length: FIRST_SEGMENTS }, (_, at) => ({
        account_id,
        level: 0,
        base: at * 4_096,
        earliest: "2020-01-12T09:30:00.000000Z",
        latest: `2020-0${at + 2}-28T00:00:00.000000Z`,
        first_received: "2020-02-01T00:00:00.000000Z",
        last_received: `2020-0${at + 2}-01T00:00:00.000000Z`,
      })),
    ),
    blocks: each((account_id) =>
      [
        [1, 0, "{invoice.create,invoice.update,user.login}", "{2,2,2}", "000000030001000400020005"],
        [1, 4_096, "{invoice.create}", null, "100510061007"],
        [2, 0, "{user_1}", "{3}", "000000010003"],
        [2, 4_096, "{user_1}", null, "1006"],
        [3, 0, "{user}", "{4}", "0000000100030004"],
      ].map(([field, base, keys, counts, places]) => ({
        account_id,
        field,
        level: 0,
        base,
        first: /\w[\w.]*/.exec(String(keys))?.[0],
        keys,
        counts,
        places: `\\x${places}`,
      })),
    ),
    // The last account is not due, and has never been valid.
    verifications: each((account_id, index) => [
      {
        account_id,
        sequence_number: 3,
        hash: "00",
        chunks: 1,
        verified_at: index === accounts.length - 1 ? null : LONG_AGO,
        due_at: index === accounts.length - 1 ? FUTURE : LONG_AGO,
      },
    ]),
    // Behind the chain by two events. The tile is of no tree: no statement compares it with one.
    trees: each((account_id) => [
      { account_id, size: 4, root: SHA256, bucket: 7, frontier: SHA256 },
    ]),
    tiles: each((account_id) => [
      { account_id, level: 0, tile: 0, root: SHA256, hashes: `\\x${"cd".repeat(8_192)}` },
    ]),
    account_heads: each((account_id) =>
      [1, 3].map((epoch) => ({
        account_id,
        log: 1,
        epoch,
        size: epoch,
        root: SHA256,
        checkpoint: epoch === 1 ? "kept" : null,
      })),
    ),
    lifecycles: each((account_id) => [
      { account_id, records_from: 2, record_sequence: 0, through_sequence: 0, days: 90 },
    ]),
    holds: each((account_id) => [
      {
        account_id,
        id: "hold_1",
        from_sequence: 2,
        actor_id: "user_1",
        owner: "account",
        placed_by: 5,
      },
    ]),
    erasures: each((account_id) => [
      {
        account_id,
        id: "era_1",
        selector: '{"actor_id":"user_1"}',
        parts: 1,
        actor: "{}",
        up_to_sequence: 4,
        status: "pending",
        due_at: LONG_AGO,
        begins_at: LONG_AGO,
        created_at: "2020-02-01T00:00:00.000000Z",
      },
    ]),
    ...auditSeeds(accounts),
    ...requestSeeds(accounts),
    ...headLogSeeds(accounts.length),
    ...outboxSeeds(accounts, "verification.completed"),
  };
};
