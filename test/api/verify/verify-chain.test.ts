// GET /v1/verify recomputes the chain of the caller's account, or a range of it, and says what it
// looked at (interface 7). That every kind of tampering is found is shown
// in flows/tampering.

import { HttpClient, newAccount, ownerOf, type TestAccount } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

const { baseUrl, databaseUrl } = inject("stack");
const owner = ownerOf(databaseUrl);
const EVENTS = 1_203;
const GENESIS = "0".repeat(64);
let account: TestAccount;
let client: HttpClient;
let hashes: string[];

/** An account with a chain of some events, and a client of it. */
async function chainOf(events: number) {
  const made = await newAccount(databaseUrl);
  const own = new HttpClient(baseUrl, made.key);
  const stored: string[] = [];
  for (let rest = events; rest > 0; rest -= 1_000) {
    const batch = Array.from({ length: Math.min(rest, 1_000) }, (_, n) => ({ action: `a.${n}` }));
    const { body } = await own.post("/v1/events/batch", { events: batch });
    stored.push(...body.data.map(({ hash }: { hash: string }) => hash));
  }
  return { account: made, client: own, hashes: stored };
}

async function appendUntil(signal: AbortSignal, own: HttpClient): Promise<void> {
  while (!signal.aborted) await own.post("/v1/events", { action: "more" });
}

beforeAll(async () => {
  ({ account, client, hashes } = await chainOf(EVENTS));
});

afterAll(() => owner.close());

describe("200", () => {
  test("the whole chain", async () => {
    const { status, body } = await client.get("/v1/verify");
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        valid: true,
        checked: EVENTS,
        from_sequence: 1,
        to_sequence: EVENTS,
        erased: 0,
        retained_from: 1,
        head: { sequence_number: EVENTS, hash: hashes.at(-1) },
        first_invalid: null,
        // The first epoch of a stack may have come before its events or after them.
        covered: expect.toSatisfy(
          (covered: unknown) => covered === null || typeof covered === "object",
        ),
        verified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      },
    });
  });

  test("an empty chain", async () => {
    const empty = client.as((await newAccount(databaseUrl)).key);
    const { status, body } = await empty.get("/v1/verify");
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      valid: true,
      checked: 0,
      from_sequence: 1,
      to_sequence: 0,
      head: { sequence_number: 0, hash: GENESIS },
      first_invalid: null,
    });
  });

  test.each([
    ["from_sequence=1&to_sequence=1", 1, 1],
    ["from_sequence=2", 2, EVENTS],
    ["to_sequence=500", 1, 500],
    ["from_sequence=500&to_sequence=501", 500, 501],
    [`from_sequence=${EVENTS}`, EVENTS, EVENTS],
    [`from_sequence=1&to_sequence=${EVENTS}`, 1, EVENTS],
  ])("the range %s", async (query, from, to) => {
    const { status, body } = await client.get(`/v1/verify?${query}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      valid: true,
      from_sequence: from,
      to_sequence: to,
      checked: to - from + 1,
    });
    expect(body.data.head).toEqual({ sequence_number: EVENTS, hash: hashes.at(-1) });
  });

  test("a broken chain is an answer; ranges before and after the break are valid", async () => {
    const broken = await chainOf(20);
    const neighbour = await chainOf(20);
    await owner.query(
      "UPDATE ledger.events SET action = 'b' WHERE account_id = $1 AND sequence_number = 7",
      [broken.account.accountId],
    );
    const { status, body } = await broken.client.get("/v1/verify");
    expect(status).toBe(200);
    const { data: events } = (await broken.client.get("/v1/events?order=asc")).body;
    expect(body.data).toMatchObject({
      valid: false,
      checked: 7,
      first_invalid: { sequence_number: 7, event_id: events[6].id, reason: "hash_mismatch" },
    });
    for (const [query, valid] of [
      ["to_sequence=6", true],
      ["from_sequence=8", true],
      ["from_sequence=7&to_sequence=7", false],
      ["from_sequence=5&to_sequence=9", false],
    ] as const) {
      expect((await broken.client.get(`/v1/verify?${query}`)).body.data).toMatchObject({ valid });
    }
    expect((await neighbour.client.get("/v1/verify")).body.data).toMatchObject({
      valid: true,
      checked: 20,
    });
    expect((await client.get("/v1/verify")).body.data.valid).toBe(true);
    expect(account.accountId).not.toBe(broken.account.accountId);
  });

  test("while appends go on", async () => {
    const { client: busy } = await chainOf(500);
    const appends = new AbortController();
    const appending = appendUntil(appends.signal, busy);
    for (let times = 0; times < 10; times += 1) {
      const { data } = (await busy.get("/v1/verify")).body;
      expect(data).toMatchObject({ valid: true, checked: data.head.sequence_number });
    }
    appends.abort();
    await appending;
  });
});

describe("422", () => {
  test.each([
    ["from_sequence=0", "from_sequence"],
    ["from_sequence=-1", "from_sequence"],
    ["from_sequence=x", "from_sequence"],
    ["from_sequence=1.5", "from_sequence"],
    ["from_sequence=", "from_sequence"],
    [`from_sequence=${EVENTS + 1}`, "from_sequence"],
    ["from_sequence=9007199254740992", "from_sequence"],
    ["to_sequence=0", "to_sequence"],
    [`to_sequence=${EVENTS + 1}`, "to_sequence"],
    ["from_sequence=10&to_sequence=9", "to_sequence"],
    ["from_sequence=1&from_sequence=2", "from_sequence"],
    ["full=true", "full"],
    ["limit=1", "limit"],
  ])("%s", async (query, field) => {
    const { status, body } = await client.get(`/v1/verify?${query}`);
    expect(status).toBe(422);
    expect(body.error.type).toBe("validation_error");
    expect(body.error.details[0].field).toBe(field);
  });

  test("a range of an empty chain", async () => {
    const empty = client.as((await newAccount(databaseUrl)).key);
    expect((await empty.get("/v1/verify?from_sequence=1")).status).toBe(422);
    expect((await empty.get("/v1/verify?to_sequence=1")).status).toBe(422);
  });
});
