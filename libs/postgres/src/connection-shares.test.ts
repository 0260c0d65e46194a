// Guarantees: no account has more than half of the connections of accounts, nor the last free one unless it
// has none; the service's own work always finds some; accounts take turns; a wait ends with its signal, after
// its time, and at once for the one after a thousand of an account, one beyond its 16 MiB, or one beyond the
// 64 MiB of all accounts. What waits no longer counts no longer.

import { describe, expect, it, test } from "vitest";
import { ConnectionShares, NO_ACCOUNT } from "./connection-shares.ts";
import { parameterBytes } from "./statement.ts";

const WAIT_MS = 10_000;

/** Takes until nothing more is given at once; what was refused waits no longer. */
function takeAll(shares: ConnectionShares, account: string): number {
  for (let taken = 0; ; taken += 1) {
    const left = new AbortController();
    const waiting = shares.take(account, left.signal);
    if (waiting === undefined) continue;
    waiting.catch(() => {});
    left.abort();
    return taken;
  }
}

describe.each([
  // total, then what four accounts get one after the other, then what is left for the service
  [1, [1, 0, 0, 0], 0],
  [2, [1, 1, 0, 0], 0],
  [3, [1, 1, 0, 0], 1],
  [5, [2, 1, 1, 0], 1],
  [10, [4, 2, 1, 1], 2],
  [40, [16, 8, 4, 2], 10],
])("of %i connections", (total, byAccount, own) => {
  it("gives each account its share, and keeps some for the service", () => {
    const shares = new ConnectionShares({ total, waitMs: WAIT_MS });
    expect(["a", "b", "c", "d"].map((account) => takeAll(shares, account))).toEqual(byAccount);
    expect(takeAll(shares, NO_ACCOUNT)).toBe(own);
    expect(shares.waiting).toBe(0);
  });

  it("gives the service all while no account wants one", () => {
    const shares = new ConnectionShares({ total, waitMs: WAIT_MS });
    expect(takeAll(shares, NO_ACCOUNT)).toBe(total);
  });
});

test("accounts and the service take turns, even if one came first with many", async () => {
  const shares = new ConnectionShares({ total: 1, waitMs: WAIT_MS });
  void shares.take("a");
  const order: string[] = [];
  const wait = async (account: string): Promise<void> => {
    await shares.take(account);
    order.push(account);
    shares.release(account);
  };
  const all = ["a", "a", "a", "b", "b", NO_ACCOUNT].map(wait);
  expect(shares.waiting).toBe(6);
  shares.release("a");
  await Promise.all(all);
  expect(order).toEqual(["a", "b", NO_ACCOUNT, "a", "b", "a"]);
  expect(shares.waiting).toBe(0);
});

test("an account at its share does not hold up those behind it", async () => {
  const shares = new ConnectionShares({ total: 5, waitMs: WAIT_MS });
  expect(takeAll(shares, "a")).toBe(2);
  const waiting = shares.take("a");
  expect([shares.waiting, shares.pending]).toEqual([1, 0]);
  expect(shares.take("b")).toBeUndefined();
  expect(shares.take("c")).toBeUndefined();
  expect(shares.take(NO_ACCOUNT)).toBeUndefined();
  const other = shares.take("d");
  expect([shares.waiting, shares.pending]).toEqual([2, 2]);
  shares.release(NO_ACCOUNT);
  shares.release("b");
  await other;
  shares.release("c");
  shares.release("d");
  shares.release("a");
  await waiting;
});

test("a wait ends when its signal aborts, and leaves the line", async () => {
  const shares = new ConnectionShares({ total: 1, waitMs: WAIT_MS });
  void shares.take("a");
  const left = new AbortController();
  const reason = new Error("left");
  const waiting = shares.take("b", left.signal, () => 5);
  const behind = shares.take("b", undefined, () => 7);
  left.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  expect([shares.waiting, shares.waitingBytes]).toEqual([1, 7]);
  shares.release("a");
  await behind;
  expect(shares.waitingBytes).toBe(0);
});

test("a wait ends after its time", async () => {
  const shares = new ConnectionShares({ total: 1, waitMs: 20 });
  void shares.take("a");
  await expect(shares.take("b", undefined, () => 5)).rejects.toThrow("within 20 ms");
  expect(shares.waitingBytes).toBe(0);
  shares.release("a");
  expect(shares.take("b")).toBeUndefined();
});

