export * from "./audit-outbox.ts";
export * from "./command-pool.ts";
export * from "./failure.ts";
export * from "./migrate.ts";
export * from "./outbox.ts";
export * from "./pool.ts";
export * from "./statement.ts";
export * from "./text-array.ts";
