// `@annals/event/text`: what of this package runs outside of Node too. Imported by libs/proof. It must never
// export what imports from Node or takes a Buffer.

export * from "./erased-parts.ts";
export { Erasures, recordedParts } from "./erasures.ts";
export * from "./event-members.ts";
export * from "./json/canonical-json.ts";
export type { JsonObject, JsonValue } from "./json/json-value.ts";
export { DIGEST_BYTES, GENESIS_HASH, hexOfParts, leafOfJson, SALT_BYTES } from "./leaf-text.ts";
export { escapeHidden, markHidden } from "./visible-text.ts";
