// What work holds while it waits for a connection to PostgreSQL, as the pool counts it.

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

/** More than may wait of an account: the refusal of the statement says what does. */
const TOO_MUCH = Buffer.alloc(17 * 1024 * 1024);
const REFUSED = { name: "test.refused", text: "SELECT $1::bytea", customPlan: true };

/**
 * Resolves to the bytes of what `begin` has waiting for the account while all connections are taken. Then
 * they are free, and `begin` goes on to its end.
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
