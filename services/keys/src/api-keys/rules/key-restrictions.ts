// The rules of what an account may add to a key: when it expires and where it may be used from. Called by all
// that create or change keys. It must never keep a network in another spelling than the one that it is shown
// in.

import {
  type Clock,
  formatMicros,
  MAX_ALLOWED_IPS,
  MAX_KEY_LIFETIME_DAYS,
  networkText,
  parseTimestamp,
} from "@annals/contract";
import { invalid } from "@annals/errors";

const MICROS_PER_DAY = 86_400_000_000;

/** The time as it is stored. Throws `invalid` unless it is in the future, and not too far. */
export function expiryOf(clock: Clock, given: string): string {
  const expiresAt = parseTimestamp(given);
  const fault = (message: string) => invalid({ field: "expires_at", message });
  if (expiresAt === undefined)
    throw fault("must be a time with an offset, such as 2027-01-31T09:30:00Z");
  if (expiresAt <= clock.nowText()) throw fault("must be in the future");
  const latest = formatMicros(clock.nowMicros() + MAX_KEY_LIFETIME_DAYS * MICROS_PER_DAY);
  if (expiresAt > latest) throw fault(`must be at most ${MAX_KEY_LIFETIME_DAYS} days from now`);
  return expiresAt;
}

/** Throws `invalid`. */
export function allowedIpsOf(given: readonly string[]): readonly string[] {
  if (given.length < 1 || given.length > MAX_ALLOWED_IPS) {
    const message = `must have 1 to ${MAX_ALLOWED_IPS} items`;
    throw invalid({ field: "allowed_ips", message });
  }
  return [...new Set(given.map(allowedIp))];
}

function allowedIp(given: string, index: number): string {
  const field = `allowed_ips[${index}]`;
  const network = networkText(given);
  if (network === undefined) {
    const message = "must be an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32";
    throw invalid({ field, message });
  }
  // The client may have meant the address, or the network.
  if (network.hasHostBits)
    throw invalid({ field, message: `must be the first address of its network: ${network.text}` });
  return network.text;
}
