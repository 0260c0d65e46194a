// Guarantee: a list by a text finds what a plain scan of all events finds, in order, in the parts that it may
// read and no others: with other filters, where the index is behind, where it is not, and after an erasure.
// Where its pages end is in text-pages.test.ts.

import { WIDGET_PARTS } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../testing/database.ts";
import { openErasures } from "../testing/erasure-fixtures.ts";
import { indexSparse, SPARSE, sparse, spread } from "../testing/segment-fixtures.ts";
import { eventsJsonOf, type GivenEvent, openLedger } from "../testing/test-ledger.ts";
import { Budget } from "./budget.ts";
import { findNumbers } from "./find-numbers.ts";
import { CHUNK_SIZE } from "./rules/chunk.ts";
import type { EventFilter } from "./rules/event-filter.ts";
import { streamPages } from "./stream-pages.ts";

const ACCOUNT = "acct_1";
const EVENTS = CHUNK_SIZE / SPARSE + 144;
const RUNS = 30;
/** Bytes, more than there are. */
const LARGE = 1_000_000_000;

/** Texts with what JSON escapes, what only looks like it, and letters that have no case in ASCII. */
const TEXTS = [
  'He said "Hello", twice',
  "C:\\new\\table",
  "two\nlines\tand a tab",
  "bell\u0007 and \u007f",
  "ÄÖÜ straße ÉTÉ",
  "日本語のログ",
  "emoji 🎉 party",
  "100% of_it_\\%",
  "203.0.113.77",
  "aaaaaaaaaaaaaaab",
];
const textOf = (n: number): string => `${TEXTS[n % TEXTS.length]} no. ${n % 450}`;

const actionOf = (n: number): string =>
  n % 7 === 0 ? `Job "${n % 90}" done` : `invoice.Create_${n % 90}`;

function eventAt(n: number): GivenEvent {
  return {
    action: actionOf(n),
    occurred_at: `2026-01-0${1 + (n % 9)}T00:00:00Z`,
    actor: { id: `u_${n % 20}`, type: "User", meta: { Name: textOf(n) } },
    ...(n % 3 > 0 && { target: { id: textOf(n + 3), type: "thing" } }),
    ...(n % 4 === 0 && { context: { ip: "203.0.113.7", nested: [{ "odd Key": textOf(n + 5) }] } }),
    ...(n % 5 === 0 && { diff: { before: { n }, after: { n: n + 1, text: textOf(n + 7) } } }),
    metadata: { outcome: n % 2 === 0 ? "success" : "failure", n },
  };
}

interface Row {
  readonly number: number;
  readonly action: string;
  readonly occurred_at: string;
  readonly actor_id: string | null;
  readonly actor_type: string | null;
  readonly target_id: string | null;
  readonly target_type: string | null;
  readonly actor: string;
  readonly context: string;
  readonly diff: string;
  readonly metadata: string;
  readonly target: string;
  /** What is always read, as JSON writes it, and the parts, in the order of WIDGET_PARTS: in lower case. */
  readonly always: string;
  readonly parts: readonly string[];
}

let database: TestDatabase;
let pool: Pool;
let rows: Row[];

async function load(): Promise<void> {
  const stored = await database.query<Row & Record<string, unknown>>(
    `SELECT sequence_number::int AS number, action, occurred_at, actor_id, actor_type, target_id, target_type, actor,
       context, diff, metadata, target FROM ledger.events WHERE account_id = $1 ORDER BY 1`,
    [ACCOUNT],
  );
  rows = stored.map((row) => {
    const { action, actor_id, actor_type, target_id, target_type } = row;
    const always = [action, actor_id, actor_type, target_id, target_type].map((value) =>
      escaped(value ?? ""),
    );
    const parts = WIDGET_PARTS.map((part) => fold(row[part.replace(".meta", "") as "actor"]));
    return { ...row, always: fold(always.join("\n")), parts };
  });
}

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  pool = openPool(database.url, { atEnd: afterAll });
  const { client } = openLedger(database, ...NO_OPTIONS, afterAll);
  const eventsJson = eventsJsonOf(Array.from({ length: EVENTS }, (_, n) => eventAt(n)));
  const append = { accountId: ACCOUNT, receivedAt: RECEIVED, requestSha256, eventsJson };
  await client.createEvents({ appends: [append] });
  await spread(database, ACCOUNT);
  await load();
});

const NO_OPTIONS = [undefined, undefined, undefined, undefined, undefined] as const;
const RECEIVED = "2026-05-10T11:59:59.000000Z";
const requestSha256 = new Uint8Array(32);

/** The plain definition. */
const fold = (text: string): string => text.replaceAll(/[A-Z]/g, (one) => one.toLowerCase());
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

function scan(filter: EventFilter): number[] {
  const { actorIds, fields, not, occurredTo = "3", texts = [], textParts = WIDGET_PARTS } = filter;
  const wanted = texts.map((text) => fold(escaped(text)));
  const own = (row: Row): string[] => [
    row.always,
    ...row.parts.filter((_, at) => textParts.includes(WIDGET_PARTS[at] ?? "")),
  ];
  return rows
    .filter(
      (row) =>
        own(row).some((each) => wanted.some((text) => each.includes(text))) &&
        (!actorIds || actorIds.includes(row.actor_id ?? "")) &&
        (!fields || row.metadata.includes(`"outcome":"${fields[0]?.values[0]}"`)) &&
        (!not || row.actor_type !== "User") &&
        row.occurred_at < occurredTo &&
        row.number > (filter.afterSequence ?? 0n),
    )
    .map(({ number }) => number);
}

