// Guarantees: accounts that append at the same time share a call, and nothing else. Each has its outcome as
// soon as the ledger has sent it, and keeps it when the call fails later. No append that may have been stored
// is sent again.

import { createLog } from "@annals/chassis";
import { invalid, toProtoError } from "@annals/errors";
import { HASH_HEX_LENGTH, ID_LENGTH, PLACES_PER_EVENT } from "@annals/event";
import { type Access, connectRpc, startRpcServer } from "@annals/rpc";
import { type Append, LedgerService } from "@annals/proto/ledger";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { type Appended, EventAppends } from "./event-appends.ts";

const TIME = "2026-01-31T09:30:00.000000Z";
const ACCOUNTS = ["acct_a", "acct_b", "acct_c", "acct_d"];
/** More than the bound of a shared call. */
const LARGE_BYTES = 70_000;

/** In plaintext every call is allowed all the same. */
const NOBODY_MAY = Object.fromEntries(
  LedgerService.methods.map(({ localName }) => [localName, {}]),
) as Access<typeof LedgerService>;

type AppendEvents = ServiceImpl<typeof LedgerService>["appendEvents"];

/** Stores what it is asked for. */
const answerAll: AppendEvents = async function* ({ appends }) {
  yield { outcomes: appends.map((append, index) => ({ index, outcome: stored(append) })) };
};

/** A gateway's appends to a ledger behind a real server, and the accounts of each of its calls. */
async function open(
  appendEvents: AppendEvents,
  timeoutMs = 10_000,
  addressFor: (accountId: string) => string | undefined = () => undefined,
) {
  const calls = { appendEvents: [] as string[][], createEvents: [] as string[][] };
  const namesOf = (appends: readonly Append[]) => appends.map(({ accountId }) => accountId);
  const server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    routes: (router) =>
      router.service(LedgerService, {
        createEvents: ({ appends }) => {
          calls.createEvents.push(namesOf(appends));
          return { outcomes: appends.map(stored) };
        },
        appendEvents: (asked, context) => {
          calls.appendEvents.push(namesOf(asked.appends));
          return appendEvents(asked, context);
        },
      }),
    service: LedgerService,
    tls: "plaintext",
    access: NOBODY_MAY,
    refused: { inc: () => {} },
    log: createLog({ service: "test", level: "error" }, { write: () => {} }),
    isReady: () => true,
    drainDelayMs: 0,
  });
  onTestFinished(() => server.close({ graceMs: 0 }));
  const rpc = connectRpc({
    address: server.address,
    service: LedgerService,
    peer: "ledger",
    stopping: undefined,
    tls: "plaintext",
    timeoutMs,
  });
  onTestFinished(() => rpc.close());
  const appends = new EventAppends(rpc.client, undefined, { addressFor });
  const append = (accountId: string, bytes = 1) => appends.append(request(accountId, bytes));
  return { append, calls, server };
}

/** Each id is the account's. */
function stored({ accountId }: Append) {
  const value = {
    firstSequenceNumber: 1n,
    createdAt: TIME,
    packedIds: Buffer.from(accountId.padEnd(ID_LENGTH)),
    packedHashes: Buffer.alloc(2 * HASH_HEX_LENGTH),
  };
  return { outcome: { case: "stored" as const, value } };
}

function request(accountId: string, bytes: number) {
  return {
    accountId,
    receivedAt: TIME,
    idempotencyKey: "",
    statement: "admission",
    requestSha256: new Uint8Array(32),
    events: {
      bytes: Buffer.alloc(bytes, " "),
      count: 1,
      places: new Int32Array(PLACES_PER_EVENT),
      occurredAts: [undefined],
    },
  };
}

const accountsOf = (answers: readonly Appended[]) =>
  answers.map((answer) => {
    if (answer.replayed) return expect.unreachable();
    return Buffer.from(answer.receipt.packedIds).toString().trimEnd();
  });

test("accounts that append at the same time share a call, and each has its own outcomes", async () => {
  const { append, calls } = await open(async function* ({ appends }) {
    const all = appends.map((one, index) => ({ index, outcome: stored(one) }));
    yield { outcomes: all.slice(2).toReversed() };
    yield { outcomes: all.slice(0, 2) };
  });
  const accounts = ["acct_a", "acct_b", ...ACCOUNTS.slice(1)];
  const answers = await Promise.all(accounts.map((each) => append(each)));
  expect(accountsOf(answers)).toEqual(accounts);
  expect(calls).toEqual({ appendEvents: [accounts], createEvents: [] });
});

