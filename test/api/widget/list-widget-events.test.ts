// GET /v1/widget/events lists what the token may see, as GET /v1/events does, and no parameter widens it: not
// a filter, not a cursor (docs/open-details.md). What its parts hide stays hidden, and each event still
// verifies.

import { newClient, ownerOf } from "@annals/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { newToken, recomputed } from "./widget-client.ts";

const stack = inject("stack");
const { client, keyId } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
const PATH = "/v1/widget/events";
const EVENTS = 120;
const COMBINATIONS = 200;

interface Filter {
  readonly action?: string;
  readonly actor_id?: string;
  readonly actor_type?: string;
  readonly target_id?: string;
  readonly target_type?: string;
  readonly occurred_from?: string;
  readonly occurred_to?: string;
  readonly after_sequence?: number;
  readonly before_sequence?: number;
}

interface Event {
  readonly id: string;
  readonly sequence_number: number;
  readonly action: string;
  readonly actor: { readonly id?: string; readonly type?: string };
  readonly target: { readonly id?: string; readonly type?: string };
  readonly occurred_at: string;
}

const ACTIONS = ["a", "a.b", "a.b.c", "ab", "b.c", "é.🦉"];
const IDS = ["u_1", "u_2", "u_3"];
const TYPES = ["user", "service"];
const time = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

/** Oldest first. */
let all: Event[];

beforeAll(async () => {
  const one = <T>(values: readonly T[], n: number) => values[n % (values.length + 1)];
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    action: ACTIONS[(n * 7) % ACTIONS.length],
    actor: JSON.parse(JSON.stringify({ id: one(IDS, n), type: one(TYPES, n * 5), meta: { n } })),
    target: JSON.parse(JSON.stringify({ id: one(IDS, n * 3), type: one(TYPES, n) })),
    metadata: { n },
    occurred_at: time((n * 37) % EVENTS),
  }));
  const stored = await client.post("/v1/events/batch", { events });
  expect(stored.status).toBe(201);
  all = stored.body.data;
});
afterAll(() => owner.close());

/** What the documents say of a filter, and nothing that the service does. */
function matches(event: Event, filter: Filter): boolean {
  const { action } = filter;
  const isAction =
    action === undefined ||
    (action.endsWith("*") ? event.action.startsWith(action.slice(0, -1)) : event.action === action);
  const equal = (wanted: string | undefined, value: string | undefined) =>
    wanted === undefined || wanted === value;
  const occurred = Date.parse(event.occurred_at);
  return (
    isAction &&
    equal(filter.actor_id, event.actor.id) &&
    equal(filter.actor_type, event.actor.type) &&
    equal(filter.target_id, event.target.id) &&
    equal(filter.target_type, event.target.type) &&
    occurred >= Date.parse(filter.occurred_from ?? time(-1)) &&
    occurred < Date.parse(filter.occurred_to ?? time(EVENTS)) &&
    event.sequence_number > (filter.after_sequence ?? 0) &&
    event.sequence_number < (filter.before_sequence ?? EVENTS + 1)
  );
}

/** Each member in a third of them, so that a combination often leaves something. */
const some = <T>(values: readonly T[]) =>
  fc.option(fc.constantFrom(...values), { freq: 1, nil: undefined });
const sequence = some([0, 10, 30, 60, 90, 119, 120, 121, 500]);
const filters = fc
  .record({
    action: some([...ACTIONS, "a*", "a.*", "a.b*", "a.b.*", "*", "é*", "none", "n*"]),
    actor_id: some([...IDS, "none"]),
    actor_type: some([...TYPES, "none"]),
    target_id: some([...IDS, "none"]),
    target_type: some([...TYPES, "none"]),
    occurred_from: some([0, 20, 60, 110].map(time)),
    occurred_to: some([10, 60, 100, 121].map(time)),
    after_sequence: sequence,
    before_sequence: sequence,
  })
  .chain((filter) =>
    // One to three members of it.
    fc
      .shuffledSubarray(Object.keys(filter), { minLength: 0, maxLength: 3 })
      .map((names) =>
        Object.fromEntries(
          Object.entries(filter).filter(
            ([name, value]) => names.includes(name) && value !== undefined,
          ),
        ),
      ),
  );

const pathOf = (query: object) =>
  `?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")}`;

