// A change of what is stored, with all the rights of the database's owner, is found:
// verification names the first event that is not what was appended and why. And what was not changed
// is never called changed (docs/hash-chain.md).
//
// Who can write the whole tail anew and the head with it leaves nothing to compare with; that takes
// a copy of a hash outside.

import { HttpClient, newAccount, ownerOf } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { COLUMNS, KINDS } from "./tampering-kinds.ts";
import { EVENTS } from "./tampering-sql.ts";

const { baseUrl, databaseUrl } = inject("stack");
const owner = ownerOf(databaseUrl);
const client = new HttpClient(baseUrl);
let neighbour: HttpClient;

afterAll(async () => {
  client.close();
  await owner.close();
});

/** An account with events that have a value in every column. */
async function newChain() {
  const { accountId, key } = await newAccount(databaseUrl);
  const own = client.as(key);
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    action: `a.${n}`,
    actor: { id: `u_${n}`, type: "user" },
    target: { id: `t_${n}`, type: "thing" },
    context: { n },
    diff: { after: { n: n * 10 + 1 } },
    metadata: { n },
  }));
  const { status } = await own.post("/v1/events/batch", { events });
  expect(status).toBe(201);
  return { accountId, own };
}

beforeAll(async () => {
  ({ own: neighbour } = await newChain());
});

const idAt = async (accountId: string, sequence: number): Promise<string | null> => {
  const [row] = await owner.query(
    "SELECT id FROM ledger.events WHERE account_id = $1 AND sequence_number = $2",
    [accountId, sequence],
  );
  return row?.["id"] ?? null;
};

describe("is found", () => {
  test.each(KINDS.map((kind) => [kind.name, kind] as const))(
    "%s",
    async (_, { tamper, first, reason }) => {
      const { accountId, own } = await newChain();
      expect((await own.get("/v1/verify")).body.data).toMatchObject({
        valid: true,
        checked: EVENTS,
      });
      await tamper(owner, accountId);
      const { status, body } = await own.get("/v1/verify");
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        valid: false,
        first_invalid: { sequence_number: first, event_id: await idAt(accountId, first), reason },
      });
      expect((await neighbour.get("/v1/verify")).body.data.valid).toBe(true);
    },
  );

  // The id of the API key is outside of the hash (docs/hash-chain.md).
  test("a change of any column: none was forgotten", async () => {
    const columns = await owner.query(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = 'ledger' AND table_name = 'events' AND column_name <> 'key_id'`,
    );
    const names = columns.map(({ name }) => String(name));
    expect(new Set(Object.keys(COLUMNS))).toEqual(new Set(names));
  });
});
