// What other packages may use of the local stack: the tests' constellation starts its systems with it. It
// must never export what only `npm start` needs.

export { freePort, type ReservedPort, reserveFreePort } from "./ports.ts";
export { removeData } from "./postgres-location.ts";
export { sendSignal } from "./process-table.ts";
export type { ServiceName } from "./services.ts";
export { type Stack, startStack } from "./stack.ts";
export type { StackOptions, StackProcess } from "./stack-options.ts";
