// Guarantees: events are read by their numbers, in order, without those that the chain does not have, until
// an answer has 1 MiB of parts; a caller that asks again for the rest gets it. Their sizes are told without
// reading them, one for each number.

import { expect, test } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { appendOf, eventOf, eventsJsonOf, openLedger } from "../../testing/test-ledger.ts";

const LARGE = 40;
const SMALL = 20;
const LARGE_TEXT = "ä".repeat(25_000);

async function begin() {
  const { client } = openLedger(await newLedgerDatabase());
  const accountId = newAccountId();
  const large = appendOf(accountId);
  const event = eventOf({ context: { text: LARGE_TEXT } });
  const eventsJson = eventsJsonOf(Array.from({ length: LARGE }, () => event));
  for (const append of [{ ...large, eventsJson }, appendOf(accountId, SMALL)])
    await client.createEvents({ appends: [append] });
  const read = async (sequenceNumbers: readonly bigint[], account = accountId) => {
    const request = { accountId: account, sequenceNumbers: [...sequenceNumbers] };
    const { events: found, hasMore } = await client.readEvents(request);
    return { numbers: found.map(({ sequenceNumber }) => sequenceNumber), found, hasMore };
  };
  return { accountId, client, read };
}

test("by their numbers, in order; unknown ones and those of other accounts are left out", async () => {
  const { accountId, client, read } = await begin();
  const numbers = [2n, 41n, 60n];
  expect(await read([...numbers, 61n, 999n])).toMatchObject({ numbers, hasMore: false });
  expect(await read(numbers, newAccountId())).toMatchObject({ numbers: [], hasMore: false });
  const { found } = await read([41n]);
  const { events } = await client.listEvents({
    accountId,
    filter: { afterSequence: 40n },
    ascending: true,
    limit: 1,
  });
  expect(found).toEqual(events);
});

test("an answer ends by its bytes, and the rest comes with the next", async () => {
  const { read } = await begin();
  const all = Array.from({ length: LARGE + SMALL }, (_, index) => BigInt(index + 1));
  const first = await read(all);
  // 50 KB each: the one that reaches 1 MiB is the last.
  expect(first).toMatchObject({ numbers: all.slice(0, 21), hasMore: true });
  const second = await read(all.slice(21));
  expect(second).toMatchObject({ numbers: all.slice(21), hasMore: false });
});

test("sizes without content, in bytes", async () => {
  const { accountId, client } = await begin();
  const measured = async (afterSequence: bigint, limit: number) =>
    (await client.measureEvents({ accountId, afterSequence, limit })).bytes;
  const sizes = await measured(0n, 1_000);
  expect(sizes).toHaveLength(LARGE + SMALL);
  for (const size of sizes.slice(0, LARGE)) expect(size).toBeGreaterThan(50_000);
  for (const size of sizes.slice(LARGE)) expect(size).toBeLessThan(1_000);
  expect(await measured(58n, 10)).toEqual(sizes.slice(58));
  expect(await measured(60n, 10)).toEqual([]);
});

test("sizes with what filters read, where they are asked for", async () => {
  const { accountId, client } = await begin();
  const event = eventOf({
    action: "user.login",
    actor: { id: "ada", type: "user" },
    target: { id: "s_1" },
  });
  await client.createEvents({
    appends: [{ ...appendOf(accountId), eventsJson: eventsJsonOf([event]) }],
  });
  const request = { accountId, afterSequence: BigInt(LARGE + SMALL - 1), limit: 2 };
  const { bytes, values } = await client.measureEvents({ ...request, includeValues: true });
  expect(values).toHaveLength(bytes.length);
  expect(values.at(-1)).toMatchObject({
    action: "user.login",
    actorId: "ada",
    actorType: "user",
    targetId: "s_1",
  });
  expect(values.at(-1)?.targetType).toBeUndefined();
  expect((await client.measureEvents(request)).values).toEqual([]);
});

test("sizes with the values of fields, in the order of their bytes, until they have read 1 MiB", async () => {
  const { accountId, client } = await begin();
  const context = { text: ["b", "\u{1F600}", "\uffff", "B", { text: "c" }], ip: "::ffff:10.0.0.1" };
  await client.createEvents({
    appends: [{ ...appendOf(accountId), eventsJson: eventsJsonOf([eventOf({ context })]) }],
  });
  const fields = [
    { path: ["context", "text"], type: "string", ignoreCase: true },
    { path: ["context", "ip"], type: "ip" },
    { path: ["diff", "after", "none"], type: "string" },
  ];
  const measured = (after: number, given: object[] = fields, includeValues = true) => {
    const request = { accountId, afterSequence: BigInt(after), limit: 100, includeValues };
    return client.measureEvents({ ...request, fields: given });
  };
  const { values } = await measured(LARGE + SMALL);
  const keys = [["b", "\uffff", "\u{1F600}"], ["40a000001"], []];
  expect(values[0]?.fields.map((each) => each.keys)).toEqual(keys);
  expect((await measured(0)).bytes).toHaveLength(21);
  expect((await measured(21)).bytes).toHaveLength(LARGE - 21 + SMALL + 1);
  expect((await measured(0, fields, false)).bytes).toHaveLength(LARGE + SMALL + 1);
  await expect(measured(0, Array(17).fill(fields[0]))).rejects.toThrow("fields: must have at most");
});

test.each([[[]], [Array.from({ length: 1_001 }, (_, index) => BigInt(index + 1))]])(
  "no numbers, and more than 1,000, are refused",
  async (numbers) => {
    const { read } = await begin();
    await expect(read(numbers)).rejects.toThrow("sequence_numbers: must be from 1 to 1000");
  },
);

test.each([0, 1_001])("a limit of %i is refused", async (limit) => {
  const { accountId, client } = await begin();
  const refused = client.measureEvents({ accountId, afterSequence: 0n, limit });
  await expect(refused).rejects.toThrow("limit: must be from 1 to 1000");
});