test(`no query widens the filter of a token, in ${COMBINATIONS} combinations of both`, async () => {
  const order = fc.constantFrom(undefined, "asc" as const, "desc" as const);
  const limit = fc.constantFrom(1, 2, 7, 50, 100);
  const include = fc.constantFrom(undefined, "proof" as const);
  let shown = 0;
  const combination = fc.asyncProperty(
    filters,
    filters,
    fc.record({ order, limit, include }),
    fc.boolean(),
    async (filter, query, { limit: size, ...rest }, isElsewhere) => {
      const { widget } = await newToken(client, { filter });
      const given = JSON.parse(JSON.stringify({ ...query, ...rest }));
      const inOrder = rest.order === "asc" ? all : all.toReversed();
      let expected = inOrder.filter((one) => matches(one, filter) && matches(one, query));
      const page: { limit: number; cursor?: string } = { limit: size };
      // A cursor of the same list by the API key begins outside of what the token may see.
      if (isElsewhere) {
        const { body } = await client.get(`/v1/events${pathOf({ ...given, limit: 1 })}`);
        if (body.next_cursor !== null) {
          const [{ sequence_number: from }] = body.data;
          const isBehind = ({ sequence_number: at }: Event) =>
            rest.order === "asc" ? at > from : at < from;
          expected = expected.filter(isBehind);
          page.cursor = body.next_cursor;
        }
      }
      const seen: Event[] = [];
      for (let left = EVENTS; left > 0; left -= size) {
        const { status, body, text } = await widget.get(PATH + pathOf({ ...given, ...page }));
        expect(status, text).toBe(200);
        expect(body.data.length).toBeLessThanOrEqual(size);
        for (const [at, event] of body.data.entries()) recomputed(event, body.proofs[at]);
        seen.push(...body.data);
        if (!body.has_more) break;
        // Many pages of one event say no more than a few.
        if (seen.length >= 3 * size) break;
        page.cursor = body.next_cursor;
      }
      const whole = seen.length >= 3 * size ? seen.length : expected.length;
      expect(seen.map(({ id }) => id)).toEqual(expected.slice(0, whole).map(({ id }) => id));
      shown += seen.length;
    },
  );
  await fc.assert(combination, { numRuns: COMBINATIONS });
  // It was not 200 times nothing.
  expect(shown).toBeGreaterThan(COMBINATIONS);
});

describe("200", () => {
  test("the same as GET /v1/events with proofs, where the token shows everything", async () => {
    const parts = ["actor.meta", "target.meta", "context", "diff", "metadata"];
    const { widget } = await newToken(client, { parts });
    const own = await client.get("/v1/events?include=proof&limit=100");
    expect((await widget.get(`${PATH}?limit=100`)).body).toEqual(own.body);
  });

  test("hidden parts are absent from each event and from its salts, and each event verifies", async () => {
    const { widget } = await newToken(client, { parts: ["metadata"] });
    const { body } = await widget.get(`${PATH}?limit=100`);
    expect(body.data).toHaveLength(100);
    for (const [at, event] of body.data.entries()) {
      expect(event.actor).not.toHaveProperty("meta");
      expect(event).not.toHaveProperty("context");
      expect(event).not.toHaveProperty("diff");
      // Every actor has a meta, no target has one.
      expect(recomputed(event, body.proofs[at])).toEqual(["metadata", "target"]);
    }
  });

  test("its own window of 120 a minute, and nothing of another account", async () => {
    const other = await newClient(stack);
    const { widget } = await newToken(other.client);
    const { status, body, headers } = await widget.get(PATH);
    expect(status).toBe(200);
    expect(body).toEqual({ data: [], proofs: [], has_more: false, next_cursor: null });
    expect(headers).toMatchObject({ "x-ratelimit-limit": "120", "x-ratelimit-remaining": "119" });
  });
});

describe("401", () => {
  test("a token that has expired, to the second", async () => {
    const { id, widget } = await newToken(client, { expires_in: 60 });
    const pass = (seconds: number) =>
      owner.query(
        `UPDATE keys.widget_tokens SET expires_at = to_char(expires_at::timestamptz AT TIME ZONE 'UTC'
           - make_interval(secs => $2), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') WHERE id = $1`,
        [id, seconds],
      );
    await pass(50);
    expect((await widget.get(PATH)).status).toBe(200);
    await pass(10);
    const refused = await widget.get(PATH);
    expectRefused(refused, "authentication_error", { message: /it has expired/ });
    expect(refused.headers["x-ratelimit-limit"]).toBe("120");
  });

  test("a token whose API key was revoked", async () => {
    const made = await client.post("/v1/api-keys", { name: "minter", scopes: ["events:read"] });
    const { widget } = await newToken(client.as(made.body.data.key));
    expect((await widget.get(PATH)).status).toBe(200);
    await client.delete(`/v1/api-keys/${made.body.data.id}`);
    expectRefused(await widget.get(PATH), "authentication_error");
  });

  test("an API key on every widget route, however its path is written", async () => {
    for (const path of [
      PATH,
      `${PATH}/${all[0]?.id}`,
      "/v1/widget/filters",
      "/v1/%77idget/events",
      "/v1/widget/none",
    ])
      expectRefused(await client.get(path), "authentication_error");
    expect(keyId).toMatch(/^key_/);
  });

  test("a widget token on any other route", async () => {
    const { id, widget } = await newToken(client);
    for (const path of [
      "/v1/events",
      `/v1/events/${all[0]?.id}`,
      "/v1/verify",
      "/v1/widget-tokens",
      "/v1/none",
    ])
      expectRefused(await widget.get(path), "authentication_error");
    expectRefused(await widget.post("/v1/widget-tokens", {}), "authentication_error");
    expectRefused(await widget.post("/v1/events", { action: "a" }), "authentication_error");
    expectRefused(await widget.delete(`/v1/widget-tokens/${id}`), "authentication_error");
  });

  test("neither counts against the other's window", async () => {
    const { widget } = await newToken(client);
    expectRefused(await widget.get("/v1/events"), "authentication_error");
    expect((await widget.get(PATH)).headers["x-ratelimit-remaining"]).toBe("119");
  });
});

