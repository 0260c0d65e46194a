export * from "./api-key.ts";
export * from "./clock.ts";
export * from "./event-json.ts";
export * from "./event-names.ts";
export * from "./ids.ts";
export * from "./scopes.ts";
export * from "./timestamps.ts";
export * from "./verification-json.ts";
