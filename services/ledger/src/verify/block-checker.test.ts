// Guarantee: PostgreSQL finds a block valid only where the verifier of this service finds every row of
// it valid, and it does so for whatever can be appended: the two define the hash in two languages and
// agree. What it cannot read is not valid, and no failure. A few blocks at most are checked at one time.

import { ON_ONE_SERVER } from "@annals/testing";
import { GENESIS_HASH, PARTS } from "@annals/event";
import type { Database } from "@annals/postgres";
import { beforeAll, describe, expect, test } from "vitest";
import { eventOf } from "../testing/append-fixtures.ts";
import { type BlockFixtures, EVENTS, NEVER, openBlockFixtures } from "../testing/block-fixtures.ts";
import { readRange } from "../store/read-range.ts";
import { BlockChecker } from "./block-checker.ts";

const AT = 3;

let fixtures: BlockFixtures;

beforeAll(async () => {
  fixtures = await openBlockFixtures();
});

const LAST_CODE_POINT = 0x10_ff_ff;
const CHARACTERS = 500;

/** Texts that together hold every character that can be stored, above the first plane some of them. */
function allTexts(): string[] {
  const characters: string[] = [];
  for (let point = 1; point <= LAST_CODE_POINT; point += point < 0x1_00_00 ? 1 : 977) {
    const character = String.fromCodePoint(point);
    if (character.isWellFormed()) characters.push(character);
  }
  return Array.from({ length: Math.ceil(characters.length / CHARACTERS) }, (_, n) =>
    characters.slice(n * CHARACTERS, (n + 1) * CHARACTERS).join(""),
  );
}

describe("valid", () => {
  test("a block, a piece of one, a single event", async () => {
    const accountId = await fixtures.newChain();
    const rows = await fixtures.database.run(readRange, [accountId, "1", String(EVENTS), EVENTS]);
    const hashes = [GENESIS_HASH, ...rows.map((row) => row.hash.toString("hex"))];
    for (const [from, to] of [
      [1, EVENTS],
      [2, 4],
      [EVENTS, EVENTS],
    ] as const) {
      const links = { previousHash: hashes[from - 1], hash: hashes[to] };
      const block = { from, to, ...links, hasErased: false };
      expect(await fixtures.check(accountId, from, to)).toEqual(block);
    }
  });

  test("any character in the action, in ids and types, in the account's id", async () => {
    const texts = allTexts();
    const events = texts.map((text) => {
      const part = JSON.stringify({ id: text, type: text });
      const actor = { actor: part, actorId: text, actorType: text };
      return eventOf(text, { ...actor, target: part, targetId: text, targetType: text });
    });
    for (const accountId of ["acct_all", `acct_"\\\n\u001f\u007f\u2028é😀`]) {
      await fixtures.appendTo(accountId, events);
      expect(await fixtures.check(accountId, 1, texts.length)).toBeDefined();
      expect(await fixtures.isValid(accountId, texts.length)).toBe(true);
    }
  });

  test.each([
    ["an id without a type", { actor: '{"id":"u"}', actorId: "u" }],
    ["a type without an id", { target: '{"type":"t"}', targetType: "t" }],
    ["neither, with meta", { actor: '{"meta":{"id":"u","n":1e-7,"type":"x"}}' }],
    ["an empty id", { actor: '{"id":""}', actorId: "" }],
  ])("%s", async (_, parts) => {
    const accountId = fixtures.newAccountId();
    await fixtures.appendTo(accountId, [eventOf("a", parts)]);
    expect(await fixtures.check(accountId, 1, 1)).toBeDefined();
  });
});

