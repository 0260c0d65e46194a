// The fields that an account declares for its filters: what the gateway describes and reads, and the ledger
// checks.

/** What a value is read as. */
export const FIELD_TYPES = ["string", "number", "ip", "time"] as const;

export type FieldType = (typeof FIELD_TYPES)[number];

/** Fields of an account, whatever its plan says. */
export const MAX_SEARCH_FIELDS = 16;

/** The beginnings of paths. Names of members follow. */
export const FIELD_ROOTS = [
  ["context"],
  ["metadata"],
  ["diff", "before"],
  ["diff", "after"],
  ["actor", "meta"],
  ["target", "meta"],
] as const;

/** Names of a path that a text can have, with dots between them. */
export const SIMPLE_NAME = /^[A-Za-z0-9_-]+$/;

/** Steps of a path, and characters of each. */
export const MAX_FIELD_STEPS = 10;
export const MAX_STEP_LENGTH = 128;

export const FIELD_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
