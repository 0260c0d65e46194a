// The longest URL that is accepted, and the refusal of a longer one. For errors.ts, which handles what the
// router refuses, and for edge/request-head.ts.

import { type AnnalsError, invalid } from "@annals/errors";

/** The longest useful URL is some 2 kB: a list with every filter. */
export const MAX_URL_LENGTH = 2_048;

export function urlTooLong(): AnnalsError {
  return invalid({ field: "", message: `The URL is longer than ${MAX_URL_LENGTH} characters.` });
}
