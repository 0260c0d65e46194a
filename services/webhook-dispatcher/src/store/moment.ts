// The time of a statement is the later of the database's clock and a given time. Every service gives the
// earliest possible time, so that replicas share one clock; tests give a time in the future. Every statement
// uses `greatest`, because a distributed PostgreSQL takes neither a clock in COALESCE nor clock_timestamp()
// in a write.

/** The earliest time in PostgreSQL. */
export const DATABASE_CLOCK = "-infinity";
