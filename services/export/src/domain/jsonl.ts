// Export files as JSON Lines: one line an event, the manifest last. With proofs a line is
// {"event":...,"proof":...}, what docs/hash-chain.md and its verifiers read; without, it is the
// event alone. The ledger makes the lines of events (its event-lines.ts).

import type { Encoder } from "./encoder.ts";

export const jsonlEncoder: Encoder = {
  opening: "",
  closing: (manifest) => `${manifest}\n`,
};
