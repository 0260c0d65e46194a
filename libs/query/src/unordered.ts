// Says whether what was typed of a value can be its beginning for the service, which selects only texts by
// their beginning. Used by the viewer, which does not know the types of declared fields.

/** A digit or a sign, or one group of an IPv6 address, such as `fe80`, alone or with its colon. */
const UNORDERED = /^(?:[\d:.-]|[\da-f]{1,4}(?::|$))/i;

/** Whether the field may hold addresses or numbers that begin so. */
export const isUnordered = (field: string, prefix: string): boolean =>
  field.startsWith("field.") && UNORDERED.test(prefix);
