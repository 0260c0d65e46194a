// Measures what work holds while it waits for a connection to PostgreSQL, as the pool counts it. Called by
// tests of what calls `transaction`.

import { eventually } from "./eventually.ts";

/** A pool of libs/postgres, which this package does not know. */
interface Pool {
  run(
    statement: { readonly name: string; readonly text: string; readonly customPlan: boolean },
    params: [Buffer],
  ): Promise<unknown>;
  transaction(work: () => Promise<void>): Promise<unknown>;
  forAccount(accountId: string): Pool;
}

/** More than an account may have waiting: the refusal says how many bytes wait already. */
const TOO_MUCH = Buffer.alloc(17 * 1024 * 1024);
const REFUSED = {
  name: "test.refused",
  text: "SELECT $1::bytea",
  route: "local",
  customPlan: true,
};

/**
 * Takes all connections and calls `begin`. Resolves to the bytes that then wait of the account, after the
 * connections were released and `begin` has ended.
 */
export async function bytesWaiting(
  { pool, connections, accountId }: Waited,
  begin: () => Promise<unknown>,
): Promise<number> {
  const free = Promise.withResolvers<void>();
  const taken = Array.from({ length: connections }, () => pool.transaction(() => free.promise));
  const begun = begin();
  begun.catch(() => {});
  try {
    return await eventually("it waits", async () => {
      const refused = pool.forAccount(accountId).run(REFUSED, [TOO_MUCH]);
      const error: unknown = await refused.catch((thrown: unknown) => thrown);
      const cause =
        error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
      return Number(/with (\d+) bytes wait/.exec(cause?.message ?? "")?.[1]) || undefined;
    });
  } finally {
    free.resolve();
    await Promise.all(taken);
    await begun;
  }
}

interface Waited {
  readonly pool: Pool;
  readonly connections: number;
  readonly accountId: string;
}
