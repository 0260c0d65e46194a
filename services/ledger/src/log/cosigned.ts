// A checkpoint of the head log with the cosignatures that it has. Called by the RPCs of the log.

import type { Database } from "@annals/postgres";
import type { EpochRow } from "./store/epochs.ts";
import { type AnchorRow, listAnchors } from "./store/list-anchors.ts";

export interface Cosigned {
  readonly checkpoint: string;
  readonly witnesses: readonly Pick<AnchorRow, "name" | "time">[];
}

export async function cosigned(
  database: Database,
  log: number,
  { checkpoint, epoch }: EpochRow,
): Promise<Cosigned> {
  const witnesses = await database.run(listAnchors, [log, epoch, "witness"]);
  const lines = witnesses.map(({ bytes }) => bytes.toString("utf8"));
  return { checkpoint: [checkpoint, ...lines].join(""), witnesses };
}
