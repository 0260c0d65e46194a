// Guarantee: the newest record of an erasure behind a number is found by its own page, and none before it is
// read. A page that ends within its budget goes on, and a call that breaks is repeated.

import { AnnalsError } from "@annals/errors";
import { expect, test } from "vitest";
import { newestErasure } from "./newest-erasure.ts";

type Ledger = Parameters<typeof newestErasure>[0];

const NEVER = new AbortController().signal;
const BEHIND = { accountId: "acct_1", afterSequence: 10n };
const RECORD = { sequenceNumber: 40n, hash: "h40", previousHash: "h39" };

/** A ledger that answers with these pages, and what it was asked for. */
function ledgerOf(pages: readonly (Error | object)[]) {
  const asked: unknown[] = [];
  const left = [...pages];
  const listEvents = async ({ filter, ...request }: { filter: object }) => {
    asked.push({ ...filter, ...request });
    const page = left.shift();
    if (page instanceof Error) throw page;
    return page;
  };
  return { asked, ledger: { listEvents } as unknown as Ledger };
}

test("one page has it", async () => {
  const { asked, ledger } = ledgerOf([{ events: [{ ...RECORD, metadata: "{}" }], nextAfter: 40n }]);
  expect(await newestErasure(ledger, BEHIND, NEVER)).toEqual(RECORD);
  expect(asked).toMatchObject([
    {
      accountId: "acct_1",
      actions: ["annals.erasure"],
      afterSequence: 10n,
      ascending: false,
      limit: 1,
    },
  ]);
});

test("a page without an event goes on where its budget was spent", async () => {
  const pages = [{ events: [], nextAfter: 50n }, { events: [RECORD] }];
  const { asked, ledger } = ledgerOf(pages);
  expect(await newestErasure(ledger, BEHIND, NEVER)).toEqual(RECORD);
  expect(asked[1]).toMatchObject({ afterSequence: 10n, beforeSequence: 50n });
});

test("an empty last page means that no event matches", async () => {
  const { asked, ledger } = ledgerOf([{ events: [], nextAfter: 50n }, { events: [] }]);
  expect(await newestErasure(ledger, BEHIND, NEVER)).toBeUndefined();
  expect(asked).toHaveLength(2);
});

test("a call that breaks is repeated, and any other failure is not", async () => {
  const broken = new AnnalsError("unavailable", "draining");
  const { ledger } = ledgerOf([broken, { events: [RECORD] }]);
  expect(await newestErasure(ledger, BEHIND, NEVER)).toEqual(RECORD);
  const refused = new AnnalsError("invalid", "no");
  const failing = ledgerOf([refused]);
  await expect(newestErasure(failing.ledger, BEHIND, NEVER)).rejects.toBe(refused);
  expect(failing.asked).toHaveLength(1);
});
