// The monthly quota is exact: whatever ledgers append at the same time, an account stores as many events in
// a month of UTC as its plan allows and not one more; a request is stored or refused as a unit, a replay
// takes no quota, and a new month begins at zero.

import { ErrorKind } from "@annals/proto/errors";
import type { AppendOutcome } from "@annals/proto/ledger";
import { expect, test } from "vitest";
import { newLedgerDatabase } from "../testing/database.ts";
import { appendOf, openLedger, SetClock, type TestLedger } from "../testing/test-ledger.ts";

const ACCOUNT = "acct_1";
const CLOCK_TEXT = "2026-05-31T23:59:00.000000Z";
/** A clock behind within the tolerance. */
const BEHIND_TEXT = "2026-05-31T23:59:57.000000Z";
const NEXT_MONTH_TEXT = "2026-06-01T00:00:00.000000Z";

type Append = ReturnType<typeof appendOf>;

async function send(ledger: TestLedger, ...appends: Append[]): Promise<AppendOutcome[]> {
  const { outcomes } = await ledger.client.createEvents({ appends });
  return outcomes;
}

function casesOf(outcomes: readonly AppendOutcome[]): (string | undefined)[] {
  return outcomes.map(({ outcome }) => outcome.case);
}

test("of 600 appends at once over two ledgers a quota of 250 stores 250", async () => {
  const database = await newLedgerDatabase();
  const ledgers = [openLedger(database), openLedger(database)] as const;
  const asked = Array.from({ length: 600 }, (_, index) =>
    send(ledgers[index % 2] ?? ledgers[0], appendOf(ACCOUNT, 1, { monthlyQuota: 250n })),
  );
  const cases = casesOf((await Promise.all(asked)).flat());
  expect(cases.filter((each) => each === "stored")).toHaveLength(250);
  expect(cases.filter((each) => each === "refused")).toHaveLength(350);
  const [row] = await database.query("SELECT count(*)::int AS stored FROM ledger.events");
  expect(row).toEqual({ stored: 250 });
});

test("a batch is stored as a unit or not at all, and a smaller one after it still fits", async () => {
  const ledger = openLedger(await newLedgerDatabase(), new SetClock(CLOCK_TEXT));
  const quota = { monthlyQuota: 10n };
  const one = await send(
    ledger,
    appendOf(ACCOUNT, 6, quota),
    appendOf(ACCOUNT, 5, quota),
    appendOf(ACCOUNT, 4, quota),
    appendOf(ACCOUNT, 1, quota),
  );
  expect(casesOf(one)).toEqual(["stored", "refused", "stored", "refused"]);
  expect(one[1]?.outcome.value).toMatchObject({
    kind: ErrorKind.PLAN_QUOTA_EXCEEDED,
    message: "The plan allows 10 events per calendar month (UTC); 4 left in 2026-05.",
    retryAfterS: 60,
  });
  expect(one[3]?.outcome.value).toMatchObject({
    message: "The plan allows 10 events per calendar month (UTC); 0 left in 2026-05.",
  });
});

test("a quota of none refuses the first event of an account", async () => {
  const ledger = openLedger(await newLedgerDatabase());
  const outcomes = await send(ledger, appendOf(ACCOUNT, 1, { monthlyQuota: 0n }));
  expect(casesOf(outcomes)).toEqual(["refused"]);
  const { positions } = await ledger.client.getPositions({ accountIds: [ACCOUNT] });
  expect(positions[0]?.headSequenceNumber).toBe(0n);
});

test("a replay needs no room, also where this ledger believes to know the head", async () => {
  const database = await newLedgerDatabase();
  const ledgers = [openLedger(database), openLedger(database)] as const;
  const quota = { monthlyQuota: 2n };
  const kept = appendOf(ACCOUNT, 2, { ...quota, idempotencyKey: "k" });
  expect(casesOf(await send(ledgers[0], kept))).toEqual(["stored"]);
  for (const ledger of ledgers) {
    // Full: each time the same ledger is asked twice, so that its cached head is right.
    for (let i = 0; i < 2; i++) {
      const outcomes = await send(ledger, kept, appendOf(ACCOUNT, 1, quota));
      expect(casesOf(outcomes)).toEqual(["replayed", "refused"]);
    }
  }
});

test("a new month begins at zero, once, and a clock behind does not begin the old one again", async () => {
  const database = await newLedgerDatabase();
  const [early, late] = [new SetClock(BEHIND_TEXT), new SetClock(BEHIND_TEXT)];
  const [behind, ahead] = [openLedger(database, early), openLedger(database, late)];
  const three = appendOf(ACCOUNT, 3, { monthlyQuota: 4n });
  const one = appendOf(ACCOUNT, 1, { monthlyQuota: 4n });
  expect(casesOf(await send(ahead, three))).toEqual(["stored"]);
  expect(casesOf(await send(ahead, three))).toEqual(["refused"]);
  late.text = NEXT_MONTH_TEXT;
  expect(casesOf(await send(ahead, three))).toEqual(["stored"]);
  // One of the new month is left. The other ledger's clock still says the month before, in which one was
  // left, too.
  expect(casesOf(await send(behind, one))).toEqual(["stored"]);
  expect(casesOf(await send(behind, one))).toEqual(["refused"]);
  expect(casesOf(await send(ahead, one))).toEqual(["refused"]);
  const [row] = await database.query("SELECT created_at, month_start::int FROM ledger.heads");
  expect(row).toEqual({ created_at: NEXT_MONTH_TEXT, month_start: 3 });
});

test("what was stored without a quota counts when a plan is given later in the month", async () => {
  const ledger = openLedger(await newLedgerDatabase());
  expect(casesOf(await send(ledger, appendOf(ACCOUNT, 8)))).toEqual(["stored"]);
  const quota = { monthlyQuota: 9n };
  const later = await send(ledger, appendOf(ACCOUNT, 2, quota), appendOf(ACCOUNT, 1, quota));
  expect(casesOf(later)).toEqual(["refused", "stored"]);
  // An account whose plan has no quota may store any number.
  expect(casesOf(await send(ledger, appendOf(ACCOUNT, 50)))).toEqual(["stored"]);
});

test("accounts do not use up each other's events", async () => {
  const ledger = openLedger(await newLedgerDatabase());
  const quota = { monthlyQuota: 1n };
  const outcomes = await send(
    ledger,
    appendOf("acct_a", 1, quota),
    appendOf("acct_b", 1, quota),
    appendOf("acct_a", 1, quota),
  );
  expect(casesOf(outcomes)).toEqual(["stored", "stored", "refused"]);
});
