export * from "./check-leaf.ts";
export { csvHeader, csvManifest, eventCsv } from "./event-csv.ts";
export * from "./event-json.ts";
export * from "./json/canonical-json.ts";
export { JsonFault } from "./json/json-value.ts";
export type { JsonObject, JsonValue } from "./json/json-value.ts";
export * from "./json/read-json.ts";
export * from "./json/read-limits.ts";
export * from "./leaf.ts";
