// A widget token over several gateways (docs/interface.md): 120 requests a minute, exact, whatever its key
// makes; after DELETE was answered no request is accepted, on any gateway; who looks is a line of the log.

import { type Answer, eventually, HttpClient, newAccount, ownerOf } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shared, type SharedSystem } from "../system/shared-systems.ts";
import { requestLines } from "./request-lines.ts";

const LIMIT = 120;
const WINDOW_S = 60;
const BURST_REQUESTS = 300;
const REVOCATIONS = 5;
const PATH = "/v1/widget/events";
const ORIGIN = "https://app.example.com";
const VIEWER = { id: "viewer-7", name: "Ada Lovelace" };

let system: SharedSystem;
let gateways: HttpClient[];
let owner: ReturnType<typeof ownerOf>;
let accountId: string;

beforeAll(async () => {
  system = await shared("replicas");
  const account = await newAccount(system.databaseUrl);
  accountId = account.accountId;
  gateways = system.baseUrls.map((baseUrl) => new HttpClient(baseUrl, account.key));
  owner = ownerOf(system.databaseUrl);
});
afterAll(async () => {
  for (const gateway of gateways) gateway.close();
  await owner?.close();
});

const at = (place: number): HttpClient =>
  gateways[place % gateways.length] ?? expect.fail("no gateway");

/** A fresh token; each request goes to the next gateway. */
async function freshToken(body: object = {}) {
  const { data } = (await at(0).post("/v1/widget-tokens", body)).body;
  const clients = gateways.map((gateway) => gateway.as(data.token));
  let sent = 0;
  const get = (path = PATH, headers = {}): Promise<Answer> =>
    (clients[sent++ % clients.length] ?? expect.fail("no gateway")).get(path, { headers });
  return { id: data.id as string, token: data.token as string, get };
}

const remaining = ({ headers }: Answer) => Number(headers["x-ratelimit-remaining"]);

function expectLimited({ status, body, headers }: Answer): void {
  expect(status).toBe(429);
  expect(headers).toMatchObject({ "x-ratelimit-limit": "120", "x-ratelimit-remaining": "0" });
  const retryAfterS = Number(headers["retry-after"]);
  expect(retryAfterS).toBeGreaterThan(0);
  expect(retryAfterS).toBeLessThanOrEqual(WINDOW_S);
  expect(body.error).toEqual({
    type: "rate_limit_exceeded",
    message: `Rate limit reached: ${LIMIT} requests per minute for this token. Try again in ${retryAfterS} seconds.`,
  });
}

/** The controlled clock: the token's window began so many seconds earlier. */
const pass = (id: string, seconds: number) =>
  owner.query(
    `UPDATE keys.rate_windows SET started_at = started_at - make_interval(secs => $2) WHERE key_id = $1`,
    [id, seconds],
  );

test("300 concurrent requests over all gateways: exactly 120 are admitted, also in the next window", async () => {
  const { id, get } = await freshToken({ origins: [ORIGIN] });
  const keyBefore = remaining(await at(0).get("/v1/verify"));
  // Not lists: an account may have only some of them at the same time.
  for (const path of [`${PATH}/none`, "/v1/widget/none"]) {
    const burst = Array.from({ length: BURST_REQUESTS }, () => get(path, { origin: ORIGIN }));
    const answers = await Promise.all(burst);
    const admitted = answers.filter(({ status }) => status === 404);
    const shown = admitted.map(remaining).toSorted((a, b) => b - a);
    expect(shown).toEqual(Array.from({ length: LIMIT }, (_, n) => LIMIT - 1 - n));
    for (const answer of answers) {
      if (!admitted.includes(answer)) expectLimited(answer);
      // The page can read when to try again.
      expect(answer.headers["access-control-allow-origin"]).toBe(ORIGIN);
    }
    await pass(id, WINDOW_S);
  }
  // The window of the key that made it is another, and so is that of another token.
  expect(remaining(await at(0).get("/v1/verify"))).toBe(keyBefore - 1);
  expect(remaining(await (await freshToken()).get())).toBe(LIMIT - 1);
});

test("the 121st request is refused until Retry-After, and then accepted", async () => {
  const { id, get } = await freshToken();
  for (let n = 0; n < LIMIT; n += 1) expect((await get(`${PATH}/none`)).status).toBe(404);
  const refused = await get();
  expectLimited(refused);
  await pass(id, Number(refused.headers["retry-after"]) - 2);
  expectLimited(await get());
  await pass(id, 2);
  expect(remaining(await get())).toBe(LIMIT - 1);
});

test(`no request that starts after DELETE was answered is accepted, of ${REVOCATIONS} tokens in use`, async () => {
  for (let place = 0; place < REVOCATIONS; place += 1) {
    const { id, get } = await freshToken();
    // In flight while the token is revoked: either answer is right.
    const during = Array.from({ length: 20 }, () => get());
    const { status } = await at(place).delete(`/v1/widget-tokens/${id}`);
    expect(status).toBe(204);
    const after = await Promise.all(Array.from({ length: 3 * gateways.length }, () => get()));
    expect(after.map((answer) => answer.status)).toEqual(after.map(() => 401));
    for (const answer of await Promise.all(during)) expect([200, 401]).toContain(answer.status);
  }
});

test("a token ends with the API key that made it, on every gateway", async () => {
  const { data } = (await at(0).post("/v1/api-keys", { name: "minter" })).body;
  const made = await at(1).as(data.key).post("/v1/widget-tokens", {});
  const by = gateways.map((gateway) => gateway.as(made.body.data.token));
  const statuses = () => Promise.all(by.map(async (one) => (await one.get(PATH)).status));
  expect(await statuses()).toEqual(by.map(() => 200));
  expect((await at(2).delete(`/v1/api-keys/${data.id}`)).status).toBe(204);
  expect(await statuses()).toEqual(by.map(() => 401));
});

test("a line of the log has the token's id and the viewer's, and never the token or a name", async () => {
  const { id, token, get } = await freshToken({ viewer: VIEWER });
  const { headers } = await get();
  const requestId = headers["x-request-id"];
  const line = await eventually("the request is a line of the log", async () =>
    requestLines(system).find((one) => one["request_id"] === requestId),
  );
  expect(line).toMatchObject({
    route: "/v1/widget/events",
    status: 200,
    account_id: accountId,
    key_id: id,
    viewer_id: VIEWER.id,
  });
  const log = JSON.stringify(requestLines(system));
  for (const secret of [token.slice(-20), VIEWER.name]) expect(log).not.toContain(secret);
});
