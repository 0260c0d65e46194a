// Revocation is immediate (interface 2): no request that starts after DELETE was answered is
// accepted with the key, on any gateway, while the key is in full use. And a new key works at once
// everywhere.

import { HttpClient, newAccount, ownerOf } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { shared } from "../system/shared-systems.ts";

const { revocations: REVOCATIONS, creations: CREATIONS } = inject("form").revocation;

/** 200 requests a second with each key, whether the earlier ones are answered or not. */
const BETWEEN_REQUESTS_MS = 5;
/** Accepted before the key is revoked, and started after it. */
const BEFORE = 10;
const AFTER = 20;
/** Keys that are in use at one time. */
const KEYS_AT_A_TIME = 2;

/** After so many requests a key gets a new window: the limit of the system is not what is tested. */
const IN_A_WINDOW = 30;

/** One for each gateway, with a key that manages keys. */
let managers: HttpClient[];
let managerId: string;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  const { baseUrls, databaseUrl } = await shared("replicas");
  owner = ownerOf(databaseUrl);
  const { accountId, key, keyId } = await newAccount(databaseUrl);
  await owner.query("UPDATE keys.accounts SET plan = 'busy' WHERE account_id = $1", [accountId]);
  managerId = keyId;
  managers = baseUrls.map((baseUrl) => new HttpClient(baseUrl, key));
});

afterAll(async () => {
  for (const manager of managers) manager.close();
  await owner.close();
});

const at = (place: number): HttpClient => {
  const manager = managers[place % managers.length];
  if (!manager) throw new Error("there is no gateway");
  return manager;
};

/** The window of the key ends, as if its minute had passed. */
const endWindow = (keyId: string) =>
  owner.query(
    "UPDATE keys.rate_windows SET started_at = started_at - interval '1 minute' WHERE key_id = $1",
    [keyId],
  );

async function createKey(place: number): Promise<{ readonly id: string; readonly key: string }> {
  await endWindow(managerId);
  const { status, body } = await at(place).post("/v1/api-keys", { name: "in use" });
  expect(status).toBe(201);
  return body.data;
}

interface Use {
  readonly startedMs: number;
  status: number;
}

/** A key in steady use over all gateways until `stop`, with what became of every request. */
class Traffic {
  readonly uses: Use[] = [];
  readonly #answers: Promise<unknown>[] = [];
  readonly #id: string;
  readonly #clients: readonly HttpClient[];
  readonly #timer: NodeJS.Timeout;

  constructor({ id, key }: { readonly id: string; readonly key: string }) {
    this.#id = id;
    this.#clients = managers.map((manager) => manager.as(key));
    this.#timer = setInterval(() => this.#send(), BETWEEN_REQUESTS_MS);
  }

  #send(): void {
    if (this.uses.length % IN_A_WINDOW === 0) this.#answers.push(endWindow(this.#id));
    const client = this.#clients[this.uses.length % this.#clients.length];
    const use: Use = { startedMs: performance.now(), status: 0 };
    this.uses.push(use);
    if (client) this.#answers.push(this.#answer(client, use));
  }

  async #answer(client: HttpClient, use: Use): Promise<void> {
    use.status = (await client.get("/v1/events/evt_none")).status;
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await pause(BETWEEN_REQUESTS_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#answers);
  }
}

/** How many requests that started after the revocation were accepted, of how many. */
async function revokeInUse(place: number): Promise<{ accepted: number; late: number }> {
  const created = await createKey(place);
  const traffic = new Traffic(created);
  try {
    // 404 is the answer of a route that was reached: the key was accepted.
    const accepted = () => traffic.uses.filter(({ status }) => status === 404).length;
    await traffic.until(() => accepted() >= BEFORE);
    const { status } = await at(place + 1).delete(`/v1/api-keys/${created.id}`);
    const answeredMs = performance.now();
    expect(status).toBe(204);
    const isLate = ({ startedMs }: Use) => startedMs > answeredMs;
    await traffic.until(() => traffic.uses.filter(isLate).length >= AFTER);
    await traffic.stop();
    expect(traffic.uses.every((use) => use.status === 404 || use.status === 401)).toBe(true);
    const late = traffic.uses.filter(isLate);
    return { accepted: late.filter((use) => use.status !== 401).length, late: late.length };
  } finally {
    await traffic.stop();
  }
}

test(`no request that starts after DELETE was answered is accepted, over ${REVOCATIONS} revocations`, async () => {
  let next = 0;
  const results: Awaited<ReturnType<typeof revokeInUse>>[] = [];
  await Promise.all(
    Array.from({ length: KEYS_AT_A_TIME }, async () => {
      while (next < REVOCATIONS) results.push(await revokeInUse(next++));
    }),
  );
  expect(results).toHaveLength(REVOCATIONS);
  expect(results.filter(({ accepted }) => accepted > 0)).toEqual([]);
  expect(results.every(({ late }) => late >= AFTER)).toBe(true);
});

test(`a key that one gateway created works at once on the others, ${CREATIONS} of ${CREATIONS}`, async () => {
  let worked = 0;
  for (let n = 0; n < CREATIONS; n++) {
    const { key } = await createKey(n);
    const used = await Promise.all(
      [at(n + 1), at(n + 2)].map((on) => on.as(key).get("/v1/verify")),
    );
    if (used.every(({ status }) => status === 200)) worked += 1;
  }
  expect(worked).toBe(CREATIONS);
});
