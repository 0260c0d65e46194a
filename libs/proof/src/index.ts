export { checkEvent, type EventCheck, type PartState } from "./check-event.ts";
export { checkLinks, type LinkState } from "./check-links.ts";
export { GENESIS_HASH, markHidden, type Part, PARTS } from "@annals/event/text";
export type { Proof, ProvableEvent } from "./provable-event.ts";
