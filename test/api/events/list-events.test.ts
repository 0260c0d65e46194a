// GET /v1/events returns exactly the events of the caller's account that the filters select, in the
// order asked for, and a page that cannot be right is refused rather than answered (interface 6,
// docs/interface.md).

import { newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { recomputedHash } from "../../system/proof.ts";

const stack = inject("stack");
const account = await newClient(stack);
const { client } = account;

/** Number 1 to 60: every value of every filter is on some events and not on others. */
const EVENTS = Array.from({ length: 60 }, (_, n) => ({
  action:
    ["user.login", "user.logout", "invoice.update", "user", "useradd", "", "ü.\u{10ffff}"][n % 7] ||
    "x*y",
  ...(n % 2 === 0 && { actor: { id: `u_${n % 4}`, ...(n % 3 === 0 && { type: "user" }) } }),
  ...(n % 5 !== 0 && { target: { type: n % 3 === 0 ? "invoice" : "order", id: `t_${n % 6}` } }),
  occurred_at: new Date(Date.UTC(2026, 0, 1 + ((n * 7) % 60))).toISOString(),
}));

type Sent = (typeof EVENTS)[number];

beforeAll(async () => {
  await client.post("/v1/events/batch", { events: EVENTS });
});

/** A parameter with several values is repeated. */
type Query = Readonly<Record<string, string | number | readonly string[]>>;

const list = (query: Query = {}, as = client) => {
  const texts = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, String(value)]),
  );
  return as.get(`/v1/events?${new URLSearchParams(texts).toString()}`);
};

const numbersOf = (body: { data: { sequence_number: number }[] }) =>
  body.data.map((event) => event.sequence_number);

/** The sequence numbers of the events that `matches` chooses, newest first. */
const chosen = (matches: (event: Sent, sequence: number) => boolean) =>
  EVENTS.flatMap((event, n) => (matches(event, n + 1) ? [n + 1] : [])).toReversed();

/** Microseconds are zeros in EVENTS, so that milliseconds compare. */
const at = (event: Sent) => Date.parse(event.occurred_at);

/** The most values that a filter may have. No event has the last ones. */
const TEN = ["t_3", "t_1", ...Array.from({ length: 8 }, (_, n) => `none_${n}`)];

