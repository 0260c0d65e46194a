// Accounts whose events an epoch of the log covers. Called by the tests of the routes of the log.

import { type HttpClient, newClient } from "@annals/testing";
import { append as grow, EMPTY_TREE, rootOf } from "@annals/tlog";
import { expect, vi } from "vitest";

type Stack = Parameters<typeof newClient>[0];

const BATCH = 1_000;
/** An epoch is closed each second; the first one waits for the trees of all accounts. */
const MAX_WAIT_MS = 60_000;

/** Resolves when an epoch covers the first `events` events of the account of `client`. */
export async function untilCovered(client: HttpClient, events: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body } = await client.get("/v1/log");
      expect(body.data?.covered?.sequence_number).toBeGreaterThanOrEqual(events);
    },
    { timeout: MAX_WAIT_MS, interval: 200 },
  );
}

/** Appends events, and resolves to their hashes. */
export async function append(client: HttpClient, events: number): Promise<string[]> {
  const hashes: string[] = [];
  for (let left = events; left > 0; left -= BATCH) {
    const batch = Array.from({ length: Math.min(left, BATCH) }, (_, n) => ({ action: `a.${n}` }));
    const { body, status } = await client.post("/v1/events/batch", { events: batch });
    expect(status).toBe(201);
    hashes.push(...body.data.map(({ hash }: { hash: string }) => hash));
  }
  return hashes;
}

/** A new account with so many events, which are covered. */
export async function newCovered(stack: Stack, events: number) {
  const account = await newClient(stack);
  const hashes = await append(account.client, events);
  await untilCovered(account.client, events);
  return { ...account, hashes };
}

/** Hashes that a response has in hexadecimal. */
export const bytesOf = (hashes: readonly string[]): Buffer[] =>
  hashes.map((hash) => Buffer.from(hash, "hex"));

/** The root of the first `size` of an account's hashes. */
export const rootAt = ({ hashes }: { readonly hashes: readonly string[] }, size: number): Buffer =>
  rootOf(grow(EMPTY_TREE, bytesOf(hashes.slice(0, size))));

/** The paths of tiles that no log has, after `tile/`. */
export const NO_TILES = [
  "0",
  "0/",
  "0/0",
  "0/00",
  "00/000",
  "64/000",
  "-1/000",
  "0/000/",
  "0//000",
  "0/x000/001",
  "0/x1/000",
  "0/001/000",
  "0/000.p/0",
  "0/000.p/256",
  "0/000.p/07",
  "0/%30%30%30",
  "x/000",
] as const;
