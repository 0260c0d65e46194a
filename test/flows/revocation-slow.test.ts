// A revoked key writes nothing and reads on for seconds at most: what a request has sent when its key is
// revoked before its body is complete is not stored, and a download in progress is cut off, as is that of a
// person who logs out. A request whose body arrives slowly still counts once. The seconds are compared in the
// full form.

import type { Stack } from "@annals/local";
import {
  eventually,
  type HttpClient,
  newClient,
  newKey,
  ownerOf,
  type TestAccount,
} from "@annals/testing";
import { once } from "node:events";
import { get, type IncomingMessage, request as send } from "node:http";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ended } from "../system/exports-client.ts";
import { loadLongChain } from "../bench/long-chain.ts";
import { startWithProvider } from "../system/identity-file.ts";
import { logIn } from "../system/logged-in.ts";

const REVOCATIONS = 200;
const AT_A_TIME = 10;

/** More than the buffers between the export service and a client that reads nothing. */
const EVENTS = 30_000;
const ENDED_WITHIN_MS = 90_000;
/** The interval at which a download asks for its key, and what this takes. */
const ENDS_WITHIN_MS = 10_000;

let stack: Stack;
let account: TestAccount;
let client: HttpClient;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  stack = await startWithProvider({
    shared: inject("stack"),
    replicas: { gateway: 2 },
    rateLimitPerMinute: 1_000_000,
    without: ["nats", "webhook-dispatcher"],
  });
  owner = ownerOf(stack.databaseUrl);
  ({ client, ...account } = await newClient(stack));
});

afterAll(async () => {
  client.close();
  await owner.close();
  await stack.stop();
});

/** Requests of a key that were counted. */
async function counted({ keyId }: TestAccount): Promise<number> {
  const text = "SELECT used FROM keys.rate_windows WHERE key_id = $1";
  const [row] = await owner.query(text, [keyId]);
  return Number(row?.["used"] ?? 0);
}

/** Sends half of a request, does `meanwhile` once it was admitted, and sends the rest. The status. */
async function slowly(
  path: string,
  key: TestAccount,
  body: string,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const request = send(`${stack.baseUrls[0]}${path}`, {
    method: "POST",
    agent: false,
    headers: {
      authorization: `Bearer ${key.key}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    },
  });
  const answered = once(request, "response");
  request.write(body.slice(0, body.length >> 1));
  await eventually("the request is admitted", async () => (await counted(key)) === 1);
  await meanwhile();
  request.end(body.slice(body.length >> 1));
  const [response] = (await answered) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

const revoke = async ({ keyId }: TestAccount): Promise<void> => {
  expect((await client.delete(`/v1/api-keys/${keyId}`)).status).toBe(204);
};

const storedWith = (action: string) =>
  owner.query("SELECT FROM ledger.events WHERE account_id = $1 AND action = $2", [
    account.accountId,
    action,
  ]);

test(`nothing is stored of ${REVOCATIONS} requests whose key is revoked in the middle of their body`, async () => {
  let next = 0;
  const statuses: number[] = [];
  const one = async (n: number): Promise<void> => {
    const key = await newKey(stack.databaseUrl, account.accountId);
    const event = { action: "revoked.key", metadata: { filler: "x".repeat(n * 100) } };
    const [path, body] =
      n % 2 === 0 ? ["/v1/events", event] : ["/v1/events/batch", { events: [event, event] }];
    statuses.push(await slowly(path, key, JSON.stringify(body), () => revoke(key)));
    expect(await counted(key)).toBe(1);
  };
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (next < REVOCATIONS) await one(next++);
    }),
  );
  expect(statuses).toHaveLength(REVOCATIONS);
  expect(new Set(statuses)).toEqual(new Set([401]));
  expect(await storedWith("revoked.key")).toHaveLength(0);
});

test("a slow body of a key that stays valid is stored, and counts once", async () => {
  const key = await newKey(stack.databaseUrl, account.accountId);
  const body = JSON.stringify({ action: "valid.key" });
  expect(await slowly("/v1/events", key, body, async () => {})).toBe(201);
  expect(await storedWith("valid.key")).toHaveLength(1);
  expect(await counted(key)).toBe(1);
});

describe("a download ends within seconds after", () => {
  let accountId: string;
  let manager: HttpClient;
  /** A file that is more than the buffers between. */
  let file: { readonly id: string; readonly size: number };

  beforeAll(async () => {
    ({ accountId, client: manager } = await newClient(stack));
    await loadLongChain(stack.databaseUrl, accountId, EVENTS);
    const { body } = await manager.post("/v1/exports", { include_proofs: true });
    const made = await ended(manager, body.data.id, "completed", ENDED_WITHIN_MS);
    file = { id: made.id, size: made.size_bytes };
  });
  afterAll(() => manager.close());

  /** Who downloads: their credential, and what ends it. */
  type Reader = () => Promise<{ token: string; end: () => Promise<unknown> }>;

  test.each<[string, Reader]>([
    [
      "its key is revoked",
      async () => {
        const { key: token, keyId } = await newKey(stack.databaseUrl, accountId, ["export"]);
        return { token, end: () => manager.delete(`/v1/api-keys/${keyId}`) };
      },
    ],
    [
      "its person has logged out",
      async () => {
        const mapping = { provider: "okta", group: accountId, role: "auditor" };
        await manager.post("/v1/role-mappings", mapping);
        const { baseUrls, databaseUrl } = stack;
        const person = await logIn({ baseUrl: baseUrls[0] ?? "", databaseUrl }, [accountId]);
        const { body } = await person.post("/auth/token", { account_id: accountId });
        return { token: body.data.token, end: () => person.post("/auth/logout") };
      },
    ],
  ])("%s", async (_, reader) => {
    const { end, token } = await reader();
    const headers = { authorization: `Bearer ${token}` };
    const url = `${stack.baseUrls[0]}/v1/exports/${file.id}/content`;
    const request = get(url, { headers, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    // Read slowly, a piece at a time, and end the right in the middle.
    let bytes = 0;
    const cut = new Promise<number>((resolve) => {
      response.on("close", () => resolve(performance.now()));
    });
    response.on("error", () => {});
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      response.pause();
      setTimeout(() => response.resume(), 20);
    });
    await eventually("some of it has arrived", async () => bytes > 0);
    expect(await end()).toMatchObject({ status: expect.toBeOneOf([200, 204]) });
    const endsAt = performance.now();
    const cutAt = await cut;
    expect(response.complete).toBe(false);
    expect(bytes).toBeLessThan(file.size);
    if (inject("form").name === "full") expect(cutAt - endsAt).toBeLessThan(ENDS_WITHIN_MS);
  });
});