const FILTERS: readonly [Query, (event: Sent, sequence: number) => boolean][] = [
  [{ action: "user.login" }, ({ action }) => action === "user.login"],
  [{ action: "user" }, ({ action }) => action === "user"],
  [{ action: "user.*" }, ({ action }) => action.startsWith("user.")],
  [{ action: "user*" }, ({ action }) => action.startsWith("user")],
  [{ action: "*" }, () => true],
  [{ action: "x*y" }, ({ action }) => action === "x*y"],
  [{ action: "x**" }, ({ action }) => action.startsWith("x*")],
  [{ action: "ü.\u{10ffff}*" }, ({ action }) => action.startsWith("ü")],
  [{ action: "USER.LOGIN" }, () => false],
  [{ action: "user._*" }, () => false],
  [{ action: "%" }, () => false],
  [{ actor_id: "u_0" }, ({ actor }) => actor?.id === "u_0"],
  [{ actor_type: "user" }, ({ actor }) => actor?.type === "user"],
  [{ target_id: "t_3" }, ({ target }) => target?.id === "t_3"],
  [{ target_type: "order" }, ({ target }) => target?.type === "order"],
  [{ actor_id: "u_*" }, () => false],
  [{ occurred_from: "2026-01-20T00:00:00Z" }, (event) => at(event) >= Date.UTC(2026, 0, 20)],
  [{ occurred_to: "2026-01-20T00:00:00Z" }, (event) => at(event) < Date.UTC(2026, 0, 20)],
  [
    { occurred_from: "2026-01-20T02:00:00+02:00", occurred_to: "2026-01-20T00:00:00.000001Z" },
    (event) => at(event) === Date.UTC(2026, 0, 20),
  ],
  [
    { action: ["user.login", "invoice.update"] },
    ({ action }) => action === "user.login" || action === "invoice.update",
  ],
  [
    { action: ["user.*", "x*y", "user.login", "x*y"] },
    ({ action }) => action.startsWith("user.") || action === "x*y",
  ],
  [{ action: ["none", "*"] }, () => true],
  [{ actor_id: ["u_2", "u_0"] }, ({ actor }) => actor !== undefined],
  [{ target_id: TEN }, ({ target }) => target?.id === "t_3" || target?.id === "t_1"],
  [
    { target_id: TEN, target_type: ["order", ...TEN.slice(1)] },
    ({ target }) => target?.type === "order" && (target.id === "t_3" || target.id === "t_1"),
  ],
  [
    { actor_id: ["u_0", "none"], action: ["user*", "ü*"] },
    ({ action, actor }) => actor?.id === "u_0" && /^[uü]/.test(action),
  ],
  [{ after_sequence: 40 }, (_, sequence) => sequence > 40],
  [{ before_sequence: 20 }, (_, sequence) => sequence < 20],
  [
    { after_sequence: 10, before_sequence: 13 },
    (_, sequence) => sequence === 11 || sequence === 12,
  ],
  [{ after_sequence: 60 }, () => false],
  [{ before_sequence: 0 }, () => false],
  [
    {
      action: "user*",
      actor_id: "u_0",
      target_type: "order",
      occurred_to: "2026-02-10T00:00:00Z",
      after_sequence: 3,
    },
    ({ action, actor, target, ...event }, sequence) =>
      action.startsWith("user") &&
      actor?.id === "u_0" &&
      target?.type === "order" &&
      Date.parse(event.occurred_at) < Date.UTC(2026, 1, 10) &&
      sequence > 3,
  ],
  [
    { actor_type: "user", target_id: "t_0" },
    ({ actor, target }) => actor?.type === "user" && target?.id === "t_0",
  ],
];

