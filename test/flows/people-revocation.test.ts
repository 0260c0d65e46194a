// Guarantee: of any number of requests of a person at a time, none that begins after the response to what
// ends their role or session is answered with data: a mapping that is deleted, a logout, and a person who is
// blocked. The same holds for widget tokens of the session.

import { newClient, ownerOf, type HttpClient } from "@annals/testing";
import { afterAll, expect, inject, test } from "vitest";
import { logIn, type LoggedIn } from "../system/logged-in.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const MAPPINGS = "/v1/role-mappings";
const WORKERS = 16;
/** Requests of each worker before the end, and after it. */
const REQUESTS = 50;

/** Counts the answers of many at a time: by status, apart for those that began after the end. */
async function load(read: (worker: number) => Promise<number>, end: () => Promise<unknown>) {
  const before = new Map<number, number>();
  const after = new Map<number, number>();
  const counts = { before: 0, hasEnded: false };
  const enough = Promise.withResolvers<void>();
  const work = async (worker: number) => {
    for (let left = REQUESTS; left > 0;) {
      const { hasEnded } = counts;
      const status = await read(worker);
      const statuses = hasEnded ? after : before;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (hasEnded) left -= 1;
      else if ((counts.before += 1) === WORKERS * REQUESTS) enough.resolve();
    }
  };
  const working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  await enough.promise;
  await end();
  counts.hasEnded = true;
  await working;
  return { before, after: Object.fromEntries(after) };
}

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
  const { after, before } = await load(read, () => end({ person, client, mappingId }));
  expect(before.get(200)).toBeGreaterThan((WORKERS * REQUESTS) / 2);
  expect(after).toEqual({ 401: WORKERS * REQUESTS });
});
