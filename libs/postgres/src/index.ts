export * from "./audit-hand-over.ts";
export * from "./audit-outbox.ts";
export { minuteOf } from "./audit-windows.ts";
export * from "./command-pool.ts";
export { compareClock } from "./database-clock.ts";
export * from "./failure.ts";
export { distributeCommand } from "./distribute-command.ts";
export * from "./daily-use.ts";
export * from "./distribute.ts";
export {
  type AskedOnce,
  earlierResponse,
  type IdempotentRequests,
  idempotentRequests,
  keepResponse,
  type KeptRequests,
  startRequestSweep,
} from "./idempotent-requests.ts";
export { isDistributed, readAccounts, workOnEach } from "./distribution.ts";
export * from "./migrate.ts";
export * from "./outbox.ts";
export * from "./pool.ts";
export { roleWith } from "./roles.ts";
export * from "./statement.ts";
export * from "./text-array.ts";
export { type VacuumOptions, vacuumTables } from "./vacuum.ts";