test("an account that appends with few others, or much, has a call of its own", async () => {
  const { append, calls } = await open(answerAll);
  await Promise.all(ACCOUNTS.slice(1).map((each) => append(each)));
  expect(calls.createEvents).toHaveLength(3);
  expect(calls.createEvents).toEqual(expect.arrayContaining([["acct_b"], ["acct_c"], ["acct_d"]]));
  await Promise.all([append("acct_large", LARGE_BYTES), ...ACCOUNTS.map((each) => append(each))]);
  expect(calls.createEvents.slice(3)).toEqual([["acct_large"]]);
  expect(calls.appendEvents).toEqual([ACCOUNTS]);
});

test("a shared call is bounded in bytes", async () => {
  const { append, calls } = await open(answerAll);
  const accounts = Array.from({ length: 10 }, (_, n) => `acct_${n}`);
  await Promise.all(accounts.map((each) => append(each, LARGE_BYTES / 6)));
  expect(calls.appendEvents).toEqual([accounts.slice(0, 5), accounts.slice(5)]);
});

test("accounts of several ledgers share a call with those of the same ledger only", async () => {
  const ledgerOf = (accountId: string) => (accountId < "acct_4" ? "first" : "second");
  const { append, calls } = await open(answerAll, undefined, ledgerOf);
  const accounts = Array.from({ length: 8 }, (_, n) => `acct_${(n * 3) % 8}`);
  await Promise.all(accounts.map((each) => append(each)));
  const of = (ledger: string) => accounts.filter((each) => ledgerOf(each) === ledger);
  expect(calls).toEqual({ appendEvents: [of("first"), of("second")], createEvents: [] });
});

test("an outcome does not wait for that of another account", async () => {
  const others = Promise.withResolvers<void>();
  const { append } = await open(async function* ({ appends: [first, ...rest] }) {
    yield { outcomes: rest.map((one, index) => ({ index: index + 1, outcome: stored(one) })) };
    await others.promise;
    yield { outcomes: [{ index: 0, outcome: stored(first!) }] };
  });
  const [first, ...rest] = ACCOUNTS.map((each) => append(each));
  expect(accountsOf(await Promise.all(rest))).toEqual(["acct_b", "acct_c", "acct_d"]);
  others.resolve();
  expect(accountsOf([await first!])).toEqual(["acct_a"]);
});

test("a refused append does not affect the others", async () => {
  const refused = toProtoError(invalid({ field: "events", message: "is wrong" }));
  const { append } = await open(async function* ({ appends }) {
    yield {
      outcomes: appends.map((one, index) => ({
        index,
        outcome: index === 1 ? { outcome: { case: "refused", value: refused } } : stored(one),
      })),
    };
  });
  expect(await Promise.allSettled(ACCOUNTS.map((each) => append(each)))).toMatchObject([
    { status: "fulfilled" },
    { reason: { kind: "invalid", message: "events: is wrong" } },
    { status: "fulfilled" },
    { status: "fulfilled" },
  ]);
});

test("an append that is answered without an outcome fails alone", async () => {
  const { append } = await open(async function* ({ appends }) {
    const all = appends.map((one, index) => ({ index, outcome: stored(one) }));
    yield { outcomes: [...all.slice(0, 3), { index: 3 }] };
  });
  expect(await Promise.allSettled(ACCOUNTS.map((each) => append(each)))).toMatchObject([
    { status: "fulfilled" },
    { status: "fulfilled" },
    { status: "fulfilled" },
    { reason: { kind: "internal", message: "the ledger returned no outcome for an append" } },
  ]);
});

test.each([
  ["its connection is lost", "unavailable", 10_000],
  ["its deadline passes", "unavailable", 300],
  ["the ledger fails", "internal", 10_000],
  ["it ends early", "internal", 10_000],
])(
  "outcomes that came before a call fails are kept, and nothing is sent again: %s",
  async (failure, kind, timeoutMs) => {
    const over = Promise.withResolvers<void>();
    const { append, calls, server } = await open(async function* ({ appends: [first] }) {
      yield { outcomes: [{ index: 0, outcome: stored(first!) }] };
      if (failure.startsWith("it ends")) return;
      if (failure.endsWith("fails")) throw new ConnectError("broken", Code.Internal);
      await over.promise;
    }, timeoutMs);
    onTestFinished(() => over.resolve());
    const [first, ...others] = ACCOUNTS.map((each) => append(each));
    const settled = Promise.allSettled(others);
    expect(accountsOf([await first!])).toEqual(["acct_a"]);
    if (failure.endsWith("lost")) void server.close({ graceMs: 0 });
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ reason: { name: "AnnalsError", kind } });
    }
    expect(calls).toEqual({ appendEvents: [ACCOUNTS], createEvents: [] });
  },
);
