// Guarantees: behind a trusted proxy a key with a list of addresses admits and counts exactly the requests of
// clients at these addresses, while others send the same key; an expiry ends a key and its widget
// tokens at its time; the day of the last use is written when keys stops, if not before.

import type { ServiceName, Stack } from "@annals/local";
import { eventually, HttpClient, newClient, ownerOf, type TestAccount } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { runAccountsCommand } from "./audit-commands.ts";

const LIMIT = 100;

let stack: Stack;
let owner: ReturnType<typeof ownerOf>;
let account: TestAccount & { readonly client: HttpClient };

beforeAll(async () => {
  stack = await startConstellation({
    shared: inject("stack"),
    replicas: { gateway: 2 },
    rateLimitPerMinute: LIMIT,
    env: { gateway: { ANNALS_TRUSTED_PROXIES: "127.0.0.1,::1" } },
  });
  owner = ownerOf(stack.databaseUrl);
  account = await newClient(stack);
});
afterAll(() => Promise.all([owner?.close(), stack?.stop()]));

const processOf = (service: ServiceName) =>
  stack.processes.find((one) => one.service === service) ?? expect.fail(`no ${service}`);

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
  const clients = stack.baseUrls.map((url) => new HttpClient(url, key));
  const inside = ["198.51.100.0", "198.51.100.255", "2001:db8:1::7", "::ffff:198.51.100.3"];
  const outside = ["198.51.101.0", "2001:db8:2::", "::ffff:192.0.2.1", "203.0.113.1"];
  const send = (ip: string, n: number) =>
    (clients[n % clients.length] ?? expect.fail()).get("/v1/usage", from(ip));
  const rounds = Array.from({ length: 40 }, (_, n) => n);
  const [allowed, refused] = await Promise.all([
    Promise.all(rounds.map((n) => send(inside[n % 4] ?? "", n >> 1))),
    Promise.all(rounds.map((n) => send(outside[n % 4] ?? "", n >> 1))),
  ]);
  expect(new Set(allowed.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
  // A client cannot name itself: what it wrote is left of what the proxy saw.
  expect((await send("198.51.100.1, 203.0.113.1", 0)).status).toBe(403);
  const { headers } = await send("198.51.100.1", 0);
  expect(headers["x-ratelimit-remaining"]).toBe(String(LIMIT - rounds.length - 1));
});

test("an expiry ends the widget tokens of the key, which its addresses do not bind", async () => {
  const { id, key } = await newKey({
    allowed_ips: ["192.0.2.7"],
    expires_at: "2030-01-31T09:30:00Z",
  });
  const maker = new HttpClient(stack.baseUrls[0] ?? "", key);
  const { body } = await maker.send("POST", "/v1/widget-tokens", {
    body: {},
    ...from("192.0.2.7"),
  });
  const viewer = new HttpClient(stack.baseUrls[1] ?? "", body.data.token);
  expect((await viewer.get("/v1/widget/events", from("203.0.113.9"))).status).toBe(200);
  const expiresAt = new Date(Date.now() + 500).toISOString();
  const path = `/v1/api-keys/${id}`;
  await account.client.patch(path, { name: "ends", expires_at: expiresAt });
  await eventually("the token has ended", async () => {
    const { status } = await viewer.get("/v1/widget/events", from("203.0.113.9"));
    return status === 401;
  });
  expect((await maker.get("/v1/usage", from("192.0.2.7"))).status).toBe(401);
  const tokens = (await account.client.get("/v1/widget-tokens")).body.data;
  expect(tokens.map((token: { id: string }) => token.id)).not.toContain(body.data.id);
});

test("the last use is a day, of keys that were used", async () => {
  const [used, unused] = [await newKey({}), await newKey({})];
  await new HttpClient(stack.baseUrls[0] ?? "", used.key).get("/v1/usage");
  await processOf("keys").stop();
  processOf("keys").start();
  await processOf("keys").waitReady();
  const data = await eventually("keys is reached again", async () => {
    const { status, body } = await account.client.get("/v1/api-keys");
    return status === 200 && body.data;
  });
  const of = ({ id }: { id: string }) => data.find((one: { id: string }) => one.id === id);
  expect(of(used).last_used_at).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\.000000Z$/);
  expect(Math.abs(Date.parse(of(used).last_used_at) - Date.now())).toBeLessThan(2 * 86_400_000);
  expect(of(unused)).not.toHaveProperty("last_used_at");
});

test("an operator restricts a key that they make", async () => {
  const made = await runAccountsCommand(stack, [
    "add-key",
    "--account",
    account.accountId,
    "--expires-at",
    "2030-01-31T09:30:00Z",
    "--allowed-ip",
    "192.0.2.7,2001:DB8::/32",
  ]);
  const [, key = ""] = /^key (\S+)$/m.exec(made) ?? [];
  const client = new HttpClient(stack.baseUrls[0] ?? "", key);
  expect((await client.get("/v1/usage", from("192.0.2.8"))).status).toBe(403);
  expect((await client.get("/v1/usage", from("2001:db8:ffff::1"))).status).toBe(200);
  const { data } = (await account.client.get("/v1/api-keys")).body;
  expect(data[0]).toMatchObject({
    name: "operator's key",
    expires_at: "2030-01-31T09:30:00.000000Z",
    allowed_ips: ["192.0.2.7", "2001:db8::/32"],
  });
});
