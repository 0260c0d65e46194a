export * from "./access.ts";
export * from "./batcher-metrics.ts";
export * from "./batcher.ts";
export * from "./certificates.ts";
export * from "./client.ts";
export * from "./interceptors/request-id.ts";
export * from "./interceptors/stacks.ts";
export * from "./server.ts";
