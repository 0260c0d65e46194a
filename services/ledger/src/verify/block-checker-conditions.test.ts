// Guarantee: each condition by which PostgreSQL finds a block valid finds something that no other does,
// and what a forger with true hashes makes is judged as the verifier judges it.

import { beforeAll, describe, expect, test } from "vitest";
import {
  type BlockFixtures,
  EVENTS,
  forge,
  NEVER,
  openBlockFixtures,
} from "../testing/block-fixtures.ts";
import type { Database } from "@annals/postgres";
import { checkBlock } from "./store/check-block.ts";
import { BlockChecker } from "./block-checker.ts";

const AT = 3;
const NO_SALT = "decode(repeat('00', 16), 'hex')";

let fixtures: BlockFixtures;

beforeAll(async () => {
  fixtures = await openBlockFixtures();
});

/** An event of a true hash, which the one before is linked to and the one after is not. */
async function replace(accountId: string): Promise<void> {
  const previousHash = (await fixtures.check(accountId, AT - 1, AT - 1))?.hash ?? "";
  await forge(fixtures.owner, accountId, { at: AT, previousHash });
}

describe("each condition of the statement is needed", () => {
  const set = (change: string) => async (accountId: string) => {
    const text = `UPDATE ledger.events SET ${change} WHERE account_id = $1 AND sequence_number = $2`;
    await fixtures.owner.query(text, [accountId, AT]);
  };

  test.each([
    ["the link", /AND previous_hash = hash_before/, replace],
    [
      "the size of the salts",
      /AND octet_length\(salts\) = 80/,
      async (accountId: string) => {
        await fixtures.owner.query("ALTER TABLE ledger.events DROP CONSTRAINT events_salts_check");
        await set("salts = salts || 'x'")(accountId);
      },
    ],
    [
      "the digests",
      /AND CASE WHEN erased = 0[\s\S]*? END(?=\s+AND jsonb_typeof)/,
      set("context = '[]'"),
    ],
    [
      "the value of an erased part",
      / context = '\{\}' AND/,
      set(`erased = 2, context = '[]', salts = overlay(salts PLACING ${NO_SALT} FROM 17)`),
    ],
    [
      "the salt of an erased part",
      / AND substring\(salts, 17, 16\) = decode\(repeat\('00', 16\), 'hex'\)/,
      set("erased = 2, context = '{}'"),
    ],
    ["the copies", /AND \(actor_value[^)]*\)\s*IS NOT DISTINCT FROM .*/, set("actor_id = 'v'")],
    ["the hash", /AND sha256\('\\x00'[\s\S]*= hash(?= AS is_valid)/, set("action = 'b'")],
  ])("%s: without it a change is not found", async (_, condition, change) => {
    const blind: Database = {
      run: (statement, params) => {
        const text = statement.text.replace(condition, "");
        expect(text !== statement.text).toBe(statement.name === checkBlock.name);
        return fixtures.database.run({ ...statement, text }, params);
      },
    };
    const accountId = await fixtures.newChain();
    await change(accountId);
    expect(await fixtures.check(accountId)).toBeUndefined();
    const whole = await new BlockChecker(2).check(blind, {
      accountId,
      from: 1,
      to: EVENTS,
      signal: NEVER,
    });
    expect(whole).toBeDefined();
  });
});

describe("a forged actor with valid hashes is judged as by the verifier, or not valid", () => {
  test.each([
    ['{"id":"u"}', "u", true],
    ['{"id":"u"}', "v", false],
    ['{"id":"u"}', null, false],
    ["{}", "u", false],
    ['{"id":"u","id":"v"}', "v", true],
    ['{"id":"u","id":"v"}', "u", false],
    ['{"id":"\\u0075"}', "u", true],
    ['{"id":5}', "5", false],
    ['{"id":null}', null, false],
    ['{"meta":{"id":"u"}}', "u", false],
    ["null", null, false],
    ["[]", null, false],
    ['"u"', null, false],
  ])("%s with actor_id %s", async (actor, actorId, isWhole) => {
    const accountId = fixtures.newAccountId();
    await forge(fixtures.owner, accountId, { actor, actorId });
    expect((await fixtures.check(accountId, 1, 1)) !== undefined).toBe(isWhole);
    if (isWhole) expect(await fixtures.isValid(accountId, 1)).toBe(true);
  });
});
