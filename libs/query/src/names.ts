// The names that a query may have before a colon, and the filters of a list of events that they stand for.
// Used by the rest of this package and by the viewer.

/** Filters that every account has, each under its own name. */
export const FIXED_NAMES: readonly string[] = [
  "action",
  "actor_id",
  "actor_type",
  "target_id",
  "target_type",
  "outcome",
];

/** Written for the first of two: the time of an event, from and to. */
export const OCCURRED = "occurred";

const ALIASES: Readonly<Record<string, string>> = { actor: "actor_id", target: "target_id" };
const FIELD = "field.";

/** Whether the words of a query have another meaning for the name than that of a declared field. */
const isTaken = (name: string): boolean =>
  FIXED_NAMES.includes(name) || name === OCCURRED || Object.hasOwn(ALIASES, name);

/** `ip` is the filter `field.ip`, and `action` is `action`. */
export function filterOf(name: string): string {
  if (Object.hasOwn(ALIASES, name)) return ALIASES[name] ?? name;
  return isTaken(name) || name.startsWith(FIELD) ? name : FIELD + name;
}

/** The shortest name that {@link filterOf} reads as this filter. */
export function nameOf(filter: string): string {
  const short = filter.startsWith(FIELD) ? filter.slice(FIELD.length) : filter;
  return filterOf(short) === filter && /^[A-Za-z_]/.test(short) ? short : filter;
}

const SINGLE: readonly string[] = ["text", "occurred_from", "occurred_to"];
const NAMED = new RegExp(`^(?:not\\.)?(?:${FIXED_NAMES.join("|")}|field\\.[A-Za-z0-9_.-]{1,64})$`);

/** Whether it is the name of a filter that a query can have. */
export const isFilterName = (name: string): boolean => SINGLE.includes(name) || NAMED.test(name);
