// Why a valid key or token is refused, with whose it is and what is left of its window. Thrown by
// admit-group.ts; hook.ts shows and logs it. The message must never tell what a stolen key could do
// elsewhere.

import { AnnalsError } from "@annals/errors";
import type { Admission as AdmissionMessage } from "@annals/proto/keys";

interface Caller extends Pick<AdmissionMessage, "accountId" | "keyId"> {
  readonly widget?: AdmissionMessage["widget"];
  readonly person?: AdmissionMessage["person"];
  readonly holder?: AdmissionMessage["holder"];
}

/** Thrown for a valid key or token if its window, or that of its account, is used up. */
export class RateLimited extends AnnalsError {
  readonly limit: number;
  readonly caller: Caller;

  /** `limit` is the limit of the key or token, which the response shows. */
  constructor(
    limit: number,
    {
      accountWindow,
      windowEndsInS,
      ...caller
    }: Caller & Pick<AdmissionMessage, "accountWindow" | "windowEndsInS">,
  ) {
    const holder = (caller.widget ?? caller.holder) ? "token" : "key";
    const [who, made, retryAfterS] = accountWindow?.isExceeded
      ? ["account", accountWindow.limit, accountWindow.endsInS]
      : [holder, limit, windowEndsInS];
    super(
      "rate_limited",
      `Rate limit reached: ${made} requests per minute for this ${who}. Try again in ${retryAfterS} seconds.`,
      { retryAfterS },
    );
    this.limit = limit;
    this.caller = caller;
  }
}

export const OTHER_ADDRESS = "This API key may not be used from the address of this request.";

const OTHER_ADDRESS_OF_WORKLOAD = "This workload may not be used from the address of this request.";

/** Thrown for a valid key that may not be used from the client's address. The key's list is not told. */
export class OtherAddress extends AnnalsError {
  readonly caller: Caller;
  /** The limit of the key's window, in which the request did not count, and what is left of it. */
  readonly limit: number;
  readonly remaining: number;

  constructor(
    caller: Caller,
    { limit, remaining }: { readonly limit: number; readonly remaining: number },
  ) {
    super("scope_missing", caller.holder ? OTHER_ADDRESS_OF_WORKLOAD : OTHER_ADDRESS);
    this.caller = caller;
    this.limit = limit;
    this.remaining = remaining;
  }
}
