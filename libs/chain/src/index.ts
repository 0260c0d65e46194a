export * from "./canonical-json.ts";
export * from "./check-leaf.ts";
export { JsonFault } from "./json-value.ts";
export type { JsonObject, JsonValue } from "./json-value.ts";
export * from "./leaf.ts";
export * from "./read-json.ts";
export * from "./read-limits.ts";
