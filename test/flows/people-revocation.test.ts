// Guarantee: of any number of requests of a person at a time, none that begins after the response to what
// ends their role or session is answered with data: a mapping that is deleted, a logout, and a person who is
// blocked. The same holds for widget tokens of the session.

import { newClient, ownerOf, type HttpClient } from "@annals/testing";
import { afterAll, expect, inject, test } from "vitest";
import { loadUntilEnd } from "../system/load-until-end.ts";
import { logIn, type LoggedIn } from "../system/logged-in.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const MAPPINGS = "/v1/role-mappings";
type End = (of: { person: LoggedIn; client: HttpClient; mappingId: string }) => Promise<unknown>;

test.each<[string, End]>([
  ["a mapping is deleted", ({ client, mappingId }) => client.delete(`${MAPPINGS}/${mappingId}`)],
  ["the person logs out", ({ person }) => person.post("/auth/logout")],
  [
    "the person is blocked",
    ({ person }) =>
      owner.query("UPDATE keys.people SET blocked_at = 'now' WHERE id = $1", [person.personId]),
  ],
])("none begins with a role after %s", async (_, end) => {
  const { accountId, client } = await newClient(stack);
  const mapping = { provider: "okta", group: "readers", role: "viewer" };
  const mappingId = (await client.post(MAPPINGS, mapping)).body.data.id;
  const person = await logIn(stack, ["readers"]);
  const viewer = await person.client(accountId);
  const { body } = await viewer.post("/v1/widget-tokens", {});
  const widget = viewer.as(body.data.token);
  const read = async (worker: number) =>
    (worker % 4 === 0
      ? await widget.get("/v1/widget/events?limit=1")
      : await viewer.get("/v1/events?limit=1")
    ).status;
  const { each } = inject("form").peopleRevocation;
  const ended = () => end({ person, client, mappingId });
  const { after, before, requests } = await loadUntilEnd(each, read, ended);
  expect(before[200]).toBeGreaterThan(requests / 2);
  expect(after).toEqual({ 401: requests });
});
