// Guarantees: `holds place` makes a hold of the operator, recorded as the operator's, beside a running ledger
// that goes on appending; `holds release` ends any hold; `holds list` shows the active ones as the interface
// does.

import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "@annals/contract";
import type { TestDatabase } from "@annals/testing";
import { chainOf, newAccountId } from "../../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { commandsOn } from "../../testing/run-command.ts";
import { appendOf, openLedger, type TestLedger } from "../../testing/test-ledger.ts";

const OPERATOR = { actor: '{"type":"operator"}' };

let database: TestDatabase;
let client: TestLedger["client"];
let run: ReturnType<typeof commandsOn>["run"];
let json: ReturnType<typeof commandsOn>["json"];

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  ({ json, run } = commandsOn(database.url, "holds"));
  const clock = systemClock();
  ({ client } = openLedger(database, clock, undefined, false, undefined, undefined, afterAll));
});

const store = (accountId: string) => client.createEvents({ appends: [appendOf(accountId)] });

test("a hold of the operator is placed beside a running ledger, listed, and released by the operator", async () => {
  const accountId = newAccountId();
  const [account, range] = [
    ["--account", accountId],
    ["--from", "1", "--to", "9", "--actor", "u_\u001b"],
  ];
  // The ledger has the head in its cache, which the command's record moves.
  await store(accountId);
  const hold = await json("place", ...account, ...range);
  expect(hold).toMatchObject({ from_sequence: 1, to_sequence: 9, actor_id: "u_\u001b" });
  expect(hold).toMatchObject({ owner: "operator", placed_by: 2 });
  await store(accountId);
  await store(accountId);
  expect(await chainOf(database, accountId)).toHaveLength(4);
  expect(await json("list", ...account)).toEqual([hold]);
  const line = `${hold.id}\toperator\t2\t1-9\t"u_\\u001b"\n`;
  expect(await run("list", ...account)).toEqual({ status: 0, stdout: line, stderr: "" });
  const { holds } = await client.listHolds({ accountId, limit: 1 });
  expect(holds).toMatchObject([{ id: hold.id, isOfOperator: true }]);
  const refused = client.releaseHold({ accountId, id: hold.id });
  await expect(refused).rejects.toThrow("hold of the operator");

  const released = await run("release", ...account, "--hold", hold.id);
  expect(released).toMatchObject({ status: 0, stdout: `released ${hold.id}\n` });
  await store(accountId);
  expect(await chainOf(database, accountId)).toHaveLength(6);
  expect((await client.listHolds({ accountId, limit: 1 })).holds).toEqual([]);
  const actors = await database.query(
    "SELECT actor FROM ledger.events WHERE account_id = $1 AND action = 'annals.hold'",
    [accountId],
  );
  expect(actors).toEqual([OPERATOR, OPERATOR]);
  expect(await client.verifyChain({ accountId })).toMatchObject({ valid: true, checked: 6n });
});

test("the operator releases a hold of the account", async () => {
  const accountId = newAccountId();
  await store(accountId);
  const { hold } = await client.placeHold({ accountId, fromSequence: 1n });
  const account = ["--account", accountId];
  expect((await run("release", ...account, "--hold", hold?.id ?? "")).status).toBe(0);
  expect((await client.listHolds({ accountId, limit: 1 })).holds).toEqual([]);
});

test("a hold of an account without a chain is refused, and begins none", async () => {
  const accountId = newAccountId();
  const { status, stderr } = await run("place", "--account", accountId, "--from", "1");
  expect(status).toBe(2);
  expect(stderr).toContain(`${accountId} has no event`);
  const heads = "SELECT FROM ledger.heads WHERE account_id = $1";
  expect(await database.query(heads, [accountId])).toEqual([]);
});
