// How something ended and how long it took, for what records by itself: mcp.ts and nest.ts. The names are
// those of intake, which the viewer shows.

import type { NewEvent } from "./types.ts";

export type Outcome = "success" | "failure" | "unknown";

/** The event of something that begins now, once it has ended. */
export function timed(event: NewEvent): (outcome: Outcome) => NewEvent {
  const began = performance.now();
  return (outcome) => ({
    ...event,
    metadata: {
      ...event.metadata,
      outcome,
      duration_ms: Math.round(performance.now() - began),
    },
  });
}