test("of an account a thousand wait, the next is refused; others and the service are not", async () => {
  const shares = new ConnectionShares({ total: 1, waitMs: WAIT_MS });
  void shares.take("a");
  const left = new AbortController();
  const wait = async (account: string) => shares.take(account, left.signal);
  const waiting = Array.from({ length: 1_000 }, () => wait("a"));
  await expect(wait("a")).rejects.toThrow("1000 statements of the account wait");
  waiting.push(wait("b"), ...Array.from({ length: 1_001 }, () => wait(NO_ACCOUNT)));
  expect(shares.waiting).toBe(2_002);
  left.abort();
  await Promise.allSettled(waiting);
  expect(shares.waiting).toBe(0);
});

test("of an account 16 MiB of parameters wait, one more is refused; others and the service are not", async () => {
  const shares = new ConnectionShares({ total: 1, waitMs: WAIT_MS });
  void shares.take("a");
  const left = new AbortController();
  const wait = async (account: string, bytes: number) =>
    shares.take(account, left.signal, () => bytes);
  const most = 16 * 1024 * 1024;
  const waiting = [wait("a", most - 1), wait("a", 1)];
  await expect(wait("a", 1)).rejects.toThrow(`${most} bytes wait`);
  waiting.push(wait("a", 0), wait("b", most), wait(NO_ACCOUNT, 2 * most));
  expect(shares.waiting).toBe(5);
  expect(shares.waitingOf("a").bytes).toBe(most);
  left.abort();
  await Promise.allSettled(waiting);
  expect([shares.waiting, shares.waitingBytes]).toEqual([0, 0]);
});

test("of all accounts 64 MiB wait, a byte more of any is refused until one leaves; the service's are not", async () => {
  const shares = new ConnectionShares({ total: 1, waitMs: WAIT_MS });
  void shares.take(NO_ACCOUNT);
  const most = 16 * 1024 * 1024;
  const waiting: Promise<unknown>[] = [];
  const wait = (account: string, bytes: number): AbortController => {
    const left = new AbortController();
    waiting.push(Promise.resolve(shares.take(account, left.signal, () => bytes)));
    return left;
  };
  const all = ["a", "b", "c"].map((account) => wait(account, most));
  all.push(wait("d", most - 1), wait(NO_ACCOUNT, 5 * most));
  const last = wait("e", 1);
  await expect(shares.take("f", undefined, () => 1)).rejects.toThrow(`${4 * most} bytes wait`);
  last.abort();
  all.push(wait("f", 1));
  expect(shares.waiting).toBe(6);
  for (const one of all) one.abort();
  await Promise.allSettled(waiting);
  expect(shares.waitingBytes).toBe(0);
});

test("an account has no more of the 64 MiB than were free when its last one came", async () => {
  const shares = new ConnectionShares({ total: 1, waitMs: WAIT_MS });
  void shares.take(NO_ACCOUNT);
  const left = new AbortController();
  const mebibyte = 1024 * 1024;
  const waiting: Promise<unknown>[] = [];
  const waitAll = async (account: string): Promise<number> => {
    for (;;) {
      const before = shares.waiting;
      const wait = (async () => shares.take(account, left.signal, () => mebibyte))();
      waiting.push(wait);
      if (shares.waiting > before) continue;
      await expect(wait).rejects.toThrow("bytes wait");
      return shares.waitingOf(account).bytes / mebibyte;
    }
  };
  waiting.push((async () => shares.take(NO_ACCOUNT, left.signal, () => 100 * mebibyte))());
  const had: number[] = [];
  for (const account of ["a", "b", "c", "d", "e", "f"]) had.push(await waitAll(account));
  expect(had).toEqual([16, 16, 16, 8, 4, 2]);
  left.abort();
  await Promise.allSettled(waiting);
  expect(shares.waitingBytes).toBe(0);
});

test("parameters count in bytes, those in lists and in binary too", () => {
  expect(parameterBytes(["x".repeat(1_000)])).toBe(2 * 1_000 + 2 * 16);
  expect(parameterBytes([["x", "y"], null, 7])).toBe(16 + (16 + 2 * 18) + 2 * 16);
  expect(parameterBytes([Buffer.alloc(1_000)])).toBe(16 + 1_000);
});
