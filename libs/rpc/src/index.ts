export * from "./batcher.ts";
export * from "./client.ts";
export { inWireForm } from "./encoded-message.ts";
export * from "./interceptors/request-id.ts";
export * from "./interceptors/stacks.ts";
export * from "./server.ts";
