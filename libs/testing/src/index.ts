export * from "./accounts.ts";
export * from "./database.ts";
export * from "./deliveries.ts";
export * from "./eventually.ts";
export * from "./http-client.ts";
export * from "./proxy.ts";
export * from "./shared-stack.ts";
export * from "./subscriber.ts";
