// Guarantee: a webhook and a sink are sent exactly what a list with the same filter has, for random events
// and filters by columns, outcome and declared fields, and by what they leave out. Deleting a field, or
// declaring another one of its name, changes nothing of a filter that was set before.

import { eventually } from "@annals/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { numbersIn, SinkServer, sinkTo } from "../system/sinks-load.ts";
import { sharedWebhookSystem } from "../system/webhook-constellation.ts";
import { type Client, expectNothingMissing } from "../system/webhooks-load.ts";

const WEBHOOKS = 10;
const SINKS = 5;
const EVENTS = 120;
const ARRIVED_MS = 60_000;

const FIELDS = [
  { path: "context.ip", name: "ip", type: "ip" },
  { path: "context.tags", name: "tags", type: "string", ignore_case: true },
  { path: "diff.after.amount", name: "amount", type: "number" },
  { path: "metadata.at", name: "at", type: "time" },
];

let system: Awaited<ReturnType<typeof sharedWebhookSystem>>;
beforeAll(async () => {
  system = await sharedWebhookSystem();
});
afterAll(() => system.close());

const ip = fc.constantFrom("10.0.0.1", "::ffff:10.0.0.1", "203.0.113.9", "2001:db8::1", "no", 5);
const tag = fc.constantFrom("a", "B", "ab", "ñ", "\u{1F600}x", "\uffffx", true, 5);
const amount = fc.constantFrom(-0, 5, 5.5, -1e300, "5");
const time = fc.constantFrom("2026-01-02T00:00:00Z", "2026-01-02T01:00:00+02:00", "soon");
const events = fc.record(
  {
    action: fc.constantFrom("user.login", "user.deleted", "usér"),
    actor: fc.record({ id: fc.constantFrom("u_1", "u_2") }, { requiredKeys: [] }),
    target: fc.record({ type: fc.constantFrom("doc", "bill") }, { requiredKeys: [] }),
    context: fc.record(
      { ip: fc.oneof(ip, fc.array(ip)), tags: fc.oneof(tag, fc.array(tag)) },
      { requiredKeys: [] },
    ),
    diff: fc.record({ after: fc.record({ amount }, { requiredKeys: [] }) }, { requiredKeys: [] }),
    metadata: fc.record(
      { outcome: fc.constantFrom("failure", "success", false), at: time },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["action"] },
);

/** By the names of a list's parameters. */
type Values = Readonly<Record<string, readonly string[]>>;

const FIELD = "field.";
const VALUES: Values = {
  action: ["user.*", "user.login", "usé*"],
  actor_id: ["u_1", "u_2"],
  target_type: ["doc", "bill"],
  outcome: ["fail*", "success", "*", "false"],
  [`${FIELD}ip`]: ["10.0.0.0/8", "10.0.0.1", "2001:db8::/32", "*"],
  [`${FIELD}tags`]: ["A*", "b", "ñ", "\uffff*", "\u{1F600}*", "5", "*"],
  [`${FIELD}amount`]: ["0", "..5", "5..10", "*"],
  [`${FIELD}at`]: ["2026-01-01T23:00:00Z..2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z", "*"],
};
/** Of few members, so that something is selected, and something not. */
const valuesOf = (members: { readonly minLength: number; readonly maxLength: number }) =>
  fc.uniqueArray(fc.constantFrom(...Object.keys(VALUES)), members).chain((names) => {
    const asked = names.map((name) =>
      fc.uniqueArray(fc.constantFrom(...(VALUES[name] ?? [])), { minLength: 1, maxLength: 2 }),
    );
    return fc
      .tuple(...asked)
      .map((lists): Values => Object.fromEntries(names.map((name, at) => [name, lists[at] ?? []])));
  });
const filters = fc.record({
  own: valuesOf({ minLength: 0, maxLength: 2 }),
  not: valuesOf({ minLength: 0, maxLength: 1 }),
});

type Filter = Readonly<Record<"not" | "own", Values>>;

function bodyOf(values: Values) {
  const all = Object.entries(values);
  const isField = ([name]: readonly [string, unknown]) => name.startsWith(FIELD);
  const fields = all.filter(isField).map(([name, of]) => [name.slice(FIELD.length), of]);
  return {
    ...Object.fromEntries(all.filter((each) => !isField(each))),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
}

function parametersOf({ not, own }: Filter): [name: string, value: string][] {
  const of = (values: Values, before = "") =>
    Object.entries(values).flatMap(([name, all]) =>
      all.map((value): [string, string] => [before + name, value]),
    );
  return [...of(own), ...of(not, "not.")];
}

/** The numbers of the events that a list has, ascending. */
async function listed(client: Client, filter: Filter): Promise<number[]> {
  const found: number[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const more: [string, string][] = cursor === "" ? [] : [["cursor", cursor]];
    const query = new URLSearchParams([
      ...parametersOf(filter),
      ["limit", "100"],
      ["order", "asc"],
      ...more,
    ]);
    const { body, status }: Awaited<ReturnType<Client["get"]>> = await client.get(
      `/v1/events?${String(query)}`,
    );
    expect(status, JSON.stringify(body)).toBe(200);
    for (const { sequence_number: number } of body.data) found.push(number);
    cursor = body.next_cursor;
  }
  return found;
}

/** Declares the fields, for as long as the work takes. */
async function declared<T>(client: Client, fields: readonly object[], work: () => Promise<T>) {
  const ids: string[] = [];
  for (const field of fields) {
    const { body, status } = await client.post("/v1/search/fields", field);
    expect(status, JSON.stringify(body)).toBe(201);
    ids.push(body.data.id);
  }
  const result = await work();
  for (const id of ids) await client.delete(`/v1/search/fields/${id}`);
  return result;
}

test("webhooks and sinks are sent what lists have", async () => {
  const client = await system.client();
  const asked = fc.sample(filters, WEBHOOKS + SINKS);
  const all = await system.subscriber();
  const hook = { url: all.url(), events: ["event.created"] };
  await client.post("/v1/webhooks", hook);
  const receivers = await declared(client, FIELDS, () =>
    Promise.all(
      asked.map(async ({ not, own }, index) => {
        const filter = { ...bodyOf(own), not: bodyOf(not) };
        if (index >= WEBHOOKS) {
          const server = await SinkServer.start(system);
          await sinkTo(client, server.subscriber, { filter });
          return () => numbersIn(server.lines, client.accountId);
        }
        const subscriber = await system.subscriber();
        const body = { url: subscriber.url(), events: ["event.created"], filter };
        const made = await client.post("/v1/webhooks", body);
        expect(made.status, JSON.stringify([filter, made.body])).toBe(201);
        return () => subscriber.received.map(({ json }) => json.data.sequence_number as number);
      }),
    ),
  );
  const others = FIELDS.map((field) => ({ ...field, path: "context.other" }));
  await declared(client, others, async () => {
    for (const batch of [EVENTS / 2, EVENTS / 2]) {
      const body = { events: fc.sample(events, batch) };
      expect((await client.post("/v1/events/batch", body)).status).toBe(201);
    }
  });
  const lists = await declared(client, FIELDS, () =>
    Promise.all(asked.map((filter) => listed(client, filter))),
  );
  const arrived = () =>
    receivers.map((numbers) => [...new Set(numbers())].toSorted((a, b) => a - b));
  await expectNothingMissing([all], EVENTS);
  const isSent = async () => {
    const { body } = await client.get("/v1/usage");
    return body.data.pending_deliveries.used === 0;
  };
  await eventually("all deliveries are sent", isSent, ARRIVED_MS);
  await eventually(
    "the sinks have it all",
    () =>
      arrived()
        .slice(WEBHOOKS)
        .every((numbers, at) => numbers.length >= (lists[WEBHOOKS + at]?.length ?? 0)),
    ARRIVED_MS,
  );
  for (const [index, numbers] of arrived().entries())
    expect(numbers, JSON.stringify(asked[index])).toEqual(lists[index]);
  const telling = lists.filter(({ length }) => length > 0 && length < EVENTS);
  expect(telling.length).toBeGreaterThan(0);
});
