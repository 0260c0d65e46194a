// The format of a widget token, `<prefix>_wt_<random>` with the checksum of an API key, and the words that
// all services use of it. A token is for the browsers of people who look: it ends by itself, and sees no more
// than it was made for.

import { MINTED_LENGTH, mintSecret, hasChecksum, shownPart } from "./secret-text.ts";

/** The parts of an event that a token may show or hide, in the order in which they are shown. */
export const WIDGET_PARTS = ["actor.meta", "target.meta", "context", "diff", "metadata"] as const;

export type WidgetPart = (typeof WIDGET_PARTS)[number];

/** Seconds that a token may be valid for. */
export const WIDGET_TOKEN_EXPIRY_S = { least: 60, most: 86_400, default: 3_600 } as const;

/** Origins that one token may name. */
export const MAX_WIDGET_ORIGINS = 20;

/** An origin as browsers send it, but for a port that is the default of its scheme. */
export const ORIGIN_PATTERN = "^https?://(\\[[0-9a-f:.]+\\]|[a-z0-9._-]+)(:[0-9]{1,5})?$";

const MARKER = "_wt_";

const SHAPE = new RegExp(`^[a-z][a-z0-9]{0,31}_wt_[A-Za-z0-9]{${MINTED_LENGTH}}$`);

export function mintWidgetToken(prefix: string, random: (size: number) => Uint8Array): string {
  return mintSecret(prefix + MARKER, random);
}

/** Whether `text` may be a token: its shape and its checksum are right. */
export function isPlausibleWidgetToken(text: string): boolean {
  return SHAPE.test(text) && hasChecksum(text);
}

/** The part of a token that may be shown, as that of a key. */
export function widgetTokenPrefix(token: string): string {
  return shownPart(token, token.indexOf(MARKER) + MARKER.length);
}
