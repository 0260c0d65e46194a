export { checkEvent, type EventCheck, type PartState } from "./check-event.ts";
export { checkLinks, type LinkState } from "./check-links.ts";
export {
  Erasures,
  GENESIS_HASH,
  type JsonObject,
  markHidden,
  type Part,
  PARTS,
  recordedParts,
} from "@annals/event/text";
export type { Proof, ProvableEvent } from "./provable-event.ts";
