// 100 requests a minute for each key, exact over any number of gateways (interface 3): no burst
// gets one more, no client gets one less, what is refused costs nothing, and Retry-After is the
// truth.

import { type Answer, HttpClient, newAccount, ownerOf } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { RATE_LIMIT as LIMIT, shared } from "../system/shared-systems.ts";

const WINDOW_S = 60;
const { bursts: BURSTS, requests: BURST_REQUESTS } = inject("form").rateLimit;
/** Between two of 101 requests over 50 seconds. */
const PACE_S = 0.5;

let databaseUrl: string;
let gateways: HttpClient[];
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  const system = await shared("replicas");
  ({ databaseUrl } = system);
  gateways = system.baseUrls.map((baseUrl) => new HttpClient(baseUrl));
  owner = ownerOf(databaseUrl);
});

afterAll(async () => {
  for (const gateway of gateways) gateway.close();
  await owner.close();
});

/** A fresh key; each request goes to the next gateway. */
async function freshKey() {
  const { key, keyId } = await newAccount(databaseUrl);
  const clients = gateways.map((gateway) => gateway.as(key));
  let sent = 0;
  const client = (): HttpClient => {
    const next = clients[sent++ % clients.length];
    if (!next) throw new Error("there is no gateway");
    return next;
  };
  return { keyId, client, get: () => client().get("/v1/events/evt_none") };
}

const remaining = ({ headers }: Answer) => Number(headers["x-ratelimit-remaining"]);
const retryAfterS = ({ headers }: Answer) => Number(headers["retry-after"]);

function expectLimited(answer: Answer): void {
  expect(answer.status).toBe(429);
  expect(answer.body.error).toEqual({
    type: "rate_limit_exceeded",
    message: `Rate limit reached: ${LIMIT} requests per minute for this key. Try again in ${retryAfterS(answer)} seconds.`,
  });
  expect(answer.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-ratelimit-limit": String(LIMIT),
    "x-ratelimit-remaining": "0",
    "retry-after": expect.stringMatching(/^[1-9]\d?$/),
  });
  expect(retryAfterS(answer)).toBeLessThanOrEqual(WINDOW_S);
}

/** The controlled clock: the key's window began so many seconds earlier, as if they had passed. */
async function pass(keyId: string, seconds: number): Promise<void> {
  await owner.query(
    `UPDATE keys.rate_windows SET started_at = started_at - make_interval(secs => $2) WHERE key_id = $1`,
    [keyId, seconds],
  );
}

// Alone: what the others send at once would take seconds of its window.
test("101 requests over 50 s: Remaining goes 99 to 0, the 101st is 429, and Retry-After is exact", async () => {
  const { keyId, get } = await freshKey();
  const shown: number[] = [];
  const began = performance.now();
  for (let n = 0; n < LIMIT; n++) {
    const answer = await get();
    expect(answer.status).toBe(404);
    shown.push(remaining(answer));
    await pass(keyId, PACE_S);
  }
  expect(shown).toEqual(Array.from({ length: LIMIT }, (_, n) => LIMIT - 1 - n));
  const refused = await get();
  expectLimited(refused);
  const left = WINDOW_S - LIMIT * PACE_S - (performance.now() - began) / 1_000;
  expect(Math.abs(retryAfterS(refused) - left)).toBeLessThanOrEqual(1.5);
  // Seconds before the end it is still refused, and that costs nothing.
  await pass(keyId, retryAfterS(refused) - 2);
  const early = await get();
  expectLimited(early);
  await pass(keyId, retryAfterS(early));
  const retried = await get();
  expect(retried.status).toBe(404);
  expect(remaining(retried)).toBe(LIMIT - 1);
});

describe.concurrent("the limit of a key", () => {
  test(`${BURST_REQUESTS} concurrent requests over all gateways: exactly 100 are admitted, ${BURSTS} times`, async () => {
    const admitted: number[] = [];
    for (let run = 0; run < BURSTS; run++) {
      const { get } = await freshKey();
      const answers = await Promise.all(Array.from({ length: BURST_REQUESTS }, get));
      const passed = answers.filter(({ status }) => status === 404);
      admitted.push(passed.length);
      for (const answer of answers) if (!passed.includes(answer)) expectLimited(answer);
      const shown = passed.map(remaining).toSorted((a, b) => b - a);
      expect(shown).toEqual(Array.from({ length: LIMIT }, (_, n) => LIMIT - 1 - n));
    }
    expect(admitted).toEqual(Array<number>(BURSTS).fill(LIMIT));
  });

  test("a batch counts as one request", async () => {
    const { client, get } = await freshKey();
    const before = await get();
    const events = Array.from({ length: 1_000 }, (_, n) => ({ action: `a.${n}` }));
    const batch = await client().post("/v1/events/batch", { events });
    expect(batch.status).toBe(201);
    expect(remaining(batch)).toBe(remaining(before) - 1);
  });

  test("a refused request costs nothing", async () => {
    const { keyId, get } = await freshKey();
    await Promise.all(Array.from({ length: LIMIT }, get));
    const refused = await Promise.all(Array.from({ length: 2 * LIMIT }, get));
    refused.forEach(expectLimited);
    const [window] = await owner.query<{ used: number }>(
      "SELECT used FROM keys.rate_windows WHERE key_id = $1",
      [keyId],
    );
    expect(window?.used).toBe(LIMIT);
    await pass(keyId, WINDOW_S);
    const next = await Promise.all(Array.from({ length: LIMIT }, get));
    expect(next.every(({ status }) => status === 404)).toBe(true);
    expectLimited(await get());
  });

  test("one key's use is not another's, of the same account even", async () => {
    const { client, get } = await freshKey();
    const { data } = (await client().post("/v1/api-keys", { name: "other" })).body;
    await Promise.all(Array.from({ length: LIMIT }, get));
    expectLimited(await get());
    const other = await client().as(data.key).get("/v1/verify");
    expect(other.status).toBe(200);
    expect(remaining(other)).toBe(LIMIT - 1);
  });

  test("401 costs nothing and is never 429", async () => {
    const rounds = Array.from({ length: LIMIT }, () => gateways).flat();
    const answers = await Promise.all(rounds.map((gateway) => gateway.get("/v1/events")));
    expect(answers).toHaveLength(gateways.length * LIMIT);
    expect(answers.every(({ status }) => status === 401)).toBe(true);
    expect(answers.every((answer) => remaining(answer) === LIMIT)).toBe(true);
  });
});
