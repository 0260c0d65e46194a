// The longest URL that is accepted, and the refusal of a longer one. For errors.ts, which handles what the
// router refuses, and for edge/request-head.ts.

import { type AnnalsError, invalid } from "@annals/errors";

/**
 * What is stored must be found: a value of 255 characters takes up to 3,060 in a URL, and a list has five
 * filters. Of values in ASCII, all 20 fit.
 */
export const MAX_URL_LENGTH = 16_384;
/** An id is short. The router searches all of the path. */
export const MAX_PATH_LENGTH = 2_048;

export function urlTooLong(): AnnalsError {
  return invalid({ field: "", message: `The URL is longer than ${MAX_URL_LENGTH} characters.` });
}

export function pathTooLong(): AnnalsError {
  const message = `The path of the URL is longer than ${MAX_PATH_LENGTH} characters.`;
  return invalid({ field: "", message });
}
