// The shapes that the parts of the fuzzer share: an operation, what its requests may name, one request. It
// must never hold code.

import type { Schema } from "./values.ts";

export interface FuzzOperation {
  readonly method: string;
  /** With names in braces, as the document has it. */
  readonly path: string;
  /** The operation's own part of the document. */
  readonly operation: Schema;
}

/** What is there for the requests to name. */
export interface Known {
  /** Ids of things of the operation's noun; for deletions more than one. */
  readonly ids: readonly string[];
  readonly cursors: readonly string[];
  /** Of the account: a key with all scopes, one without the one that is needed, one that was revoked. */
  readonly keys: Readonly<Record<"good" | "weak" | "revoked", string>>;
}

export type Header = readonly [name: string, value: string];

export interface FuzzRequest {
  readonly method: string;
  /** As it is in the request line, a character a byte. */
  readonly target: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly Header[];
  /** Whether it carries the account's good key, once and as the interface says. */
  readonly hasKey: boolean;
  readonly body: Buffer | undefined;
  readonly isChunked: boolean;
}
