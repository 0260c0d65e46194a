// Guarantees: behind a trusted proxy a key with a list of addresses admits and counts exactly the requests of
// clients at these addresses, while others send the same key; an expiry ends a key and its widget tokens at
// its time.

import { eventually, HttpClient, newClient, type TestAccount } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printedBy } from "../command/type-line.ts";
import { RATE_LIMIT, shared, type SharedSystem } from "../system/shared-systems.ts";

/** 404 shows that the key was admitted. */
const PATH = "/v1/events/evt_none";

let system: SharedSystem;
let account: TestAccount & { readonly client: HttpClient };

beforeAll(async () => {
  system = await shared("replicas");
  account = await newClient(system);
});
afterAll(() => account.client.close());

async function newKey(
  restrictions: object,
): Promise<{ readonly id: string; readonly key: string }> {
  const body = { name: "restricted", ...restrictions };
  const answer = await account.client.post("/v1/api-keys", body);
  expect(answer.status).toBe(201);
  return answer.body.data;
}

const from = (ip: string) => ({ headers: { "x-forwarded-for": ip } });

test("requests of several clients with one key at once: those of the listed addresses are admitted and counted", async () => {
  const { key } = await newKey({ allowed_ips: ["198.51.100.0/24", "2001:db8:1::/48"] });
  const clients = system.baseUrls.map((url) => new HttpClient(url, key));
  const inside = ["198.51.100.0", "198.51.100.255", "2001:db8:1::7", "::ffff:198.51.100.3"];
  const outside = ["198.51.101.0", "2001:db8:2::", "::ffff:192.0.2.1", "203.0.113.1"];
  const send = (ip: string, n: number) =>
    (clients[n % clients.length] ?? expect.fail()).get(PATH, from(ip));
  const rounds = Array.from({ length: 40 }, (_, n) => n);
  const [allowed, refused] = await Promise.all([
    Promise.all(rounds.map((n) => send(inside[n % 4] ?? "", n >> 1))),
    Promise.all(rounds.map((n) => send(outside[n % 4] ?? "", n >> 1))),
  ]);
  expect(new Set(allowed.map(({ status }) => status))).toEqual(new Set([404]));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
  // A client cannot name itself: what it wrote is left of what the proxy saw.
  expect((await send("198.51.100.1, 203.0.113.1", 0)).status).toBe(403);
  const { headers } = await send("198.51.100.1", 0);
  expect(headers["x-ratelimit-remaining"]).toBe(String(RATE_LIMIT - rounds.length - 1));
});

test("an expiry ends the widget tokens of the key, which its addresses do not bind", async () => {
  const { id, key } = await newKey({
    allowed_ips: ["192.0.2.7"],
    expires_at: "2030-01-31T09:30:00Z",
  });
  const maker = new HttpClient(system.baseUrls[0] ?? "", key);
  const { body } = await maker.send("POST", "/v1/widget-tokens", {
    body: {},
    ...from("192.0.2.7"),
  });
  const viewer = new HttpClient(system.baseUrls[1] ?? "", body.data.token);
  expect((await viewer.get("/v1/widget/events", from("203.0.113.9"))).status).toBe(200);
  const expiresAt = new Date(Date.now() + 500).toISOString();
  const path = `/v1/api-keys/${id}`;
  await account.client.patch(path, { name: "ends", expires_at: expiresAt });
  await eventually("the token has ended", async () => {
    const { status } = await viewer.get("/v1/widget/events", from("203.0.113.9"));
    return status === 401;
  });
  expect((await maker.get(PATH, from("192.0.2.7"))).status).toBe(401);
  const tokens = (await account.client.get("/v1/widget-tokens")).body.data;
  expect(tokens.map((token: { id: string }) => token.id)).not.toContain(body.data.id);
});

test("an operator restricts a key that they make", async () => {
  const made = await printedBy(
    system,
    "accounts",
    "add-key",
    "--account",
    account.accountId,
    "--expires-at",
    "2030-01-31T09:30:00Z",
    "--allowed-ip",
    "192.0.2.7,2001:DB8::/32",
  );
  const [, key = ""] = /^key (\S+)$/m.exec(made) ?? [];
  const client = new HttpClient(system.baseUrls[0] ?? "", key);
  expect((await client.get(PATH, from("192.0.2.8"))).status).toBe(403);
  expect((await client.get(PATH, from("2001:db8:ffff::1"))).status).toBe(404);
  const { data } = (await account.client.get("/v1/api-keys")).body;
  expect(data[0]).toMatchObject({
    name: "operator's key",
    expires_at: "2030-01-31T09:30:00.000000Z",
    allowed_ips: ["192.0.2.7", "2001:db8::/32"],
  });
});
