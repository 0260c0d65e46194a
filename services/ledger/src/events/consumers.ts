/** The name by which the pool counts calls of consumers: they are for all accounts, and have one share. */
export const CONSUMERS = "consumers";
