// Guarantees: the list shows who has logged in and has a role in the account now, and of no other account; it
// reads a bounded number of people for a page, and misses none over its pages. With a real PostgreSQL.

import { formatMicros, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { ListPeopleRequestSchema } from "@annals/proto/keys";
import { explain, type TestDatabase } from "@annals/testing";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { migratedDatabase, storeKey } from "../../testing/database.ts";
import {
  IDENTITIES,
  identitiesOf,
  PROVIDER_PARAMS,
  storeMapping,
  storePerson,
} from "../../testing/people.ts";
import { listPeople as listPeopleStatement } from "../store/list-people.ts";
import { listPeople } from "./list-people.ts";

let owner: TestDatabase;
let service: Pool;

beforeEach(async () => {
  ({ owner, service } = await migratedDatabase());
});

const list = (accountId: string, { limit = 100, after = "", identities = IDENTITIES } = {}) =>
  listPeople({ database: service, identities })(
    create(ListPeopleRequestSchema, { accountId, limit, after }),
    { signal: new AbortController().signal } as HandlerContext,
  );

/** So many people who are in no group of an account, and first logged in in one second. */
const storeOthers = (count: number, createdAt: string) =>
  owner.query(
    `INSERT INTO keys.people (id, issuer, subject, provider, groups, created_at, last_login_at)
     SELECT 'usr_' || n, 'https://okta.example', 's' || n, 'okta', '{others}', $2, $2
     FROM generate_series(1, $1) AS n`,
    [count, createdAt],
  );

const START_MICROS = systemClock().nowMicros();
const at = (seconds: number) => formatMicros(START_MICROS + seconds * 1_000_000);

test("shows those who have a role, with the mapping that gives it", async () => {
  const { accountId } = await storeKey(service);
  const other = await storeKey(service);
  const reader = await storePerson(owner, { groups: ["readers"], createdAt: at(1) });
  const named = await storePerson(owner, { createdAt: at(2) });
  const refused = await storePerson(owner, { groups: ["readers"], createdAt: at(3) });
  const blocked = await storePerson(owner, { groups: ["readers"], createdAt: at(4) });
  await owner.query("UPDATE keys.people SET blocked_at = 'now' WHERE id = $1", [blocked.personId]);
  const group = await storeMapping(service, accountId, "viewer", { group: "readers" });
  const one = await storeMapping(service, accountId, "manager", { subject: named.subject });
  await storeMapping(service, accountId, "none", { subject: refused.subject });
  await storeMapping(service, other.accountId, "manager", { group: "readers" });
  const { next, people } = await list(accountId);
  expect([next, people]).toEqual([
    "",
    [
      {
        id: named.personId,
        provider: "okta",
        subject: named.subject,
        name: "Ada",
        email: "ada@example.com",
        role: "manager",
        mappingId: one,
        lastLoginAt: at(2),
      },
      expect.objectContaining({ id: reader.personId, role: "viewer", mappingId: group }),
    ],
  ]);
  expect((await list(accountId, { identities: identitiesOf() })).people).toEqual([]);
});

describe("pages", () => {
  test("have each once, though most people of the installation have no role", async () => {
    const { accountId } = await storeKey(service);
    await storeMapping(service, accountId, "viewer", { group: "readers" });
    const newest = await storePerson(owner, { groups: ["readers"], createdAt: at(9) });
    await storeOthers(2_500, at(5));
    const older = await storePerson(owner, { groups: ["readers"], createdAt: at(2) });
    const oldest = await storePerson(owner, { groups: ["readers"], createdAt: at(1) });
    const found: (string | undefined)[] = [];
    let [after, pages] = ["", 0];
    do {
      const { next = "", people = [] } = await list(accountId, { limit: 1, after });
      found.push(...people.map(({ id }) => id));
      [after, pages] = [next, pages + 1];
    } while (after !== "" && pages < 10);
    expect(found).toEqual([newest.personId, older.personId, oldest.personId]);
    expect(pages).toBeLessThanOrEqual(6);
  });

  test.each(["x", "MS5hLmI", "a".repeat(300)])("has no page %j", async (after) => {
    await expect(list("acct_1", { after })).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe.each(["generic", "custom"] as const)("with %s plans", (plans) => {
  test("a page costs the same of 2,000 people and of 8,000", async () => {
    const { accountId } = await storeKey(service);
    await storeMapping(service, accountId, "viewer", { group: "readers" });
    const params = [accountId, null, null, 1_000, 101, ...PROVIDER_PARAMS] as const;
    await storeOthers(2_000, at(5));
    const few = await explain(owner, listPeopleStatement, [...params], plans);
    await owner.query("DELETE FROM keys.people");
    await owner.query("VACUUM ANALYZE keys.people");
    await storeOthers(8_000, at(5));
    const many = await explain(owner, listPeopleStatement, [...params], plans);
    expect(many.blocks).toBeLessThan(1.5 * few.blocks + 100);
  });
});
