// Stores the hash of a verified token of a workload. Called by rpc/register-workload-token.ts. The id of the
// row names its rate windows: the same token must go on in the same ones.

import { keyHash, MAX_WORKLOAD_TOKENS } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import { deleteOtherTokens } from "./store/delete-other-tokens.ts";
import { putWorkloadToken } from "./store/put-workload-token.ts";

interface Verified {
  readonly accountId: string;
  readonly workloadId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly expiresAtS: number;
}

/** PostgreSQL's foreign_key_violation: the workload was deleted while its token was verified. */
const NO_WORKLOAD = "23503";

const RETRY_AFTER_S = 60;

/**
 * Throws `rate_limited` if the account has as many live tokens as it may, and `unauthenticated` if the
 * workload was deleted.
 */
export async function storeToken(database: Pool, token: string, verified: Verified): Promise<void> {
  const { accountId, expiresAtS, issuer, subject, workloadId } = verified;
  const sha256 = keyHash(token);
  const id = `${workloadId}/${sha256.toString("hex").slice(0, 32)}`;
  const stored = database.transaction(async (transaction) => {
    await transaction.run(deleteOtherTokens, [accountId, sha256, id]);
    const whose = [workloadId, issuer, subject] as const;
    return transaction.run(putWorkloadToken, [
      accountId,
      id,
      sha256,
      ...whose,
      expiresAtS,
      MAX_WORKLOAD_TOKENS,
    ]);
  });
  const [row] = await stored.catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === NO_WORKLOAD)
      throw new AnnalsError("unauthenticated", "The workload was deleted.");
    throw error;
  });
  if (row) return;
  throw new AnnalsError(
    "rate_limited",
    `The workloads of this account have ${MAX_WORKLOAD_TOKENS} tokens that are valid. Try again later.`,
    { retryAfterS: RETRY_AFTER_S },
  );
}
