// The JSON of what a caller gives. Used by tracker.ts and transport.ts.

/** Throws where JSON.stringify would store null for a number: NaN and Infinity. */
export function jsonOf(value: object): string {
  const text = JSON.stringify(value);
  // Only a text with null can have lost one, and a second pass costs as much as the first.
  if (text.includes("null")) JSON.stringify(value, checkNumber);
  return text;
}

function checkNumber(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`${value} is not a number of JSON`);
  return value;
}
