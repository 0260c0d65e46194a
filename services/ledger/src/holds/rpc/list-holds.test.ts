// Guarantee: pages of holds are of the account's active ones, newest first, each once.

import { beforeAll, expect, test, afterAll } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { openLedger, type TestLedger } from "../../testing/test-ledger.ts";

let client: TestLedger["client"];

beforeAll(async () => {
  const database = await newLedgerDatabase(afterAll);
  ({ client } = openLedger(database, undefined, undefined, false, undefined, undefined, afterAll));
});

async function place(accountId: string): Promise<string> {
  const { hold } = await client.placeHold({ accountId, fromSequence: 1n });
  return hold?.id ?? expect.fail("no hold");
}

test("pages are of active holds, newest first", async () => {
  const [accountId, other] = [newAccountId(), newAccountId()];
  await place(other);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.unshift(await place(accountId));
  const [released = ""] = ids.splice(1, 1);
  await client.releaseHold({ accountId, id: released });
  const found: string[][] = [];
  let after = "";
  do {
    const page = await client.listHolds({ accountId, limit: 2, after });
    found.push(page.holds.map(({ id }) => id));
    after = page.next;
  } while (after !== "");
  expect(found).toEqual([ids.slice(0, 2), ids.slice(2)]);
});

test.each([
  [{ limit: 0 }, "limit"],
  [{ limit: 101 }, "limit"],
  [{ limit: 1, after: "MS4w" }, "cursor"],
  [{ limit: 1, after: "MS4x!" }, "cursor"],
])("a page of %o is refused", async (request, field) => {
  const refused = client.listHolds({ accountId: newAccountId(), ...request });
  await expect(refused).rejects.toThrow(`${field}: must be`);
});

test("a limit of 100 is taken", async () => {
  const accountId = newAccountId();
  const id = await place(accountId);
  const { holds, next } = await client.listHolds({ accountId, limit: 100 });
  expect([holds.map((each) => each.id), next]).toEqual([[id], ""]);
});
