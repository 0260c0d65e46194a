// What an account may cause in a day of UTC where its plan does not say it. Read by the keys service, which
// signs what a plan allows, and by the services that count.

/**
 * Events that exports read, and events that replays send again: each some 0.1 ms of CPU of all services
 * together, so some three hours of one CPU.
 */
export const DEFAULT_EVENTS_PER_DAY = 100_000_000;
