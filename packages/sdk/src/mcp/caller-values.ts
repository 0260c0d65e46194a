// What the caller of a tool chooses, within bounds: an event that the service refuses would keep the call out
// of the log. Called by mcp.ts.

/** Characters of an id, as the service allows. */
const MAX_NAME = 255;
/** Characters of all recorded arguments of a call as JSON, and levels of one: within those of an event. */
const MAX_ARGUMENTS = 8_000;
const MAX_LEVELS = 16;

/** JSON with U+0000 or a surrogate that is not one of a pair, which the service refuses. */
const REFUSED = /\\u(0000|d[89a-f])/;

export function textOf(name: unknown): string {
  if (typeof name !== "string") return "";
  return name.slice(0, MAX_NAME).replaceAll("\0", "").toWellFormed();
}

/** The named arguments. The size of a value stands for it if it is beyond the bounds. */
export function argumentsOf(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  let left = MAX_ARGUMENTS;
  const fit = (value: unknown): unknown => {
    if (isDeeper(value, MAX_LEVELS)) return { annals_omitted: {} };
    const text = JSON.stringify(value) ?? "null";
    const isFit = text.length <= left && !REFUSED.test(text);
    if (!isFit) return { annals_omitted: { bytes: new TextEncoder().encode(text).length } };
    left -= text.length;
    return value;
  };
  const own = names.filter((name) => Object.hasOwn(given, name));
  return Object.fromEntries(own.map((name) => [name, fit(given[name])]));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
