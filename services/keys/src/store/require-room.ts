// Locks an account and checks that it may have one more of something. Called in the transaction that adds
// it, so that no two see the same count.

import { AnnalsError, notFound } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { lockAccount } from "./lock-account.ts";

/** `count` is asked under the lock. Throws `plan_count_exceeded`, or `not_found`. */
export async function requireRoom(
  transaction: Database,
  accountId: string,
  {
    count,
    max,
    things,
  }: {
    readonly count: () => Promise<number>;
    readonly max: number;
    readonly things: string;
  },
): Promise<void> {
  const [account] = await transaction.run(lockAccount, [accountId]);
  if (!account) throw notFound("account", accountId);
  if ((await count()) < max) return;
  throw new AnnalsError(
    "plan_count_exceeded",
    `An account can have ${max} ${things}, and this one has as many. Delete one first.`,
  );
}