describe("not valid", () => {
  test("a change of any column of any row, but for the API key's id, which is outside of the hash", async () => {
    const columns = await fixtures.owner.query(
      `SELECT column_name AS column, data_type AS type FROM information_schema.columns
       WHERE table_schema = 'ledger' AND table_name = 'events' AND column_name <> 'key_id'`,
    );
    expect(columns).toHaveLength(21);
    for (const { column, type } of columns) {
      // Citus allows no change of the column that decides the server.
      if (column === "account_id" && !ON_ONE_SERVER) continue;
      const changed = {
        text: `${column} || 'x'`,
        bytea: `set_byte(${column}, 3, get_byte(${column}, 3) # 1)`,
        bigint: `${column} + 100`,
        smallint: `${column} + 1`,
      }[String(type)];
      for (const sequence of [1, AT, EVENTS]) {
        const accountId = await fixtures.newChain();
        expect(await fixtures.check(accountId)).toBeDefined();
        await fixtures.owner.query(
          `UPDATE ledger.events SET ${column} = ${changed} WHERE account_id = $1 AND sequence_number = $2`,
          [accountId, sequence],
        );
        // What the first row links to is not of the block: the verifier compares it with the row before.
        const isOfBlock = column !== "previous_hash" || sequence > 1;
        const expected = `${column} of ${sequence} is not valid`;
        const found = (await fixtures.check(accountId)) && isOfBlock ? "valid" : expected;
        expect(found).toBe(expected);
      }
    }
  });

  test("a missing row", async () => {
    for (const sequence of [1, AT, EVENTS]) {
      const accountId = await fixtures.newChain();
      await fixtures.owner.query(
        "DELETE FROM ledger.events WHERE account_id = $1 AND sequence_number = $2",
        [accountId, sequence],
      );
      expect(await fixtures.check(accountId)).toBeUndefined();
    }
  });

  test("a part, or the salts, that are null because the owner has allowed it", async () => {
    for (const column of [...PARTS, "salts"]) {
      const accountId = await fixtures.newChain();
      await fixtures.owner.query(`ALTER TABLE ledger.events ALTER COLUMN ${column} DROP NOT NULL`);
      await fixtures.owner.query(
        `UPDATE ledger.events SET ${column} = NULL WHERE account_id = $1 AND sequence_number = ${AT}`,
        [accountId],
      );
      expect(await fixtures.check(accountId)).toBeUndefined();
      expect(await fixtures.isValid(accountId)).toBe(false);
    }
  });

  test("more rows than there are, or none", async () => {
    expect(await fixtures.check(await fixtures.newChain(), 1, EVENTS + 1)).toBeUndefined();
    expect(await fixtures.check("acct_none")).toBeUndefined();
  });

  test.each([
    ["no JSON", "{"],
    ["no text", ""],
    ["nested beyond PostgreSQL's stack", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["an escape that PostgreSQL does not take", '{"id":"\\u0000"}'],
  ])("an actor that is %s is not a failure", async (_, text) => {
    const accountId = await fixtures.newChain();
    await fixtures.owner.query(
      "UPDATE ledger.events SET actor = $2 WHERE account_id = $1 AND sequence_number = 3",
      [accountId, text],
    );
    expect(await fixtures.check(accountId)).toBeUndefined();
  });
});

describe("concurrency", () => {
  test.each([1, 2, 3])(
    "of many checks %i at a time, and those that are cancelled are not begun",
    async (most) => {
      const begun: (() => void)[] = [];
      let mostAtOnce = 0;
      let underWay = 0;
      const slow: Database = {
        run: async () => {
          mostAtOnce = Math.max(mostAtOnce, (underWay += 1));
          await new Promise<void>((resolve) => begun.push(resolve));
          underWay -= 1;
          return [];
        },
      };
      const checker = new BlockChecker(most);
      const check = (signal: AbortSignal) =>
        checker.check(slow, { accountId: "a", from: 1, to: 1, signal });
      const given = new AbortController();
      const left = Array.from({ length: 5 }, () => check(NEVER));
      const gone = Array.from({ length: 3 }, () => check(given.signal));
      given.abort();
      const outcomes = Promise.allSettled([...left, ...gone]);
      const statements = left.length;
      for (let answered = 0; answered < statements; answered += 1) {
        await expect.poll(() => begun.length).toBeGreaterThan(answered);
        begun[answered]?.();
      }
      const statuses = (await outcomes).map(({ status }) => status);
      expect(statuses).toEqual([...left.map(() => "fulfilled"), ...gone.map(() => "rejected")]);
      expect(begun).toHaveLength(statements);
      expect(mostAtOnce).toBe(most);
    },
  );
});
