// Reads how long a receiver asks to wait, from the header `Retry-After` (RFC 9110, 10.2.3): seconds or a
// date. Called by sink-http.ts. It must never let a receiver stop its sink for longer than an hour.

/** Statuses whose wait is followed. */
const ASKING = new Set([429, 503]);
const MAX_WAIT_S = 3_600;

export function retryAfterS(
  statusCode: number | null,
  header: string | undefined,
  nowMs: number,
): number | undefined {
  if (statusCode === null || !ASKING.has(statusCode) || header === undefined) return undefined;
  const given = header.trim();
  const seconds = /^\d{1,10}$/.test(given)
    ? Number(given)
    : Math.ceil((dateOf(given) - nowMs) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_WAIT_S);
}

/** Reads a date of HTTP. Any other text gives NaN: `Date.parse` alone would take a number as a year. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2,8}, ?\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
}
