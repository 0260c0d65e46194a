// Says in one word why a delivery failed, for the record that its subscriber reads. Called by attempts.ts. It
// must say the same of a name with a private address and of one without any, or it would tell which internal
// names exist.

import type { AttemptResult } from "../outbound/exchange.ts";
import { isOfDns } from "../outbound/look-up.ts";

/** Docs: webhooks.md. A claim stores one more, `interrupted` (store/claim-deliveries.ts). */
export type DeliveryFailure = "status" | "address" | "connection" | "tls" | "timeout" | "response";

/** Null for a success. */
export function deliveryFailure({
  errorCode,
  outcome,
}: Pick<AttemptResult, "errorCode" | "outcome">): DeliveryFailure | null {
  switch (outcome) {
    case "refused":
      return "status";
    case "address":
    case "tls":
      return outcome;
    case "connection":
    case "timeout":
      return isOfDns(errorCode) ? "address" : outcome;
    case "invalid_response":
      return "response";
    case "abandoned":
    case "success":
      return null;
  }
}
