// One message to the worker that checks proofs, and its reply; and the worker's side of it. The file of the
// viewer is its own worker, so index.ts calls serveChecks if there is no page.

import { checkEvent, type EventCheck } from "@annals/proof";
import type { ProvenEvent } from "../client.ts";

export interface CheckRequest {
  readonly id: number;
  readonly events: readonly ProvenEvent[];
}
export interface CheckAnswer {
  readonly id: number;
  readonly checks: readonly EventCheck[];
}

/** Nothing can be checked without WebCrypto, which a page without TLS lacks. */
const UNCHECKED: EventCheck = { state: "unchecked" };

export async function checkOne(event: ProvenEvent): Promise<EventCheck> {
  if (globalThis.crypto?.subtle === undefined) return UNCHECKED;
  return checkEvent(event).catch(() => UNCHECKED);
}

export function serveChecks(): void {
  addEventListener("message", ({ data }: MessageEvent<CheckRequest>) => {
    void Promise.all(data.events.map(checkOne)).then((checks) => {
      postMessage({ id: data.id, checks } satisfies CheckAnswer);
    });
  });
}
