// The time stamps of a bundle: tokens over checkpoints of the head log. Called by verify-evidence.ts in
// step 6. Without witnesses they give the time of an epoch, if the caller names authorities to trust. Without
// those it is still checked that each is over a checkpoint that the log signed.

import { type Policy, readTimeStamp, TimeStampFault } from "@annals/tlog";
import { createHash, type X509Certificate } from "node:crypto";
import type { BundleFiles } from "./bundle-files.ts";
import type { SeenHead } from "./head-walk.ts";
import { EvidenceFault } from "./evidence-fault.ts";
import { tokenTime } from "./timestamp-token.ts";
import { logKeys, trustedNote } from "./trusted-keys.ts";

export interface Stamp {
  /** Size and root of the stamped checkpoint of the head log. */
  readonly size: number;
  readonly root: Buffer;
  /** Seconds since 1970, as an authority signed it; undefined if the caller names none. */
  readonly time: number | undefined;
}

const TOKEN = /^timestamps\/([1-9]\d{0,15})\.tsr$/;
const MAX_TOKENS = 10_000;

/** The names of the tokens, without their ending. Throws EvidenceFault if there are too many. */
function stampNames(files: BundleFiles): readonly string[] {
  const names = files.names.filter((name) => TOKEN.test(name));
  if (names.length > MAX_TOKENS)
    throw new EvidenceFault("file_malformed", `a bundle has at most ${MAX_TOKENS} time stamps`);
  return names.map((name) => name.slice(0, -".tsr".length));
}

/** Throws EvidenceFault (timestamp_invalid, or a reason of the checkpoint's signatures). */
export function readStamps(
  files: BundleFiles,
  policy: Policy,
  authorities: readonly X509Certificate[],
): Stamp[] {
  return stampNames(files).map((name) => {
    const bytes = files.read(`${name}.checkpoint`);
    const keys = logKeys(policy, files.bundle.origin);
    const { checkpoint } = trustedNote(bytes, keys, [], `${name}.checkpoint`);
    const digest = createHash("sha256").update(bytes).digest();
    try {
      const token = files.read(`${name}.tsr`);
      const time = authorities.length > 0 ? tokenTime(token, digest, authorities) : undefined;
      if (time === undefined) readTimeStamp(token, digest);
      if (name !== `timestamps/${checkpoint.size}`) throw new TimeStampFault("is of another size");
      return { size: checkpoint.size, root: checkpoint.root, time };
    } catch (error) {
      if (!(error instanceof TimeStampFault)) throw error;
      throw new EvidenceFault("timestamp_invalid", `${name}.tsr: ${error.message}`);
    }
  });
}

/** The earliest time at which a token stamped the very checkpoint that holds a head. */
export function stampedTime(head: SeenHead, stamps: readonly Stamp[]): number | undefined {
  const times = stamps
    .filter(({ root, size }) => size === head.checkpoint.size && root.equals(head.checkpoint.root))
    .flatMap(({ time }) => time ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
