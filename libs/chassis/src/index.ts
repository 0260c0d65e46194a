export * from "./admin-server.ts";
export * from "./config.ts";
export * from "./log.ts";
export * from "./main.ts";
export * from "./metrics.ts";
export * from "./run.ts";
export * from "./settings.ts";
export * from "./tracing.ts";
