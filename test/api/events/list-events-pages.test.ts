// The pages of a list, one after the other, hold each event that was there when the walk began
// exactly once, in order, while others append; a cursor that belongs to another list is refused
// (docs/interface.md).

import { HttpClient, newAccount, type TestAccount } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";

const { baseUrl, databaseUrl } = inject("stack");
const EVENTS = 250;
let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    action: n % 3 === 0 ? "third" : "other",
  }));
  await client.post("/v1/events/batch", { events });
});

/** Follows the cursors from the first page to the last; `between` runs before each page but the first. */
async function walk(query: string, between?: () => Promise<unknown>): Promise<number[]> {
  const numbers: number[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/v1/events?${query}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body } = await client.get(path);
    expect(status).toBe(200);
    expect(body.has_more).toBe(body.next_cursor !== null);
    numbers.push(...body.data.map((event: { sequence_number: number }) => event.sequence_number));
    cursor = body.next_cursor;
    if (cursor !== null) await between?.();
  } while (cursor !== null);
  return numbers;
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
const append = () => client.post("/v1/events", { action: "third" });

describe("200", () => {
  test.each([1, 7, 50, 100])("newest first by pages of %d", async (limit) => {
    const from = limit === 1 ? "&after_sequence=220" : "";
    expect(await walk(`limit=${limit}${from}`)).toEqual(
      upTo(EVENTS)
        .toReversed()
        .filter((number) => from === "" || number > 220),
    );
  });

  test("oldest first", async () => {
    expect(await walk("limit=30&order=asc")).toEqual(upTo(EVENTS));
  });

  test("a number of events that fills the last page exactly has no page after it", async () => {
    expect(await walk("limit=50")).toHaveLength(EVENTS);
    const { body } = await client.get(`/v1/events?limit=100&after_sequence=${EVENTS - 100}`);
    expect(body).toMatchObject({ has_more: false, next_cursor: null });
  });

  test("while appends go on: newest first none of them appears, oldest first all of them do", async () => {
    expect(await walk("limit=20", append)).toEqual(upTo(EVENTS).toReversed());
    const [head] = (await client.get("/v1/events?limit=1")).body.data;
    let appended = 0;
    const all = await walk("limit=20&order=asc", async () => {
      if (appended < 10) await append();
      appended += 1;
    });
    expect(all).toEqual(upTo(head.sequence_number + 10));
  });

  test("with filters and bounds", async () => {
    const thirds = upTo(EVENTS).filter((number) => number % 3 === 1);
    expect(await walk("limit=9&action=third")).toEqual(thirds.toReversed());
    expect(
      await walk("limit=9&action=third&order=asc&after_sequence=30&before_sequence=200"),
    ).toEqual(thirds.filter((number) => number > 30 && number < 200));
    expect(await walk("limit=9&action=th*&before_sequence=100&after_sequence=5")).toEqual(
      thirds.filter((number) => number > 5 && number < 100).toReversed(),
    );
  });

  test("the size of the page and what is shown may change on the way", async () => {
    const { body } = await client.get("/v1/events?limit=10");
    const { status, body: next } = await client.get(
      `/v1/events?limit=3&include=proof&cursor=${body.next_cursor}`,
    );
    expect(status).toBe(200);
    expect(next.data[0].sequence_number).toBe(EVENTS - 10);
    expect(next.proofs).toHaveLength(3);
  });

  test("values of a filter may come in another order, and more than once", async () => {
    const first = "limit=9&action=third&action=th*&action=none";
    const { body } = await client.get(`/v1/events?${first}`);
    for (const query of [
      "action=none&action=th*&action=third",
      "action=th*&action=none&action=third&action=none",
    ]) {
      const next = await client.get(`/v1/events?limit=9&${query}&cursor=${body.next_cursor}`);
      expect(next.status).toBe(200);
      expect(next.body.data[0].sequence_number).toBe(body.data.at(-1).sequence_number - 3);
    }
    expect(await walk("limit=9&action=third&action=other")).toEqual(upTo(EVENTS).toReversed());
  });

  test("a cursor means the same in another account only to that account", async () => {
    const { body } = await client.get("/v1/events?limit=10");
    const other = client.as((await newAccount(databaseUrl)).key);
    const answer = await other.get(`/v1/events?cursor=${body.next_cursor}`);
    expect(answer.body.data).toEqual([]);
  });
});

describe("422", () => {
  test.each([
    ["order=asc", ""],
    ["action=other", "action=third"],
    ["", "action=third"],
    ["action=third", ""],
    ["actor_id=third", "action=third"],
    ["action=third&after_sequence=1", "action=third"],
    ["action=third&action=other", "action=third"],
    ["action=third", "action=third&action=other"],
    ["received_from=2020-01-01T00:00:00Z", ""],
    ["occurred_from=2020-01-01T00:00:00Z", ""],
  ])("%j with the cursor of %j", async (other, first) => {
    const { body } = await client.get(`/v1/events?limit=5&${first}`);
    const answer = await client.get(`/v1/events?limit=5&${other}&cursor=${body.next_cursor}`);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details[0].field).toBe("cursor");
    expect(answer.body.error.message).toContain("other filters");
  });

  test.each([
    "x",
    "",
    "null",
    "1",
    "%00",
    "MS4x",
    "eyJpZCI6MX0",
    "MS45OTk5OTk5OTk5OTk5OTk5OTk5LmFiYw",
    "x".repeat(257),
  ])("the cursor %j", async (cursor) => {
    const { status, body } = await client.get(`/v1/events?cursor=${cursor}`);
    expect(status).toBe(422);
    expect(body.error.details[0].field).toBe("cursor");
  });
});
