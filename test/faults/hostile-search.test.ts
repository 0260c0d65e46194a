// Guarantee: searches that find nothing in a long chain, by an account, by its widget tokens, or by clients
// that leave, do not make a request of another account fail, nor keep a list of the account's own keys from
// its turn. What a client left ends at PostgreSQL. The protections are no settings: without budgets
// services/ledger/src/search/page-budget.test.ts fails, without turns search-turns.test.ts beside it, without
// an end for what was left services/ledger/src/events/rpc/cancelled-reads.test.ts.

import { eventually, newAccount } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { newToken } from "../system/widget-client.ts";
import { loadSearchedChain, NO_EVENT, NO_TIME, OF_ACTOR } from "./searched-chain.ts";
import { startTestbed, type Testbed } from "../system/testbed.ts";
import { aloneFor, attackFrom, type Noticed, type Other, underAttack } from "./under-attack.ts";

const { fairness, requestCost } = inject("form");
const { forMs } = fairness;
const ATTACKS = new URL("./hostile-search-attacks.ts", import.meta.url);
const CLIENTS = 16;
const LEAVING = 3;

let bed: Testbed;
let other: Other;
let alone: Noticed;

beforeAll(async () => {
  bed = await startTestbed({ replicas: {} });
  const { stack } = bed;
  await loadSearchedChain(stack.databaseUrl, bed.accountId, requestCost.events);
  const { key } = await newAccount(stack.databaseUrl);
  other = { baseUrl: stack.baseUrls[0] ?? "", key };
  alone = await aloneFor(other, forMs);
}, 600_000);
afterAll(() => bed?.stop());

const path = (query: string) => `/v1/events?limit=100&${query}`;
const [byActor, byTime] = [path(NO_EVENT), path(NO_TIME)];

async function tokens(count: number): Promise<string[]> {
  const [client] = bed.clients;
  if (!client) throw new Error("no client");
  const made = Array.from({ length: count }, () => newToken(client, { filter: OF_ACTOR }));
  return (await Promise.all(made)).map(({ token }) => token);
}

describe("another account notices nothing of", () => {
  test.each([
    ["16 searches of one account", byActor, CLIENTS, undefined],
    ["16 searches by time", byTime, CLIENTS, undefined],
    ["searches whose clients leave after 150 ms", byActor, LEAVING, 150],
  ])("%s", async (_, asked, clients, leavesAfterMs) => {
    const keys = Array.from({ length: clients }, () => bed.key);
    const target = { baseUrl: other.baseUrl, keys, path: asked, leavesAfterMs };
    const begin = () => attackFrom(ATTACKS, target);
    const noticed = await underAttack(bed, { other, alone, forMs, begin });
    expect(noticed.failed).toHaveLength(0);
  });

  test("16 widget tokens of an account, whose own lists are answered meanwhile", async () => {
    const target = {
      baseUrl: other.baseUrl,
      keys: await tokens(CLIENTS),
      path: `/v1/widget/events?limit=100&${NO_TIME}`,
    };
    const statuses: number[] = [];
    const begin = async () => {
      const end = await attackFrom(ATTACKS, target);
      let isOver = false;
      const ask = async () => {
        do {
          const answer = await bed.clients[0]?.get(byActor).catch(() => undefined);
          statuses.push(answer?.status ?? 0);
        } while (!isOver);
      };
      const own = ask();
      return async () => {
        isOver = true;
        await own;
        end();
      };
    };
    await underAttack(bed, { other, alone, forMs, begin });
    expect(statuses.filter((status) => status !== 200)).toStrictEqual([]);
  });
});

test("every page of a search that finds nothing is answered, to its end", async () => {
  const [client] = bed.clients;
  let pages = 0;
  let cursor = "";
  do {
    const { status, body } = (await client?.get(`${byActor}${cursor}`)) ?? {};
    expect(status).toBe(200);
    expect(body.data).toStrictEqual([]);
    cursor = body.has_more ? `&cursor=${body.next_cursor}` : "";
    pages += 1;
  } while (cursor !== "");
  expect(pages).toBeGreaterThan(requestCost.events / 30_000);
});

test("what a client left is no longer running at PostgreSQL, and the turns are free", async () => {
  const leave = async () => {
    const headers = { authorization: `Bearer ${bed.key}` };
    const signal = AbortSignal.timeout(50);
    await fetch(`${other.baseUrl}${byActor}`, { headers, signal }).catch(() => {});
  };
  await Promise.all(Array.from({ length: CLIENTS }, leave));
  await eventually("no search is running", async () => {
    const [row] = await bed.owner.query<{ running: number }>(
      `SELECT count(*)::int AS running FROM pg_stat_activity
       WHERE state = 'active' AND query LIKE '%/* ledger.find-%' AND pid <> pg_backend_pid()`,
    );
    return row?.running === 0;
  });
  expect((await bed.clients[0]?.get(byActor))?.status).toBe(200);
});
