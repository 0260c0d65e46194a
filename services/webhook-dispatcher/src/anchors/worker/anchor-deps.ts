// What the worker of the anchors needs, for witnesses and for time stamps, and how both report that one is
// overdue. Called by anchors.ts and time-stamps.ts.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import type { WitnessTarget } from "../rules/witness-targets.ts";
import type { Metrics } from "../../metrics.ts";

export type AnchorLedger = Pick<Client<typeof LedgerService>, "addAnchor" | "listAnchorWork">;

/** The newest checkpoint, and the proofs for it. */
export type AnchorWork = Awaited<ReturnType<AnchorLedger["listAnchorWork"]>>;

export interface AnchorsDeps {
  readonly database: Database;
  /** The clock of the database, by which epochs are closed. */
  readonly databaseMicros: () => number;
  readonly extraAuthorities: string | undefined;
  readonly ledger: AnchorLedger;
  readonly log: Logger;
  readonly logTsaIntervalS: number;
  /** Undefined: no time stamps are made. */
  readonly logTsaUrl: string | undefined;
  readonly logWitnessIntervalS: number;
  readonly metrics: Pick<Metrics, "anchorLag" | "failures" | "witnessRequests">;
  readonly random: (size: number) => Uint8Array;
  readonly witnesses: () => readonly WitnessTarget[];
}

/** `since`: when the oldest epoch without the anchor was closed; empty if there is no such epoch. */
export function reportLag(
  { databaseMicros, metrics }: Pick<AnchorsDeps, "databaseMicros" | "metrics">,
  kind: "witness" | "timestamp",
  since: string,
  intervalS: number,
): void {
  const waited = databaseMicros() / 1e6 - Date.parse(since) / 1e3;
  metrics.anchorLag.set({ kind }, since === "" ? 0 : Math.max(0, waited - intervalS));
}
