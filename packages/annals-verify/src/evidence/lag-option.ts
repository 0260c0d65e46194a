// The option --max-anchor-lag, of bundles and of the watch.

const MAX_LAG_S = 10 * 366 * 86_400;

/** Seconds. Throws an Error that says what is wanted. */
export function lagIn(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value > MAX_LAG_S)
    throw new Error(`an integer from 0 to ${MAX_LAG_S}`);
  return value;
}
