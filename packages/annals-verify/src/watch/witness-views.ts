// What the witnesses themselves say of the head log, read from their monitoring API (c2sp.org/tlog-witness).
// Called by watch-log.ts. It shows a log that was set back, and one that shows two histories.

import type { Policy, Witness } from "@annals/tlog";
import { createHash } from "node:crypto";
import { EvidenceFault, NotChecked } from "../evidence/evidence-fault.ts";
import type { SeenHead } from "../evidence/head-walk.ts";
import { logKeys, trustedNote } from "../evidence/trusted-keys.ts";
import { boundedGet, httpAddress } from "../bounded-get.ts";

/** The last checkpoint of the head log that a witness cosigned. */
interface View {
  readonly witness: string;
  readonly size: number;
  readonly root: Buffer;
  /** Seconds since 1970. */
  readonly time: number;
}

export interface Views {
  readonly views: readonly View[];
  /** Names of witnesses that were not read, and why. */
  readonly unread: readonly { readonly witness: string; readonly why: string }[];
}

const MAX_VIEW_BYTES = 64 * 1024;
/** A witness may answer from a cache. */
const SETTLED_AFTER_S = 600;

/** Asks each witness of the policy that has an address. */
export async function readViews(policy: Policy, origin: string): Promise<Views> {
  const asked = policy.witnesses.filter(({ url }) => url !== undefined);
  const answers = await Promise.all(
    asked.map(async (witness) => {
      try {
        return await readView(policy, witness, origin);
      } catch (error) {
        if (!(error instanceof NotChecked || error instanceof EvidenceFault)) throw error;
        return { witness: witness.name, why: error.message };
      }
    }),
  );
  return {
    views: answers.filter((answer) => "root" in answer),
    unread: answers.filter((answer) => "why" in answer),
  };
}

/**
 * Throws EvidenceFault (checkpoint_conflict) if a witness has seen another head log than the service
 * shows. `newest` is the service's newest epoch, read after the views; `now` is in seconds since 1970.
 */
export function checkViews(
  { views }: Views,
  heads: readonly SeenHead[],
  newest: number,
  now: number,
): void {
  for (const { root, size, witness } of views) {
    const fault = (message: string) =>
      new EvidenceFault("checkpoint_conflict", `witness ${witness} ${message}`);
    const same = heads.find(({ checkpoint }) => checkpoint.size === size);
    if (same !== undefined && !same.checkpoint.root.equals(root))
      throw fault(`has seen another head log, of ${size} epochs too`);
    if (size > newest)
      throw fault(`has seen ${size} epochs, and the service has ${newest}: the log was set back`);
    const cosigned = heads.findLast(({ cosignatures }) =>
      cosignatures.some((each) => each.witness === witness && each.time < now - SETTLED_AFTER_S),
    );
    if (cosigned !== undefined && cosigned.checkpoint.size > size)
      throw fault(`cosigned ${cosigned.checkpoint.size} epochs, and now knows ${size} only`);
  }
}

async function readView(policy: Policy, { key, name, url }: Witness, origin: string) {
  const base = httpAddress(url ?? "", "its address in the policy");
  const log = createHash("sha256").update(origin).digest("hex");
  const bytes = await boundedGet(new URL(`${log}/checkpoint`, base), MAX_VIEW_BYTES);
  const note = trustedNote(bytes, logKeys(policy, origin), [key], "its checkpoint");
  const { root, size } = note.checkpoint;
  const time = note.signed.find((each) => each.key === key)?.time;
  if (time === undefined)
    throw new NotChecked("its checkpoint has no cosignature that counts here");
  return { witness: name, size, root, time };
}
