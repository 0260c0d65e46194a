// Guarantees: a bundle has each event that matches its filter and each event of the service itself, once and
// in their order, wherever pages end. The ledger is a fake.

import { StreamEventsResponseSchema } from "@annals/proto/ledger";
import { type EventFilter, EventFilterSchema } from "@annals/proto/ledger";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { readBundleEvents } from "./read-bundle-events.ts";
import type { readEvents } from "./read-events.ts";

type Ledger = Parameters<typeof readEvents>[0];

const PAGE = 3;
const line = (n: number) =>
  `{"event":{"id":"evt_${n}","sequence_number":${n},"action":"é"},"proof":{}}\n`;

/** Streams these numbers for the client's filter, and those for the events of the service. */
function ledgerOf(matches: readonly number[], own: readonly number[]) {
  const asked: (EventFilter | undefined)[] = [];
  const streamEvents = async function* ({ filter }: { filter?: EventFilter }) {
    asked.push(filter);
    const numbers = filter?.actionPrefixes[0] === "annals." ? own : matches;
    for (let at = 0; at < numbers.length; at += PAGE) {
      const page = numbers.slice(at, at + PAGE);
      const place = { sequenceNumber: BigInt(page.at(-1) ?? 0), hash: "h", previousHash: "h" };
      const text = Buffer.from(page.map(line).join(""));
      yield create(StreamEventsResponseSchema, {
        text,
        count: page.length,
        first: place,
        last: place,
      });
    }
  };
  return { asked, ledger: { streamEvents } as unknown as Ledger };
}

async function read(ledger: Ledger, filter: MessageInitShape<typeof EventFilterSchema>) {
  const selection = { accountId: "acct_1", filter: create(EventFilterSchema, filter) };
  let [text, count] = ["", 0];
  for await (const page of readBundleEvents(ledger, selection, new AbortController().signal)) {
    text += Buffer.from(page.text).toString();
    count += page.count;
  }
  return { text, count };
}

test.each([
  { matches: [1, 4, 5, 9, 12], own: [4, 7, 8, 9, 15, 16] },
  { matches: [], own: [1, 2, 3, 4] },
  { matches: [1, 2, 3, 4], own: [] },
  { matches: [7], own: [7] },
])("$matches and $own", async ({ matches, own }) => {
  const { asked, ledger } = ledgerOf(matches, own);
  const all = [...new Set([...matches, ...own])].toSorted((one, other) => one - other);
  const range = { afterSequence: 0n, beforeSequence: 20n };
  const received = { receivedFrom: "2026-01-31T09:30:00.000000Z" };
  const fields = [{ name: "n", path: ["context", "n"], type: "string", values: ["a"] }];
  const others = [{ fields }, { not: { actorIds: ["x"] } }, { texts: ["abc"] }];
  for (const filter of [{ actorIds: ["x", "y"] }, { actionPrefixes: [""] }, received, ...others])
    expect(await read(ledger, { ...filter, ...range })).toEqual({
      text: all.map(line).join(""),
      count: all.length,
    });
  expect(asked.find((filter) => filter?.actionPrefixes[0] === "annals.")).toMatchObject({
    actions: [],
    ...range,
  });
});

test("a range alone is read once", async () => {
  const { asked, ledger } = ledgerOf([1, 2, 3, 4], [2]);
  expect((await read(ledger, { beforeSequence: 5n })).count).toBe(4);
  expect(asked).toHaveLength(1);
});
