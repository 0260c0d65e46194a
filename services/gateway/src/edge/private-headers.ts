// Headers of every response under /v1, errors included: it can hold a secret or an event, so no
// proxy keeps a copy, and it is never taken for another type than it says. Static files have their own.

export const PRIVATE_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;