test("404: a path below /v1/widget that is not there", async () => {
  const { widget } = await newToken(client);
  expectRefused(await widget.get("/v1/widget/none"), "not_found");
});

describe("422", () => {
  test.each([
    ["limit=101", "limit"],
    ["order=up", "order"],
    ["cursor=x", "cursor"],
    ["filter=a", "filter"],
    ["parts=diff", "parts"],
    ["occurred_from=2026", "occurred_from"],
  ])("%s", async (query, field) => {
    const { widget } = await newToken(client);
    expectRefused(await widget.get(`${PATH}?${query}`), "validation_error", { field });
  });

  test("a cursor of a list with other filters", async () => {
    const { widget } = await newToken(client);
    const { body } = await widget.get(`${PATH}?limit=1`);
    const answer = await widget.get(`${PATH}?action=a&cursor=${body.next_cursor}`);
    expectRefused(answer, "validation_error", { field: "cursor" });
  });
});

describe("web pages of other origins", () => {
  const ORIGIN = "https://app.example.com";
  const EXPOSED = "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id";
  const from = (origin: string) => ({ headers: { origin } });
  const token = () => newToken(client, { origins: ["https://b.example", ORIGIN] });

  test("an origin of the token may read successes and errors", async () => {
    const { widget } = await token();
    const answers = [
      await widget.get(PATH, from(ORIGIN)),
      await widget.get(`${PATH}?limit=0`, from(ORIGIN)),
      await widget.get(`${PATH}/none`, from(ORIGIN)),
      await widget.get("/v1/widget/none", from(ORIGIN)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 404, 404]);
    for (const { headers } of answers) {
      expect(headers["access-control-allow-origin"]).toBe(ORIGIN);
      expect(headers["access-control-expose-headers"]).toBe(EXPOSED);
      expect(headers["vary"]).toBe("origin");
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
    }
  });

  test.each([
    "https://other.example",
    "http://app.example.com",
    "https://app.example.com:8443",
    "https://app.example.com.evil.example",
    "https://APP.example.com",
    "null",
    `${ORIGIN}, https://b.example`,
    "",
  ])("403, unreadable for the origin %j", async (origin) => {
    const { widget } = await token();
    const answer = await widget.get(PATH, from(origin));
    expectRefused(answer, "scope_error", { message: /Name it in `origins`/ });
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
    expect(answer.headers["vary"]).toBe("origin");
  });

  test("a token without origins is for pages of the service alone, which send none", async () => {
    const { widget } = await newToken(client);
    expectRefused(await widget.get(PATH, from(ORIGIN)), "scope_error");
    const { status, headers } = await widget.get(PATH);
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("every page may read that its token is not valid: that answer says nothing of anybody", async () => {
    const { id, widget } = await token();
    await client.delete(`/v1/widget-tokens/${id}`);
    for (const by of [widget, client, client.as(undefined)]) {
      const answer = await by.get(PATH, from("https://other.example"));
      expectRefused(answer, "authentication_error");
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    }
  });

  test("a preflight is answered without a token and is not counted; on other routes it is not allowed", async () => {
    const { widget } = await token();
    const preflight = (path: string) =>
      fetch(stack.baseUrl + path, {
        method: "OPTIONS",
        headers: {
          origin: ORIGIN,
          "access-control-request-method": "GET",
          "access-control-request-headers": "authorization",
        },
      });
    const answer = await preflight(PATH);
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET",
      "access-control-allow-headers": "Authorization",
      "x-ratelimit-limit": "120",
      "x-ratelimit-remaining": "120",
    });
    expect((await widget.get(PATH)).headers["x-ratelimit-remaining"]).toBe("119");
    const other = await preflight("/v1/events");
    expect(other.status).toBe(401);
    expect(other.headers.has("access-control-allow-origin")).toBe(false);
  });
});
