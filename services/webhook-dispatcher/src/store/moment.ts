// The time of a statement is the later of the database's clock and a given time. Every service gives the
// earliest possible time, so that replicas share one clock; tests give a time in the future. Every statement
// uses `greatest`, because a distributed PostgreSQL takes neither a clock in COALESCE nor clock_timestamp()
// in a write. If the time is used in CASE, COALESCE or RETURNING, it is from a subquery with OFFSET 0, or
// from a MATERIALIZED one. Otherwise PostgreSQL moves the clock there, and a distributed PostgreSQL runs the
// subquery by itself, before the rest.

/** The earliest time in PostgreSQL. */
export const DATABASE_CLOCK = "-infinity";
