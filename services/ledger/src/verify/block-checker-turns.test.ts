// Guarantee: verifications of a process check two blocks at a time, and accounts take turns: one that
// verifies much does not delay the next block of another by more than one of its own.

import type { Database } from "@annals/postgres";
import { expect, test, vi } from "vitest";
import { checkBlock } from "./store/check-block.ts";
import { BlockChecker } from "./block-checker.ts";

test("two at a time, and each account in its turn", async () => {
  const begun: string[] = [];
  const held: (() => void)[] = [];
  const run = async ({ name }: { readonly name: string }, [accountId]: readonly unknown[]) => {
    if (name !== checkBlock.name) return [];
    begun.push(String(accountId));
    await new Promise<void>((resolve) => held.push(resolve));
    // A block that PostgreSQL cannot check is the caller's, and the next one has its turn.
    throw new Error("away");
  };
  const blocks = new BlockChecker(2);
  const { signal } = new AbortController();
  const ask = (accountId: string) =>
    blocks.check({ run } as Database, { accountId, from: 1, to: 1, signal });
  const all = ["a", "a", "a", "a", "a", "b", "b", "c"].map(ask);
  const outcomes = Promise.allSettled(all);
  for (let ended = 0; ended < all.length; ended += 1) {
    await vi.waitFor(() => expect(begun).toHaveLength(Math.min(ended + 2, all.length)));
    held[ended]?.();
  }
  expect(begun).toEqual(["a", "a", "a", "b", "c", "a", "b", "a"]);
  expect((await outcomes).map(({ status }) => status)).toEqual(all.map(() => "rejected"));
});
