// The time that a statement goes by is the later one of the database's clock and a given time. Every service
// gives the earliest time that there is, so that replicas share one clock; tests give a time that has not
// come yet. It is `greatest` in every statement, since a distributed PostgreSQL takes neither a clock in
// COALESCE nor clock_timestamp() in a write.

/** The earliest time of PostgreSQL. */
export const DATABASE_CLOCK = "-infinity";
