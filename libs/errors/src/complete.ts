// The first step of every handler: is the request complete? The gateway always sends complete requests; this
// refuses those of other callers.

import { invalid } from "./annals-error.ts";

/** Throws `invalid` naming the first of `members` that is an empty text. */
export function complete(members: Readonly<Record<string, string>>): void {
  for (const [field, value] of Object.entries(members)) {
    if (value === "") throw invalid({ field, message: "is required" });
  }
}
