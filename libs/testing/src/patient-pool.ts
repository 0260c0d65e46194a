// Options of a pool in a test that is not about its limits of time: on a busy machine a statement waits for
// seconds. Spread into the options of `createPool`.

const LIMIT_MS = 60_000;

export const PATIENT = { statementTimeoutMs: LIMIT_MS, waitMs: LIMIT_MS } as const;
