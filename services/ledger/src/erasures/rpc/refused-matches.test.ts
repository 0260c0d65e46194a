// Guarantee: a report of matches is refused, and nothing of it is recorded, unless it is of an erasure by
// actor or target that waits for the export service, of ascending numbers up to its end, and within its
// limit.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_EVENTS } from "../rules/erasure.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../../testing/lifecycle-fixtures.ts";
import {
  EVENTS,
  type MatchFixtures,
  openMatches,
  type Waiting,
} from "../../testing/match-fixtures.ts";

let world: LifecycleFixtures;
let matches: MatchFixtures;
beforeAll(async () => {
  world = await openLifecycleFixtures();
  matches = openMatches(world);
});

describe("refused, and nothing is recorded:", () => {
  let open: Waiting;
  beforeAll(async () => {
    open = await matches.waiting(afterAll);
  });

  test.for<[string, readonly number[], RegExp]>([
    ["a number behind the end of the erasure", [EVENTS + 2], /sequences: must not be above 613/],
    ["zero", [0], /sequences: must be ascending, and positive/],
    ["a negative number", [-1], /sequences: must be ascending/],
    ["a number twice", [2, 2], /sequences: must be ascending/],
    ["numbers in another order", [5, 2], /sequences: must be ascending/],
    ["a number beyond those of JavaScript", [Number.MAX_SAFE_INTEGER + 1], /must be ascending/],
    [
      "too many",
      Array.from({ length: 10_001 }, (_, at) => at + 1),
      /sequences: must not be more than 10000/,
    ],
  ])("%s", async ([, numbers, message]) => {
    await expect(matches.report(open, numbers, 9)).rejects.toThrow(message);
    expect(await matches.recorded(open)).toHaveLength(1);
  });

  test.for<[string, () => Waiting, RegExp]>([
    ["another account's", () => ({ ...open, accountId: "acct_other" }), /not_found/],
    ["an id that none has", () => ({ ...open, id: "era_0" }), /not_found/],
    ["text that is no id", () => ({ ...open, id: "exp_1" }), /not_found/],
    ["no account", () => ({ ...open, accountId: "" }), /account_id/],
    ["no erasure", () => ({ ...open, id: "" }), /erasure_id/],
  ])("%s", async ([, given, message]) => {
    await expect(matches.report(given(), [2], 9)).rejects.toThrow(message);
    expect(await matches.recorded(open)).toHaveLength(1);
  });

  test("more than an erasure may have", async () => {
    const { accountId } = open;
    const set = "UPDATE ledger.erasures SET erased = $2 WHERE account_id = $1";
    await world.owner.query(set, [accountId, MAX_EVENTS - 1]);
    await expect(matches.report(open, [2, 5])).rejects.toThrow(
      /sequences: are more than the 1000000/,
    );
    expect(await matches.recorded(open)).toHaveLength(1);
    await matches.report(open, [2]);
    expect(await matches.recorded(open)).toHaveLength(2);
  });

  test("an erasure that does not wait for the export service", async () => {
    const waiting = await matches.waiting();
    const { accountId, id } = waiting;
    const becomes = async (set: string) => {
      const text = `UPDATE ledger.erasures SET ${set} WHERE account_id = $1`;
      await world.owner.query(text, [accountId]);
      for (const through of [0, 2])
        await expect(matches.report(waiting, [2], through)).rejects.toThrow(
          /erasure_id: is \w+, and does/,
        );
      expect(await matches.recorded(waiting)).toHaveLength(1);
    };
    await becomes("status = 'pending'");
    await becomes("status = 'running', done_at = NULL");
    await becomes("done_at = now(), exports_cleared_at = now()");
    await becomes("status = 'completed', selector = NULL, selector_sha256 = ''");
    await becomes("status = 'cancelled'");
    expect(id).toBe(waiting.id);
  });

  test("other numbers for an erasure of one event, which ends without any", async () => {
    const accountId = await world.newChain();
    const [row] = await world.owner.query(
      "SELECT id FROM ledger.events WHERE account_id = $1 AND sequence_number = 3",
      [accountId],
    );
    const id = await matches.ask(accountId, { eventId: String(row?.["id"]) });
    await matches.erase();
    for (const numbers of [[2], [3, 4]])
      await expect(matches.report({ accountId, id }, numbers)).rejects.toThrow(
        /sequences: must be 3 alone/,
      );
    await matches.report({ accountId, id }, [3], 9);
    expect(await matches.recorded({ accountId, id })).toEqual([[3]]);
  });
});
