export * from "./api-key.ts";
export * from "./clock.ts";
export * from "./ids.ts";
export * from "./scopes.ts";
export * from "./timestamps.ts";