describe("200", () => {
  test("newest first, 50 by default, in the members that POST returned", async () => {
    const { status, headers, body } = await list();
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(Object.keys(body)).toEqual(["data", "has_more", "next_cursor"]);
    expect(numbersOf(body)).toEqual(Array.from({ length: 50 }, (_, n) => 60 - n));
    expect(body).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    expect(body.data[0]).toMatchObject({
      action: EVENTS.at(-1)?.action,
      context: {},
      metadata: {},
    });
  });

  test("an account without events, and never another account's", async () => {
    const other = (await newClient(stack)).client;
    expect((await list({}, other)).body).toEqual({ data: [], has_more: false, next_cursor: null });
    expect((await list({ actor_id: "u_0" }, other)).body.data).toEqual([]);
    await other.post("/v1/events", { action: "mine" });
    const { body } = await list({}, other);
    expect(body.data.map(({ action }: Sent) => action)).toEqual(["mine"]);
  });

  test.each(FILTERS)("%j", async (filter, matches) => {
    const expected = chosen(matches);
    const all = { ...filter, limit: 100 };
    const { status, body } = await list(all);
    expect(status).toBe(200);
    expect(numbersOf(body)).toEqual(expected);
    expect(body).toMatchObject({ has_more: false, next_cursor: null });
    expect(numbersOf((await list({ ...all, order: "asc" })).body)).toEqual(expected.toReversed());
  });

  test("the filters above are worth testing: most choose some and not all", () => {
    const sizes = FILTERS.map(([, matches]) => chosen(matches).length);
    expect(sizes.filter((size) => size > 0 && size < 60).length).toBeGreaterThan(16);
    expect(chosen(FILTERS.at(-2)?.[1] ?? (() => false)).length).toBeGreaterThan(0);
    expect(chosen(FILTERS.at(-1)?.[1] ?? (() => false)).length).toBeGreaterThan(0);
  });

  test.each([1, 7, 60, 100])("limit %d", async (limit) => {
    const { body } = await list({ limit });
    expect(body.data).toHaveLength(Math.min(limit, 60));
    expect(body.has_more).toBe(limit < 60);
  });

  test("a plus sign of an offset, which a query string reads as a space", async () => {
    const { status, body } = await client.get(
      "/v1/events?limit=100&occurred_from=2026-01-20T02:00:00+02:00",
    );
    expect(status).toBe(200);
    expect(numbersOf(body)).toEqual(chosen((event) => at(event) >= Date.UTC(2026, 0, 20)));
  });

  test("with proofs beside the events, from which the hashes can be made again", async () => {
    const { text, body } = await list({ include: "proof", limit: 100, order: "asc" });
    expect(Object.keys(body)).toEqual(["data", "proofs", "has_more", "next_cursor"]);
    expect(body.proofs).toHaveLength(60);
    for (const [index, event] of body.data.entries()) {
      const own = JSON.stringify(event);
      expect(text).toContain(own);
      expect(recomputedHash(own, body.proofs[index])).toBe(event.hash);
    }
  });

  test("a page of the largest events", async () => {
    const other = (await newClient(stack)).client;
    const events = Array.from({ length: 50 }, () => ({
      action: "a",
      metadata: { m: "é".repeat(32_700) },
    }));
    for (const _ of [1, 2])
      expect((await other.post("/v1/events/batch", { events })).status).toBe(201);
    const { status, body } = await list({ limit: 100, include: "proof" }, other);
    expect(status).toBe(200);
    // 1 MiB: the event that reaches it is the last one.
    expect(body.data).toHaveLength(17);
    expect(body.data[16].metadata).toEqual(events[0]?.metadata);
    const lengths: number[] = [];
    let { has_more: hasMore, next_cursor: cursor } = body;
    while (hasMore) {
      const { body: rest } = await list({ limit: 100, cursor }, other);
      lengths.push(rest.data.length);
      ({ has_more: hasMore, next_cursor: cursor } = rest);
    }
    expect(cursor).toBeNull();
    expect(lengths).toStrictEqual([17, 17, 17, 17, 15]);
  });
});

describe("422", () => {
  test.each([
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=0x10",
    "limit=1e1",
    "limit=ten",
    "limit=",
    "limit=1&limit=2",
    "limit=1e99",
    "order=up",
    "order=DESC",
    "order=",
    "include=all",
    "actor=u_1",
    "ACTION=a",
    "sort=id",
    "offset=1",
    "page=2",
    "action=",
    "actor_id=",
    "actor_id=a&actor_id=",
    "order=asc&order=asc",
    "include=proof&include=proof",
    "cursor=a&cursor=b",
    "occurred_from=2026-01-01T00:00:00Z&occurred_from=2026-01-02T00:00:00Z",
    "received_to=2026-01-01T00:00:00Z&received_to=2026-01-02T00:00:00Z",
    "after_sequence=1&after_sequence=2",
    "received_from=yesterday",
    "received_to=",
    "received_at=2026-01-01T00:00:00Z",
    "target_type[]=a",
    `action=${"x".repeat(257)}`,
    "occurred_from=yesterday",
    "occurred_from=2026-02-30T00:00:00Z",
    "occurred_to=2026-01-01",
    "occurred_to=",
    "after_sequence=-1",
    "before_sequence=x",
    "after_sequence=9007199254740992",
    "before_sequence=0.5",
    "actor_id=%00",
    "action=a%00*",
    "target_id=x%00",
    "actor_type=%00",
    "target_type=%00",
    "action=%00",
  ])("%s", async (query) => {
    const { status, body } = await client.get(`/v1/events?${query}`);
    expect(status).toBe(422);
    expect(body.error.type).toBe("validation_error");
    expect(body.error.details[0].field).toContain((query.split(/[=[]/)[0] ?? "").slice(0, 8));
  });
});
