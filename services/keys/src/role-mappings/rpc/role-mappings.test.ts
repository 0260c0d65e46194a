// Guarantees: a role mapping is given to a group or a subject of a provider that the operator's file has for
// the account, at most 200 times, whatever comes at once; it is recorded without whom it names, and one that
// is deleted gives nothing. With a real PostgreSQL.

import { MAX_ROLE_MAPPINGS, newId, systemClock } from "@annals/contract";
import type { Database, Pool } from "@annals/postgres";
import { Holder } from "@annals/proto/admission";
import {
  CreateRoleMappingRequestSchema,
  DeleteRoleMappingRequestSchema,
  ListRoleMappingsRequestSchema,
} from "@annals/proto/keys";
import { ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockAccount } from "../../store/lock-account.ts";
import { migratedDatabase, storeKey } from "../../testing/database.ts";
import { identitiesOf, OKTA } from "../../testing/people.ts";
import { waitsFor } from "../../testing/waits.ts";
import { createRoleMapping } from "./create-role-mapping.ts";
import { deleteRoleMapping } from "./delete-role-mapping.ts";
import { listRoleMappings } from "./list-role-mappings.ts";

let owner: TestDatabase;
let service: Pool;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
});

const PERSON = { keyId: "usr_1", holder: Holder.PERSON };
const BY_PERSON = { values: { get: () => PERSON } } as unknown as HandlerContext;

const clock = systemClock();
const IDENTITIES = identitiesOf(OKTA, {
  name: "tenant",
  issuer: "https://tenant.example",
  accounts: ["acct_tenant"],
});

type Given = MessageInitShape<typeof CreateRoleMappingRequestSchema>;

const add = async (given: Given, context = BY_PERSON) =>
  createRoleMapping({ clock, database: service, identities: IDENTITIES, random: randomBytes })(
    create(CreateRoleMappingRequestSchema, given),
    context,
  );

const remove = (accountId: string, id: string) =>
  deleteRoleMapping({ clock, database: service })(
    create(DeleteRoleMappingRequestSchema, { accountId, id }),
    BY_PERSON,
  );

const list = (accountId: string, limit = 100, after = "") =>
  listRoleMappings({ database: service })(
    create(ListRoleMappingsRequestSchema, { accountId, limit, after }),
    { ...BY_PERSON, signal: new AbortController().signal },
  );

const entriesOf = async (accountId: string) =>
  (
    await owner.query<{ event: string }>(
      "SELECT event FROM keys.audit_outbox WHERE account_id = $1 ORDER BY number",
      [accountId],
    )
  ).map(({ event }) => event);

const VIEWER = { provider: "okta", group: "readers", role: "viewer" };

test("is listed newest first in pages, and gone when it was deleted", async () => {
  const { accountId } = await storeKey(service);
  const { roleMapping: first } = await add({ accountId, ...VIEWER });
  const subject = { provider: "okta", subject: "00u1", role: "none" };
  const { roleMapping: second } = await add({ accountId, ...subject });
  expect(first).toMatchObject({ id: expect.stringMatching(/^rmap_/), ...VIEWER, subject: "" });
  const page = await list(accountId, 1);
  expect(page.roleMappings).toEqual([
    expect.objectContaining({ id: second?.id, ...subject, group: "" }),
  ]);
  const last = await list(accountId, 1, page.next);
  expect([last.roleMappings?.[0]?.id, last.next]).toEqual([first?.id, ""]);
  await remove(accountId, first?.id ?? "");
  expect((await list(accountId)).roleMappings?.map(({ id }) => id)).toEqual([second?.id]);
});

