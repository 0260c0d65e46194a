// No parameter of GET /v1/widget/events widens the filter of its token: not a filter, not a cursor, not an
// order. Each page is what a plain scan of all events finds for both filters, and each event of it verifies.

import { newClient } from "@annals/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { newToken, recomputed } from "./widget-client.ts";

const { client } = await newClient(inject("stack"));
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

const some = <T>(values: readonly T[]) => fc.constantFrom(...values);
const sequence = some([0, 10, 30, 60, 90, 119, 120, 121, 500]);
/** None to three members, so that a combination often leaves something. */
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
    fc
      .shuffledSubarray(Object.keys(filter), { minLength: 0, maxLength: 3 })
      .map((names) =>
        Object.fromEntries(Object.entries(filter).filter(([name]) => names.includes(name))),
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
      const given = sent({ ...query, ...rest });
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
