export * from "./check-leaf.ts";
export { csvHeader, csvManifest, eventCsv, valueOfCell } from "./event-csv.ts";
export { eventJson, eventJsonWithout, proofJson, type ProofText } from "./event-json.ts";
export * from "./event-limits.ts";
export * from "./event-members.ts";
export * from "./json/canonical-json.ts";
export { checkCanonicalObject } from "./json/canonical-text.ts";
export { JsonFault } from "./json/json-value.ts";
export type { JsonObject, JsonValue } from "./json/json-value.ts";
export * from "./json/read-json.ts";
export * from "./json/read-limits.ts";
export {
  DIGEST_BYTES,
  GENESIS_HASH,
  leafHash,
  type LeafMembers,
  leafOfJson,
  leafText,
  partDigest,
  SALT_BYTES,
  writePartDigest,
} from "./leaf.ts";
