// Signs requests to Event Hubs: a token that names a resource, a time at which it expires, and the key that
// has signed both. Called by azure-event-hubs-receiver.ts. Pure. The key is used as text: it is not decoded.

import type { SinkConfigs } from "@annals/interface";
import { createHmac } from "node:crypto";

export interface SharedAccessSignature {
  /** The value of the header `Authorization`. */
  readonly authorization: string;
  readonly signature: string;
}

/** `expiry` is in seconds since 1970. */
export function sharedAccessSignature(
  config: SinkConfigs["azure_event_hubs"],
  resource: string,
  expiry: number,
): SharedAccessSignature {
  const of = encodeURIComponent(resource);
  const signature = createHmac("sha256", config.shared_access_key)
    .update(`${of}\n${expiry}`)
    .digest("base64");
  const sig = encodeURIComponent(signature);
  const authorization = `SharedAccessSignature sr=${of}&sig=${sig}&se=${expiry}&skn=${config.shared_access_key_name}`;
  return { authorization, signature };
}
