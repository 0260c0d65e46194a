// Guarantees: an operator gives a role at a provider of the identity file alone, takes it back, ends
// sessions, and keeps a person out: a blocked one has no session from then on. An operator sees the workloads
// of an account and ends the trust in one. Each of it is recorded.

import { createMigratedDatabase, type TestDatabase } from "@annals/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  MAPPING,
  PERSON,
  storeMapping,
  storePerson,
  storeSession,
  storeWorkload,
  WORKLOAD,
} from "./store-person.ts";
import { runAnnals } from "./type-line.ts";

const ACCOUNT = "acct_75gtznr6r1q5aecdantb9bkrxd";

let database: TestDatabase;
let settings: Readonly<Record<string, string>>;

beforeAll(async () => {
  database = await createMigratedDatabase(inject("stack").databaseUrl);
  afterAll(() => database.drop());
  const folder = await mkdtemp(join(tmpdir(), "annals-people-"));
  afterAll(() => rm(folder, { recursive: true }));
  await database.query("INSERT INTO keys.accounts VALUES ($1, 'Example', '2026-01-01')", [ACCOUNT]);
  await storePerson(database, folder);
  settings = {
    ANNALS_DATABASE_URL: database.url,
    ANNALS_IDENTITY_FILE: join(folder, "identity.json"),
  };
});

const json = (line: string) => run(`people ${line}`);
const run = async (line: string) => {
  const { status, stdout, stderr } = await runAnnals([...line.split(" "), "--json"], settings);
  return status === 0 ? JSON.parse(stdout) : stderr;
};
const actions = async () => {
  const rows = await database.query<{ event: string }>(
    "SELECT event FROM keys.audit_outbox ORDER BY number",
  );
  return rows.map(({ event }) => JSON.parse(event).action);
};

test("a role that an account gives is listed and taken back once, which is recorded", async () => {
  await storeMapping(database, ACCOUNT);
  expect(await json(`roles --account ${ACCOUNT}`)).toMatchObject([
    { id: MAPPING, provider: "okta", group: "readers", subject: null, role: "viewer" },
  ]);
  const line = `revoke --account ${ACCOUNT} --mapping ${MAPPING}`;
  expect(await json(line)).toEqual({ id: MAPPING, deleted: true });
  expect(await json(`roles --account ${ACCOUNT}`)).toEqual([]);
  expect(await json(line)).toContain(MAPPING);
  expect((await actions()).at(-1)).toBe("annals.role_mapping.deleted");
});

test("a workload that an account trusts is listed and deleted once, which is recorded", async () => {
  await storeWorkload(database, ACCOUNT);
  expect(await run(`workloads list --account ${ACCOUNT}`)).toMatchObject([
    { id: WORKLOAD, name: "collector", issuer: "cluster", allowed_ips: null },
  ]);
  const line = `workloads delete --account ${ACCOUNT} --workload ${WORKLOAD}`;
  expect(await run(line)).toEqual({ id: WORKLOAD, deleted: true });
  expect(await run(`workloads list --account ${ACCOUNT}`)).toEqual([]);
  expect(await run(line)).toContain(WORKLOAD);
  expect((await actions()).at(-1)).toBe("annals.workload.deleted");
});

test("a blocked person has no session, which is recorded, and may log in again when unblocked", async () => {
  const before = (await actions()).length;
  expect(await json(`block --person ${PERSON}`)).toMatchObject({ sessions_ended: 1 });
  expect(await database.query("SELECT FROM keys.sessions")).toEqual([]);
  expect(await json("list")).toMatchObject([{ id: PERSON, blocked_at: expect.any(String) }]);
  expect(await json(`block --person ${PERSON}`)).toContain("is blocked already");
  expect(await json(`unblock --person ${PERSON}`)).toEqual({ id: PERSON, blocked: false });
  expect(await json(`unblock --person ${PERSON}`)).toContain("is not blocked");
  expect(await json("block --person usr_none")).toContain('No person has the id "usr_none"');
  expect((await actions()).slice(before)).toEqual([
    "annals.session.ended",
    "annals.person.blocked",
    "annals.person.unblocked",
  ]);
});

test("sessions end without a block, which is recorded", async () => {
  await storeSession(database);
  const before = (await actions()).length;
  expect(await json(`end-sessions --person ${PERSON}`)).toEqual({ id: PERSON, sessions_ended: 1 });
  expect(await database.query("SELECT FROM keys.sessions")).toEqual([]);
  expect(await json("list")).toMatchObject([{ id: PERSON, blocked_at: null, live_sessions: 0 }]);
  expect((await actions()).slice(before)).toEqual(["annals.session.ended"]);
});

test("a role is given at a provider of the file alone, and recorded", async () => {
  const grant = `grant --account ${ACCOUNT} --role viewer`;
  expect(await json(`${grant} --provider okta --subject u-2`)).toMatchObject({
    account_id: ACCOUNT,
    provider: "okta",
    group: null,
    subject: "u-2",
    role: "viewer",
  });
  expect((await actions()).at(-1)).toBe("annals.role_mapping.created");
  expect(await json(`${grant} --provider other --group a`)).toContain(
    "must be an identity provider",
  );
  expect(await json(`${grant} --provider okta`)).toContain("either a group or a subject");
});
