// The tape of the one pass over an event's bytes: an entry of six integers for each value that may have to be
// written anew, so that a value is never built. Filled by plain-scanner.ts, put in order by member-names.ts,
// read by event-writer.ts. It must never hold more than one event.

/** The ends of the name, between its quotes. Not set for an element of an array. */
export const NAME_START = 0;
export const NAME_END = 1;

/** The ends of the value. A start of 0 marks a member that the event does not have. */
export const START = 2;
export const END = 3;

/** The entry of the next member or element; 0 after the last one. */
export const NEXT = 4;

/** The entry of the first member or element, {@link VERBATIM} or {@link EMPTY}. */
export const CHILD = 5;

/** Integers of an entry. */
export const ENTRY = 6;

/** The value is canonical as it lies in the input: its bytes are copied, and it has no entries of its own. */
export const VERBATIM = 0;

/** An object or an array with nothing but white space in it. */
export const EMPTY = -1;
