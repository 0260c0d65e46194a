// The sinks of the operator (docs/operators/sinks.md): what the file says of each. Each account that one is
// for has a row of its own, with the cursor. Called by the workers of sinks.

import type { SinkConfig } from "@annals/interface";
import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { OnRejected, SinkFormat } from "./sink.ts";

export interface OperatorSink {
  readonly name: string;
  /** `system`: the audit of the service alone. */
  readonly accounts: "all" | "system";
  readonly config: SinkConfig;
  readonly format: SinkFormat;
  /** JSON text; null: it is sent all events. */
  readonly filter: string | null;
  readonly leaveOut: readonly string[];
  readonly includeProof: boolean;
  /** JSON text; null: the classes of the service. */
  readonly mapping: string | null;
  readonly onRejected: OnRejected;
}

export function isFor({ accounts }: Pick<OperatorSink, "accounts">, accountId: string): boolean {
  return accounts === "all" || accountId === SYSTEM_ACCOUNT_ID;
}

/** The sinks of the file by their names. */
export type OperatorSinks = ReadonlyMap<string, OperatorSink>;