test("is recorded with who did it, and never with the group or the subject", async () => {
  const { accountId } = await storeKey(service);
  const { roleMapping } = await add({ accountId, ...VIEWER, group: "private-group" });
  await add({ accountId, provider: "okta", subject: "private-subject", role: "manager" });
  await remove(accountId, roleMapping?.id ?? "");
  const entries = await entriesOf(accountId);
  const shared = { actor: { type: "person", id: "usr_1" } };
  expect(entries.map((event) => JSON.parse(event))).toMatchObject([
    {
      ...shared,
      action: "annals.role_mapping.created",
      target: { type: "role_mapping", id: roleMapping?.id },
      metadata: { provider: "okta", role: "viewer", group_sha256: expect.any(String) },
    },
    { ...shared, metadata: { role: "manager", subject_sha256: expect.any(String) } },
    { ...shared, action: "annals.role_mapping.deleted" },
  ]);
  expect(entries.join()).not.toContain("private");
});

describe("is refused", () => {
  test.each<[string, Given, string]>([
    ["of no provider", { ...VIEWER, provider: "" }, "provider"],
    ["of one that is not in the file", { ...VIEWER, provider: "entra" }, "provider"],
    ["of one for other accounts", { ...VIEWER, provider: "tenant" }, "provider"],
    ["for nobody", { ...VIEWER, group: "" }, ""],
    ["for a group and a subject", { ...VIEWER, subject: "00u1" }, ""],
    ["for a group of 256 characters", { ...VIEWER, group: "g".repeat(256) }, "group"],
    ["for a group with a zero byte", { ...VIEWER, group: "a\u0000" }, "group"],
    ["with a role that there is not", { ...VIEWER, role: "operator" }, "role"],
  ])("%s", async (_, given, field) => {
    const { accountId } = await storeKey(service);
    const fault = expect.objectContaining({ field });
    await expect(add({ ...given, accountId })).rejects.toMatchObject({
      kind: "invalid",
      faults: [fault],
    });
    expect((await list(accountId)).roleMappings).toEqual([]);
  });

  test("as manager of the system account, by the database, too", async () => {
    const manager = { accountId: "acct_system", ...VIEWER, role: "manager" };
    await expect(add(manager)).rejects.toMatchObject({ faults: [{ field: "role" }] });
    const insert = owner.query(
      `INSERT INTO keys.role_mappings (account_id, id, provider, group_name, role, created_at)
       VALUES ('acct_system', 'rmap_1', 'okta', 'g', 'manager', 't')`,
    );
    await expect(insert).rejects.toMatchObject({ constraint: "role_mappings_system_reads" });
  });

  test.each(["rmap_none", "", newId("rmap"), "key_1"])("to be deleted as %j", async (id) => {
    const { accountId } = await storeKey(service);
    await expect(remove(accountId, id)).rejects.toMatchObject({
      kind: id === "" ? "invalid" : "not_found",
    });
  });

  test("to be deleted by another account", async () => {
    const [{ accountId }, other] = [await storeKey(service), await storeKey(service)];
    const { roleMapping } = await add({ accountId, ...VIEWER });
    const removed = remove(other.accountId, roleMapping?.id ?? "");
    await expect(removed).rejects.toMatchObject({ kind: "not_found" });
  });

  test("beyond 200 in an account, however many are asked for at once", async () => {
    const { accountId } = await storeKey(service);
    await owner.query(
      `INSERT INTO keys.role_mappings (account_id, id, provider, group_name, role, created_at)
       SELECT $1, 'rmap_' || n, 'okta', 'g', 'viewer', 't' FROM generate_series(1, $2) AS n`,
      [accountId, MAX_ROLE_MAPPINGS - 2],
    );
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => add({ accountId, ...VIEWER })),
    );
    const added = outcomes.filter(({ status }) => status === "fulfilled");
    expect(added).toHaveLength(2);
    await expect(add({ accountId, ...VIEWER })).rejects.toMatchObject({
      kind: "plan_count_exceeded",
    });
  });
});

test.runIf(ON_ONE_SERVER)("one that is added waits for another one of its account", async () => {
  const { accountId } = await storeKey(service);
  const lock = (transaction: Database) => transaction.run(lockAccount, [accountId]);
  const around = { owner, database: service, lock };
  expect(await waitsFor(around, () => add({ accountId, ...VIEWER }))).toBe(true);
});
