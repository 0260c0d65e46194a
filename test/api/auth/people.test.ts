// Guarantees: each role may use exactly the routes that its scopes allow, and a refusal names scope and role.
// A request that has only a cookie is not authenticated, on no route. What ends a session, a role or a person
// ends the next request, of widget tokens too.

import { ROLES, SCOPES_OF_ROLE, WIDGET, isPermitted } from "@annals/contract";
import { V1 } from "@annals/gateway/src/v1.ts";
import { HttpClient, newClient, ownerOf } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { logIn } from "../../system/logged-in.ts";
import { expectRefused, expectStatus, READS_STATUS } from "../refusal.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const MAPPINGS = "/v1/role-mappings";

/** An account whose groups of the names of the roles have these. */
async function newTeam() {
  const account = await newClient(stack);
  const ids = new Map<string, string>();
  for (const role of ROLES) {
    const { body } = await account.client.post(MAPPINGS, { provider: "okta", group: role, role });
    ids.set(role, body.data.id);
  }
  return { ...account, ids };
}

/** Asks for something that is not there, with a body that is not complete. */
async function send(
  client: HttpClient,
  [method, path]: (typeof V1)[number],
  headers: Readonly<Record<string, string>> = {},
) {
  const hasBody = ["POST", "PATCH", "PUT"].includes(String(method));
  const url = `/v1${path.replaceAll(/:\w+/g, "none")}`;
  return client.send(String(method), url, { headers, ...(hasBody && { body: {} }) });
}

const ROWS = V1.map((row) => ({ row, name: row[3], scope: row[2] }));

describe.each(ROLES)("%s", (role) => {
  let client: HttpClient;

  beforeAll(async () => {
    const { accountId } = await newTeam();
    client = await (await logIn(stack, [role])).client(accountId);
  });

  test.each(ROWS)("$name", async ({ name, row, scope }) => {
    const answer = await send(client, row);
    if (scope === WIDGET) {
      expectRefused(answer, "authentication_error");
    } else if (isPermitted(SCOPES_OF_ROLE[role], scope)) {
      expect([200, 201, 404, 422]).toContain(answer.status);
    } else {
      const message = `This operation needs the scope ${scope}. Your role is ${role}.`;
      if (READS_STATUS.includes(name)) expectStatus(answer, 403, message);
      else expectRefused(answer, "scope_error", { message });
    }
  });
});

describe("with a cookie and no key, there is no one", () => {
  let cookie: string;

  beforeAll(async () => {
    const { accountId } = await newTeam();
    const manager = await logIn(stack, ["manager"]);
    await manager.client(accountId);
    ({ cookie } = manager);
  });

  test.each(ROWS)("on $name", async ({ name, row }) => {
    const answer = await send(new HttpClient(stack.baseUrl), row, { cookie });
    if (READS_STATUS.includes(name)) expectStatus(answer, 401);
    else expectRefused(answer, "authentication_error");
  });
});

describe("the next request is refused, and so is one of a widget token", () => {
  const read = (client: HttpClient) => client.get("/v1/events?limit=1");
  const look = (client: HttpClient) => client.get("/v1/widget/events?limit=1");

  type Person = Awaited<ReturnType<typeof logIn>>;
  type Team = Awaited<ReturnType<typeof newTeam>>;

  test.each<[string, (person: Person, team: Team) => Promise<unknown>]>([
    ["after the logout", ({ post }) => post("/auth/logout")],
    [
      "without the mapping",
      (_, { client, ids }) => client.delete(`${MAPPINGS}/${ids.get("viewer")}`),
    ],
    [
      "with a mapping of none",
      ({ subject }, { client }) =>
        client.post(MAPPINGS, { provider: "okta", subject, role: "none" }),
    ],
    [
      "of a blocked person",
      ({ personId }) =>
        owner.query("UPDATE keys.people SET blocked_at = 'now' WHERE id = $1", [personId]),
    ],
  ])("%s", async (_, end) => {
    const team = await newTeam();
    const person = await logIn(stack, ["viewer"]);
    const client = await person.client(team.accountId);
    const { body } = await client.post("/v1/widget-tokens", {});
    const widget = client.as(body.data.token);
    for (const answer of [await read(client), await look(widget)]) expect(answer.status).toBe(200);
    await end(person, team);
    for (const answer of [await read(client), await look(widget)])
      expectRefused(answer, "authentication_error");
  });

  test("of a higher role, the scope, and nothing else", async () => {
    const team = await newTeam();
    const client = await (await logIn(stack, ["viewer", "manager"])).client(team.accountId);
    expect((await client.get(MAPPINGS)).status).toBe(200);
    await team.client.delete(`${MAPPINGS}/${team.ids.get("manager")}`);
    expectRefused(await client.get(MAPPINGS), "scope_error", {
      message: "This operation needs the scope keys:manage. Your role is viewer.",
    });
    expect((await read(client)).status).toBe(200);
  });
});

test("a person sees no other account, and the usage names the person and the role", async () => {
  const [team, other] = [await newTeam(), await newTeam()];
  const person = await logIn(stack, ["viewer"]);
  const client = await person.client(team.accountId);
  const { data } = (await client.get("/v1/usage")).body;
  expect(data).toMatchObject({
    account_id: team.accountId,
    key: { id: person.personId, role: "viewer", scopes: ["events:read"] },
  });
  await owner.query("DELETE FROM keys.role_mappings WHERE account_id = $1", [other.accountId]);
  const refused = await person.post("/auth/token", { account_id: other.accountId });
  expectRefused(refused, "scope_error", { message: "You have no role in this account." });
});

test("a manager is listed with the mapping, and what a person does is recorded with their id alone", async () => {
  const team = await newTeam();
  const person = await logIn(stack, ["manager"]);
  const client = await person.client(team.accountId);
  // Others of these tests are in the same group of the provider.
  const { data } = (await client.get("/v1/people?limit=100")).body;
  const { personId: id, subject } = person;
  const shown = { id, subject, email: "ada@example.com", role: "manager" };
  const role_mapping_id = team.ids.get("manager");
  expect(data).toContainEqual(expect.objectContaining({ ...shown, role_mapping_id }));
  await client.delete(`${MAPPINGS}/${team.ids.get("auditor")}`);
  const hold = await client.post("/v1/holds", { from_sequence: 1 });
  expect(hold.status).toBe(201);
  const [record] = (await client.get("/v1/events?action=annals.hold")).body.data;
  expect(record.actor).toMatchObject({ type: "person", id: person.personId });
  expect(JSON.stringify(record)).not.toMatch(/ada@example|"Ada"/);
});
