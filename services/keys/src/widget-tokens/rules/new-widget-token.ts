// The rule of a new widget token: what it may see, for how long, from which web pages, and the secret that is
// shown once. Called by mint-widget-token.ts.

import {
  formatMicros,
  keyHash,
  MAX_WIDGET_ORIGINS,
  mintWidgetToken,
  newId,
  ORIGIN_PATTERN,
  WIDGET_PARTS,
  WIDGET_TOKEN_EXPIRY_S,
  widgetTokenPrefix,
} from "@annals/contract";
import { invalid } from "@annals/errors";
import type { KeyMaker } from "../../api-keys/rules/new-api-key.ts";

/** What is asked for. */
export interface TokenRequest {
  readonly parts: readonly string[];
  readonly origins: readonly string[];
  readonly expiresInS: number;
  /** Empty if no viewer is named. */
  readonly viewerId: string;
  readonly viewerName: string;
}

export interface NewWidgetToken {
  readonly id: string;
  readonly tokenPrefix: string;
  readonly secret: string;
  readonly secretSha256: Uint8Array;
  /** Each once, in the order of WIDGET_PARTS. */
  readonly parts: readonly string[];
  /** Each once. */
  readonly origins: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string;
}

const MICROS_PER_S = 1_000_000;
const MAX_VIEWER_LENGTH = 255;
const ORIGIN = new RegExp(ORIGIN_PATTERN);

/** Throws `invalid`. */
export function newWidgetToken(maker: KeyMaker, request: TokenRequest): NewWidgetToken {
  const { least, most } = WIDGET_TOKEN_EXPIRY_S;
  if (request.expiresInS < least || request.expiresInS > most) {
    throw invalid({ field: "expires_in", message: `must be from ${least} to ${most} seconds` });
  }
  checkViewer("viewer.id", request.viewerId);
  checkViewer("viewer.name", request.viewerName);
  const now = maker.clock.nowMicros();
  const secret = mintWidgetToken(maker.prefix, maker.random);
  return {
    id: newId("wtok", maker.random),
    tokenPrefix: widgetTokenPrefix(secret),
    secret,
    secretSha256: keyHash(secret),
    parts: partsOf(request.parts),
    origins: originsOf(request.origins),
    createdAt: formatMicros(now),
    expiresAt: formatMicros(now + request.expiresInS * MICROS_PER_S),
  };
}

function partsOf(given: readonly string[]): string[] {
  const parts = WIDGET_PARTS.filter((part) => given.includes(part));
  if (parts.length === new Set(given).size) return parts;
  throw invalid({
    field: "parts",
    message: `must contain at least one of ${WIDGET_PARTS.join(", ")}`,
  });
}

/** A browser compares texts: an origin in any other form would never be equal to what it sends. */
function originsOf(given: readonly string[]): string[] {
  if (given.length > MAX_WIDGET_ORIGINS) {
    throw invalid({ field: "origins", message: `must have at most ${MAX_WIDGET_ORIGINS} items` });
  }
  for (const [index, text] of given.entries()) {
    const origin = URL.parse(text)?.origin ?? "";
    if (origin === text && ORIGIN.test(text)) continue;
    // What was probably meant: a path, a default port or a capital letter too much.
    const meant = ORIGIN.test(origin) ? origin : "https://app.example.com";
    throw invalid({
      field: `origins[${index}]`,
      message: `must be an origin as browsers send it, such as ${meant}`,
    });
  }
  return [...new Set(given)];
}

function checkViewer(field: string, text: string): void {
  if (Array.from(text).length > MAX_VIEWER_LENGTH) {
    throw invalid({ field, message: `must have at most ${MAX_VIEWER_LENGTH} characters` });
  }
  // It stands in a line of the log.
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) {
    throw invalid({ field, message: "must not contain control characters or line breaks" });
  }
}
