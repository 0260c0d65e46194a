// What a logout token says whose signature, issuer, audience and age were checked (OpenID Connect
// Back-Channel Logout 1.0, 2.4). Called by the client of the provider.

import { invalid } from "@annals/errors";
import type { Claims } from "./id-token.ts";

export interface Logout {
  /** Valid once. */
  readonly id: string;
  /** Undefined: the session alone. */
  readonly subject: string | undefined;
  /** The name of the session at the provider. Undefined: all sessions of the subject. */
  readonly sid: string | undefined;
}

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Throws `invalid`. */
export function logoutOf({ events, jti, nonce, sid, sub }: Claims): Logout {
  // Without these an ID token would be one, and with it a logout token would be an ID token.
  if (!isObject(events) || !isObject(events[EVENT])) throw refused("names no logout");
  if (nonce !== undefined) throw refused("has a nonce");
  if (!isText(jti)) throw refused("has no jti");
  if (sub !== undefined && !isText(sub)) throw refused("has a sub that is not a text");
  if (sid !== undefined && !isText(sid)) throw refused("has a sid that is not a text");
  if (sub === undefined && sid === undefined) throw refused("has neither sub nor sid");
  return { id: jti, subject: sub, sid };
}

function isText(claim: unknown): claim is string {
  return typeof claim === "string" && claim !== "" && claim.isWellFormed() && !claim.includes("\0");
}

function isObject(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(message: string): Error {
  return invalid({ field: "logout_token", message });
}
