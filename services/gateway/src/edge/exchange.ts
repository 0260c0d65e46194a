// A request in flight and what it holds. Made and changed by requests-in-flight.ts and the files that it
// uses.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Slot } from "./request-slots.ts";
import type { Transfer } from "./transfer-rate.ts";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: string;
  readonly transfer: Transfer;
  accountId: string | undefined;
  /** Its slot; undefined while it has none. */
  slot: Slot | undefined;
  isReading: boolean;
  /** Its response is made. */
  hasResponse: boolean;
  /** Its response was read, or its client has disconnected. */
  hasClosed: boolean;
  /** What goes on for it: its admission, its handler. */
  works: number;
  /** Bytes of its response that count as unread. */
  unread: number;
  aborter: AbortController | undefined;
  untilEnded: (() => void)[];
  untilClosed: (() => void)[];
}
