// Guarantee: what a page of heads reads does not grow with proofs that need the same: each tile is read once,
// and the rows of all heads at once. A page that takes too long ends with the heads that it has, and a client
// that goes on from there gets them all. Work ends with its client.

import type { Pool } from "@annals/postgres";
import { LedgerService } from "@annals/proto/ledger";
import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { SearchTurns } from "../../search/search-turns.ts";
import { aroundPool, openPool } from "../../testing/database.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";
import { HEADS_PAGE_MS, listHeads } from "./list-heads.ts";

const ACCOUNT = "acct_1";
/** More than a tile. */
const EVENTS = 600;
const HEADS = 12;
/** Statements of a page of any length: what is covered, the maps, and the rows of all heads. */
const OF_PAGE = 9;

let log: TestLog;
let pool: Pool;
let ran: string[];
/** Called before each statement. */
let before: (name: string) => void;
/** How long each look at the clock finds that the page has taken. */
let stepMs: number;

const counting = (inner: Pool): Pool => ({
  ...inner,
  run: (statement, params) => {
    ran.push(statement.name);
    before(statement.name);
    return inner.run(statement, params);
  },
});

beforeAll(async () => {
  log = await TestLog.open(afterAll);
  pool = aroundPool(openPool(log.owner.url, { atEnd: afterAll }), counting);
  const closer = log.newCloser(undefined, undefined, afterAll);
  for (let at = 0; at < HEADS; at += 1) {
    await log.grow(ACCOUNT, EVENTS / HEADS);
    log.later(INTERVAL_S);
    await closer.run();
  }
});

beforeEach(() => {
  [ran, stepMs, before] = [[], 0, () => {}];
});

/** A ledger of this one RPC, whose clock goes on by `stepMs` at each look. */
function open() {
  let nowMs = 0;
  const elapsedMs = () => (nowMs += stepMs);
  const handler = listHeads({ searches: new SearchTurns(pool), elapsedMs });
  const transport = createRouterTransport((router) =>
    router.service(LedgerService, { listHeads: handler }),
  );
  return createClient(LedgerService, transport);
}

const page = (afterEpoch = 0n, limit = 50, signal?: AbortSignal) =>
  open().listHeads({ accountId: ACCOUNT, afterEpoch, limit }, { ...(signal && { signal }) });
const countOf = (name: string) => ran.filter((each) => each === `ledger.${name}`).length;

test("a page reads each tile once, and one path for each head", async () => {
  const { heads, hasMore } = await page();
  expect([heads.length, hasMore]).toEqual([HEADS, false]);
  // Two full tiles and a partial one of each of two levels; the head log has one partial tile.
  expect(countOf("get-tile") + countOf("list-leaves") + countOf("list-tile-roots")).toBe(4);
  expect(countOf("list-log-entries") + countOf("get-log-tile")).toBe(1);
  expect(countOf("get-account-heads")).toBe(HEADS);
  expect(ran.length - HEADS).toBeLessThanOrEqual(OF_PAGE + 5);
});

test("a page whose time is over ends early, has a head, and says that there are more", async () => {
  stepMs = HEADS_PAGE_MS;
  const { heads, hasMore } = await page();
  expect([heads.length, hasMore]).toEqual([1, true]);
  const epochs: bigint[] = [];
  for (let afterEpoch = 0n; ; afterEpoch = epochs.at(-1) ?? 0n) {
    const next = await page(afterEpoch);
    epochs.push(...next.heads.map(({ epoch }) => epoch));
    if (!next.hasMore) break;
  }
  expect(epochs).toEqual(Array.from({ length: HEADS }, (_, at) => BigInt(at + 1)));
});

test("a page ends with its client", async () => {
  const leaving = new AbortController();
  let paths = 0;
  before = (name) => {
    if (name === "ledger.get-account-heads" && (paths += 1) === 3) leaving.abort();
  };
  const left = page(0n, 50, leaving.signal);
  await expect(left).rejects.toMatchObject({ code: Code.Canceled });
  await expect.poll(() => paths).toBe(3);
});
