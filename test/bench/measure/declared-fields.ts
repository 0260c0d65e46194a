// Measures declared fields: batches to accounts without any, with four and with ten, and the bytes that each
// field takes of the sealed filter index. Called by main.ts. The CPU time of a turn includes the index of its
// events, which is made behind the appends, so each turn waits for it.

import { eventually, HttpClient, newAccount } from "@annals/testing";
import { batches, smallEvent } from "../bodies.ts";
import { costText, marked, withCost } from "../cpu.ts";
import { httpLoad } from "../http-load.ts";
import { bytesText, FIRST_DECLARED, indexBytes } from "../index-bytes.ts";
import { settle } from "../settle.ts";
import { openSql } from "../sql.ts";
import { type Bench, multiple, type Result, type Section, shown } from "./bench.ts";
import { interleaved, medianRatio, medians } from "./interleaved.ts";

const BATCH = 100;
const CONNECTIONS = 8;
/** Different events in rotation. */
const EVENTS = 20_000;
/** Events of a fresh segment of the filter index, and of a sealed one. */
const FRESH = 4_096;
const SEALED = 65_536;
const INDEXED_WITHIN_MS = 600_000;

/** The declared fields in their order: the first four are what most accounts declare. */
export const FIELDS = [
  { path: "context.ip", type: "ip" },
  { path: "metadata.request_id", type: "string" },
  { path: "actor.meta.role", type: "string" },
  { path: "diff.after.total", type: "number" },
  { path: "context.user_agent", type: "string" },
  { path: "context.region", type: "string" },
  { path: "actor.meta.email", type: "string", ignore_case: true },
  { path: "target.meta.title", type: "string" },
  { path: "diff.before.total", type: "number" },
  { path: "diff.after.status", type: "string" },
] as const;

export async function measureDeclaredFields(bench: Bench): Promise<Section> {
  const bodies = batches(
    Array.from({ length: EVENTS }, (_, index) => eventAt(index)),
    BATCH,
  );
  const accounts: string[] = [];
  const run = (fields: number) => async () => {
    const account = await declared(bench, fields);
    accounts[fields] = account.accountId;
    return costed(bench, account, bodies);
  };
  bench.say("batches without declared fields, with 4, and with 10");
  const [none, four, ten] = await interleaved(bench.options.turns, [run(0), run(4), run(10)]);
  return {
    title: "Declared fields",
    about:
      `Batches of ${BATCH} small events to one key over ${CONNECTIONS} connections. The account has no declared field, ` +
      "four, or ten. CPU time includes the filter index of the events. Below, what each field takes of the sealed " +
      "index, an event. Request ids repeat after " +
      `${EVENTS.toLocaleString("en")} events, addresses after 5,000, the others have one to five values.`,
    heads: ["events", "p50", "p99", "of none"],
    results: [
      { what: marked("no field", none), ...shown(medians(none)), cost: costText(none) },
      ...[four, ten].map((turns, at) => ({
        what: marked(at === 0 ? "4 fields" : "10 fields", turns),
        ...shown(medians(turns)),
        ratio: multiple(medianRatio("perSecond", turns, none)),
        cost: costText(turns),
      })),
      ...(await bytesOf(bench, accounts[FIELDS.length] ?? "")),
    ],
  };
}

/** A small event, with a request id of its own, from one of 5,000 addresses. */
export function eventAt(index: number) {
  const event = smallEvent(index);
  const ip = `198.51.${(index * 7) % 100}.${(index * 3) % 50}`;
  return { ...event, context: { ...event.context, ip } };
}

async function declared({ baseUrl, databaseUrl }: Bench, fields: number) {
  const account = await newAccount(databaseUrl);
  const client = new HttpClient(baseUrl, account.key);
  for (const field of FIELDS.slice(0, fields)) {
    const { status } = await client.post("/v1/search/fields", field);
    if (status !== 201) throw new Error(`${field.path} was answered with ${status}`);
  }
  client.close();
  return account;
}

/** The figures of the load, at the cost of the load and of the index of what it appended. */
async function costed(
  { baseUrl, databaseUrl, options, processes }: Bench,
  account: { readonly accountId: string; readonly key: string },
  bodies: readonly string[],
) {
  await settle(databaseUrl);
  const { turnWarmUpMs: warmUpMs, turnMs: measureMs } = options;
  return withCost(processes, async () => {
    const request = { method: "POST", paths: ["/v1/events/batch"], status: 201 } as const;
    const shape = { connections: CONNECTIONS, warmUpMs, measureMs };
    const figures = await httpLoad({ ...request, ...shape, baseUrl, bodies, keys: [account.key] });
    const perSecond = figures.perSecond * BATCH;
    await indexed(databaseUrl, account.accountId);
    return { ...figures, perSecond, events: perSecond * ((warmUpMs + measureMs) / 1_000) };
  });
}

/** Resolves when every full segment of the account is in the filter index. */
async function indexed(databaseUrl: string, accountId: string): Promise<void> {
  const sql = await openSql(databaseUrl);
  try {
    const isDone = async () => {
      const [row] = await sql.rows<{ readonly is_done: boolean }>(
        `SELECT sequence_number < ${FRESH} + coalesce((SELECT max(base + CASE level WHEN 0 THEN ${FRESH} ELSE ${SEALED} END)
           FROM ledger.segments WHERE account_id = '${accountId}'), 0) AS is_done
         FROM ledger.heads WHERE account_id = '${accountId}'`,
      );
      return row?.is_done === true;
    };
    await eventually("the filter index has the events", isDone, INDEXED_WITHIN_MS);
  } finally {
    await sql.close();
  }
}

/** What each declared field takes of the sealed segments of the account; nothing before it has one. */
async function bytesOf({ databaseUrl }: Bench, accountId: string): Promise<Result[]> {
  const rows = await indexBytes(databaseUrl, accountId);
  return rows
    .filter(({ field }) => field >= FIRST_DECLARED)
    .map(({ bytes, field }) => ({
      what: FIELDS[field - FIRST_DECLARED]?.path ?? String(field),
      figure: bytesText(bytes),
    }));
}
