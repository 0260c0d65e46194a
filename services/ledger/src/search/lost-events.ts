// Says that retention has deleted events that a reader has not reached yet. Called by stream-pages.ts.

import { AnnalsError } from "@annals/errors";

export function lostEvents(accountId: string): AnnalsError {
  return new AnnalsError(
    "not_found",
    `Retention has deleted events of ${accountId} before they were read.`,
  );
}