async function search(filter: EventFilter, ascending: boolean): Promise<number[]> {
  const numbers: number[] = [];
  const asked = { accountId: ACCOUNT, ascending, filter };
  for await (const step of findNumbers(pool, asked, new Budget(Infinity)))
    numbers.push(...step.numbers);
  return numbers;
}

/** What an export gets. */
async function streamed(filter: EventFilter): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { rows: found } of streamPages(pool, { accountId: ACCOUNT, filter }))
    numbers.push(...found.map(({ sequence_number: number }) => Number(number)));
  return numbers;
}

/** A piece of what an event says, in any case, or of what none says. */
const piece = fc
  .record({
    of: fc.nat({ max: EVENTS - 1 }),
    which: fc.nat({ max: 2 }),
    from: fc.nat({ max: 12 }),
    length: fc.integer({ min: 3, max: 128 }),
    isUpper: fc.boolean(),
  })
  .map(({ from, isUpper, length, of, which }) => {
    const texts = [textOf(of), actionOf(of), `u_${of % 20}`];
    const text = Array.from(texts[which] ?? "")
      .slice(from, from + length)
      .join("");
    return isUpper ? text.toUpperCase().toWellFormed() : text;
  });
const text = fc.oneof(
  { weight: 8, arbitrary: piece },
  {
    weight: 2,
    arbitrary: fc.constantFrom("odd key", "outcome", "no such text", '"ip"', "\\n", "ÄÖ", "äö"),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 3, maxLength: 10, unit: "grapheme" }) },
);
const outcome = {
  name: "outcome",
  path: ["metadata", "outcome"],
  type: "string",
  ignoreCase: false,
  values: ["failure"],
};
const filters: fc.Arbitrary<EventFilter> = fc
  .tuple(
    fc.array(text, { minLength: 1, maxLength: 2 }),
    fc.subarray([...WIDGET_PARTS]),
    fc.subarray(
      ["textParts", "actorIds", "fields", "occurredTo", "afterSequence", "not"] as const,
      {
        maxLength: 2,
      },
    ),
  )
  .map(([texts, textParts, names]) => {
    const all = {
      textParts,
      actorIds: ["u_1", "u_7", "u_10"],
      fields: [outcome],
      occurredTo: "2026-01-04T00:00:00.000000Z",
      afterSequence: BigInt(sparse(CHUNK_SIZE / SPARSE - 30)),
      not: { actorTypes: ["User"] },
    };
    return { texts, ...Object.fromEntries(names.map((name) => [name, all[name]])) };
  });

/** Compares searches with scans. Resolves to how many events they found. */
async function checkAll(): Promise<number> {
  let found = 0;
  const property = fc.asyncProperty(filters, fc.boolean(), async (filter, ascending) => {
    const right = scan(filter);
    found += right.length;
    expect(await search(filter, ascending)).toEqual(ascending ? right : right.toReversed());
  });
  await fc.assert(property, { numRuns: RUNS });
  return found;
}

test("each text is found as it is, whatever JSON makes of it, without an index", async () => {
  for (const each of TEXTS) {
    const asked = { texts: [each.toUpperCase()] };
    const right = scan(asked);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect({ each, found: await search(asked, true) }).toEqual({ each, found: right });
    // Only ASCII letters are folded.
    expect(right.length > 0).toBe(!/[äöüßé]/i.test(each) || each === fold(each));
  }
  expect(await checkAll()).toBeGreaterThan(0);
}, 120_000);

test("an export gets what a list finds", async () => {
  for (const filter of [{ texts: ["twice no. 1"] }, { texts: ["u_7"], fields: [outcome] }]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const found = await streamed(filter);
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(scan(filter));
  }
});

test("with an index of the first chunk", async () => {
  await indexSparse(database, ACCOUNT, 0, CHUNK_SIZE);
  expect(await checkAll()).toBeGreaterThan(0);
}, 120_000);

test("a part that is not read is not found, and its size ends no page", async () => {
  const secret = { texts: ["straße"], textParts: ["context", "metadata"] };
  const all = scan({ texts: ["straße"] });
  const found = await search(secret, true);
  expect(found).toEqual(scan(secret));
  expect(found.length).toBeLessThan(all.length);
  const budget = new Budget(Infinity, LARGE);
  const asked = { accountId: ACCOUNT, ascending: true, filter: { ...secret, textParts: [] } };
  for await (const step of findNumbers(pool, asked, budget)) expect(step.numbers).toBeDefined();
  expect(budget.textBytesLeft).toBe(LARGE);
});

test("nothing of what was erased is found", async () => {
  const erased = { texts: ["ÉTÉ no. 4"], textParts: ["actor.meta"] };
  expect(scan({ ...erased, actorIds: ["u_4"] })).not.toEqual([]);
  const erasures = openErasures({ owner: database, pool });
  await erasures.ask(ACCOUNT, { actorId: "u_4" }, { parts: ["actor", "target"] });
  await erasures.newReplica(() => {}, undefined, afterAll).pass();
  await load();
  const gone = new Set(rows.filter(({ actor }) => actor === "{}").map(({ number }) => number));
  expect(gone.size).toBeGreaterThan(15);
  const found = await search(erased, true);
  expect(found).toEqual(scan(erased));
  expect(found.filter((number) => gone.has(number))).toEqual([]);
  expect(await streamed(erased)).toEqual(found);
  expect(await checkAll()).toBeGreaterThan(0);
}, 120_000);
