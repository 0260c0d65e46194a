// Says in a sentence why a batch did not arrive. Called by the receivers of sinks. It must say the same of a
// private name and of an unknown one, as the address guard does: DNS would be read by its errors otherwise.

import { isOfDns } from "../../outbound/look-up.ts";
import type { SinkResult } from "./sink-receiver.ts";

type Failure = Exclude<SinkResult["outcome"], "accepted" | "refused">;

const UNREACHABLE = "The host has no address that may be connected to.";

export function failureSentence(
  outcome: Failure,
  { errorCode, timeoutMs }: { readonly errorCode: string | undefined; readonly timeoutMs: number },
): string {
  const code = errorCode === undefined ? "" : ` (${errorCode})`;
  switch (outcome) {
    case "address":
      return UNREACHABLE;
    case "connection":
      return isOfDns(errorCode) ? UNREACHABLE : `The connection failed${code}.`;
    case "tls":
      return `The receiver does not prove its name by TLS${code}.`;
    case "timeout":
      return isOfDns(errorCode)
        ? UNREACHABLE
        : `The receiver did not respond within ${Math.round(timeoutMs / 1_000)} s.`;
    case "invalid_response":
      return `The response is not valid HTTP, or too large${code}.`;
    case "abandoned":
      return "The batch was not sent, because the service stops.";
  }
}
