// No parameter of GET /v1/widget/events widens the filter of its token: not a filter, not a cursor, not an
// order. Each page is what a plain scan of all events finds for both filters, and each event of it verifies.

import { type HttpClient, newClient } from "@annals/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { newToken, recomputed } from "../../system/widget-client.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/widget/events";
const EVENTS = 120;
const FILTERS = 40;
const QUERIES = 5;
/** Tokens in use. */
const AT_A_TIME = 8;

type Values = string | readonly string[];

interface Filter {
  readonly action?: Values;
  readonly actor_id?: Values;
  readonly actor_type?: Values;
  readonly target_id?: Values;
  readonly target_type?: Values;
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

const pick = <T>(values: readonly T[], n: number) => values[n % (values.length + 1)];
/** Without the members that are undefined. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const events = Array.from({ length: EVENTS }, (_, n) => ({
  action: ACTIONS[(n * 7) % ACTIONS.length],
  actor: sent({ id: pick(IDS, n), type: pick(TYPES, n * 5), meta: { n } }),
  target: sent({ id: pick(IDS, n * 3), type: pick(TYPES, n) }),
  metadata: { n },
  occurred_at: time((n * 37) % EVENTS),
}));
/** Oldest first. */
const all: readonly Event[] = (await client.post("/v1/events/batch", { events })).body.data;

/** What the documents say of a filter, and nothing that the service does. */
function matches(event: Event, filter: Filter): boolean {
  const isAction =
    filter.action === undefined ||
    [filter.action]
      .flat()
      .some((action) =>
        action.endsWith("*")
          ? event.action.startsWith(action.slice(0, -1))
          : event.action === action,
      );
  const equal = (wanted: Values | undefined, value: string | undefined) =>
    wanted === undefined || [wanted].flat().some((one) => one === value);
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

const some = <T>(values: readonly T[]) => fc.constantFrom(...values);
const sequence = some([0, 10, 30, 60, 90, 119, 120, 121, 500]);
/** One value, or several. */
const any = (values: readonly string[]) =>
  fc.oneof(some(values), fc.array(some(values), { minLength: 1, maxLength: 4 }));
/** None to three members, so that a combination often leaves something. */
const filters = fc
  .record({
    action: any([...ACTIONS, "a*", "a.*", "a.b*", "a.b.*", "*", "é*", "none", "n*"]),
    actor_id: any([...IDS, "none"]),
    actor_type: any([...TYPES, "none"]),
    target_id: any([...IDS, "none"]),
    target_type: any([...TYPES, "none"]),
    occurred_from: some([0, 20, 60, 110].map(time)),
    occurred_to: some([10, 60, 100, 121].map(time)),
    after_sequence: sequence,
    before_sequence: sequence,
  })
  .chain((filter) =>
    fc
      .shuffledSubarray(Object.keys(filter), { minLength: 0, maxLength: 3 })
      .map((names) =>
        Object.fromEntries(Object.entries(filter).filter(([name]) => names.includes(name))),
      ),
  );

const pathOf = (query: object) =>
  `?${Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)] as const))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;

const queries = fc.record({
  filter: filters,
  order: fc.constantFrom(undefined, "asc" as const, "desc" as const),
  limit: fc.constantFrom(1, 7, 50, 100),
  include: fc.constantFrom(undefined, "proof" as const),
  isElsewhere: fc.boolean(),
});
type Query = typeof queries extends fc.Arbitrary<infer T> ? T : never;

/** How many events were shown, of pages until the third. */
async function walk(widget: HttpClient, filter: Filter, query: Query): Promise<number> {
  const { filter: asked, order, include, limit } = query;
  const given = sent({ ...asked, order, include });
  const isAscending = order === "asc";
  const inOrder = isAscending ? all : all.toReversed();
  let expected = inOrder.filter((one) => matches(one, filter) && matches(one, asked));
  let cursor: string | null = null;
  // A cursor of the same list by the API key begins outside of what the token may see.
  if (query.isElsewhere) {
    const { body } = await client.get(`/v1/events${pathOf({ ...given, limit: 1 })}`);
    cursor = body.next_cursor;
    const from: number = body.data[0]?.sequence_number;
    if (cursor !== null)
      expected = expected.filter((one) =>
        isAscending ? one.sequence_number > from : one.sequence_number < from,
      );
  }
  const seen: string[] = [];
  for (let page = 0; page < 3; page += 1) {
    const path = PATH + pathOf({ ...given, limit, ...(cursor !== null && { cursor }) });
    const { status, body, text } = await widget.get(path);
    expect(status, text).toBe(200);
    expect(body.data.length).toBeLessThanOrEqual(limit);
    for (const [at, event] of body.data.entries()) recomputed(event, body.proofs[at]);
    seen.push(...body.data.map(({ id }: Event) => id));
    cursor = body.next_cursor;
    expect(body.has_more).toBe(cursor !== null);
    if (cursor === null) break;
  }
  const whole = cursor === null ? expected : expected.slice(0, seen.length);
  expect(seen, JSON.stringify({ filter, query })).toEqual(whole.map(({ id }) => id));
  return seen.length;
}

test(`no query widens the filter of a token, in ${FILTERS * QUERIES} combinations of both`, async () => {
  const left = fc.sample(filters, FILTERS);
  let shown = 0;
  const work = async (): Promise<void> => {
    for (let filter = left.pop(); filter !== undefined; filter = left.pop()) {
      const { widget } = await newToken(client, { filter });
      for (const query of fc.sample(queries, QUERIES)) shown += await walk(widget, filter, query);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  // It was not 200 times nothing. A combination shows three events on average, and single runs far fewer.
  expect(shown).toBeGreaterThan((FILTERS * QUERIES) / 10);
});
