// Whose widget tokens a call is about. Called by the handlers that list and delete tokens.

import { isPermitted } from "@annals/contract";
import { admissionOf } from "@annals/rpc";
import type { HandlerContext } from "@connectrpc/connect";

/**
 * The id of the key that has made the tokens which the caller may see and end: its own. Null if the key
 * has keys:manage: those of all keys. A call without an admission sees no tokens.
 */
export function tokenOwner(context: Pick<HandlerContext, "values">): string | null {
  const admission = admissionOf(context);
  return admission && isPermitted(admission.scopes, "keys:manage")
    ? null
    : (admission?.keyId ?? "");
}
