// The rule of the name of an account or of a key that an operator gives (docs/interface.md): 1 to 255
// characters after trimming, on one line.

import { invalid } from "@annals/errors";

const MAX_NAME_LENGTH = 255;

/** The trimmed name. Throws `invalid`, naming `field`. */
export function operatorName(given: string, field: string): string {
  const name = given.trim();
  const length = Array.from(name).length;
  if (length < 1 || length > MAX_NAME_LENGTH) {
    throw invalid({ field, message: `must have 1 to ${MAX_NAME_LENGTH} characters` });
  }
  // The list of accounts is printed on a terminal, one per line.
  if (/[\p{Cc}\u2028\u2029]/u.test(name)) {
    throw invalid({ field, message: "must not contain control characters or line breaks" });
  }
  return name;
}
