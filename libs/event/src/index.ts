export * from "./check-leaf.ts";
export {
  BYTE_ORDER_MARK,
  CSV_CELLS,
  csvHeader,
  csvManifest,
  eventCsv,
  safeCell,
  valueOfCell,
} from "./event-csv.ts";
export { eventJson, eventJsonWithout, proofJson, type ProofText } from "./event-json.ts";
export { type AddedBytes, eventJsonBytes } from "./event-json-bytes.ts";
export * from "./erased-parts.ts";
export * from "./erasures.ts";
export * from "./event-limits.ts";
export * from "./event-members.ts";
export * from "./json/canonical-json.ts";
export * from "./json/event-bytes.ts";
export * from "./json/event-places.ts";
export { memberAt, writeEventBytes } from "./json/write-event-bytes.ts";
export { jsonSha256 } from "./json/json-sha256.ts";
export { canonicalPieces } from "./json/canonical-pieces.ts";
export {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from "./json/character-codes.ts";
export { CanonicalObjects } from "./json/canonical-object.ts";
export { newObject, setMember } from "./json/json-object.ts";
export { leastBytes } from "./json/least-bytes.ts";
export { JsonFault } from "./json/json-value.ts";
export type { JsonObject, JsonValue } from "./json/json-value.ts";
export * from "./json/read-json.ts";
export type { ReadLimits } from "./json/read-limits.ts";
export { replaceNul, replaceNulInPieces } from "./json/replace-nul.ts";
export { leafHash, type LeafMembers, leafText, partDigest, writePartDigest } from "./leaf.ts";
export { DIGEST_BYTES, GENESIS_HASH, leafOfJson, SALT_BYTES } from "./leaf-text.ts";
export { escapeHidden, quoteVisibly } from "./visible-text.ts";
