// Step 5 of the verification, line by line: the heads of the account in epochs of the head log, each under a
// checkpoint that the log signed and witnesses saw. Called by bundle-heads.ts and by the watch.

import {
  type Checkpoint,
  type Cosignature,
  entryHash,
  type Head,
  meetsQuorum,
  type Policy,
  quorumTime,
  TlogError,
  verifyConsistency,
  verifyHead,
  verifyInclusion,
} from "@annals/tlog";
import { EvidenceFault } from "./evidence-fault.ts";
import type { HeadLine } from "./head-line.ts";
import { logKeys, trustedNote } from "./trusted-keys.ts";

export interface SeenHead {
  readonly epoch: number;
  /** When the epoch was closed, as the log states it. */
  readonly closed: string;
  /** Events that the head covers. */
  readonly size: number;
  readonly root: Buffer;
  /** The checkpoint of the head log that holds the epoch. */
  readonly checkpoint: Checkpoint;
  readonly cosignatures: readonly Cosignature[];
  readonly isWitnessed: boolean;
  /** Since when a quorum has seen it, in seconds since 1970. */
  readonly time: number | undefined;
}

/** Whose heads they are, and who is trusted. */
export interface HeadTrust {
  readonly policy: Policy;
  /** The origin of the head log. */
  readonly origin: string;
  readonly chain: string;
}

export class HeadWalk {
  readonly #trust: HeadTrust;
  #last: SeenHead | undefined;
  /** Names within the policy: this runtime cannot verify their cosignatures, or these have no time. */
  readonly uncounted = new Set<string>();

  /** `last` is a head that was seen before the first line. */
  constructor(trust: HeadTrust, last?: SeenHead) {
    this.#trust = trust;
    this.#last = last;
  }

  get last(): SeenHead | undefined {
    return this.#last;
  }

  /** Takes the next line. Throws EvidenceFault. `checkpoint` is that of the account. */
  take(line: HeadLine, checkpoint: Checkpoint, where: string): SeenHead {
    const seen = this.#checkSignatures(line, where);
    this.#checkEpoch(line, seen.checkpoint, where);
    this.#checkConsistency(line, seen.checkpoint, checkpoint, where);
    this.#last = seen;
    return seen;
  }

  /** Throws EvidenceFault (quorum_missing) unless the last head is `checkpoint`, and a quorum has seen it. */
  end({ root, size }: Checkpoint): void {
    const isFinal = this.#last?.size === size && this.#last.root.equals(root);
    if (!isFinal || this.#last?.isWitnessed !== true)
      throw new EvidenceFault("quorum_missing", "no quorum has seen the checkpoint");
  }

  /** What the log and the witnesses of the policy signed of a line. */
  #checkSignatures(line: HeadLine, where: string): SeenHead {
    const { origin, policy } = this.#trust;
    const witnesses = policy.witnesses.map(({ key }) => key);
    const note = trustedNote(line.checkpoint, logKeys(policy, origin), witnesses, where);
    const nameOf = (key: object) => policy.witnesses.find((each) => each.key === key)?.name;
    const cosignatures = note.signed.flatMap(({ key, time }) => {
      const witness = nameOf(key);
      return witness === undefined || time === undefined ? [] : [{ witness, time }];
    });
    for (const { key } of note.uncounted) this.uncounted.add(nameOf(key) ?? key.name);
    const seenBy = cosignatures.map(({ witness }) => witness);
    return {
      epoch: line.epoch,
      closed: line.entryTime,
      size: line.head.size,
      root: line.head.root,
      checkpoint: note.checkpoint,
      cosignatures,
      isWitnessed: meetsQuorum(policy, seenBy),
      time: quorumTime(policy, cosignatures),
    };
  }

  /** The epochs rise, the entry is in its checkpoint, and the head is in the map of the entry. */
  #checkEpoch(line: HeadLine, { root, size }: Checkpoint, where: string): void {
    const fault = (message: string) => new EvidenceFault("head_mismatch", `${where}: ${message}`);
    if (line.epoch <= (this.#last?.epoch ?? 0)) throw fault("the epochs do not rise");
    if (line.entryKind !== "heads" || line.entryEpoch !== line.epoch)
      throw fault("the entry is not one of heads of this epoch");
    if (line.head.chain !== this.#trust.chain) throw fault("the head is of another chain");
    try {
      const leaf = entryHash(Buffer.from(line.entry));
      verifyInclusion(line.epoch - 1, size, leaf, line.inclusion, root);
      verifyHead(line.map, line.head, line.path);
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      throw fault(error.message);
    }
  }

  /** The heads do not shrink and lead to the checkpoint, and the head log has one root at one size. */
  #checkConsistency(
    { consistency, head }: { readonly consistency: readonly Buffer[]; readonly head: Head },
    log: Checkpoint,
    checkpoint: Checkpoint,
    where: string,
  ): void {
    const last = this.#last;
    try {
      if (last !== undefined && head.size < last.size)
        throw new TlogError("consistency_mismatch", "the head is smaller than the one before");
      if (last?.checkpoint.size === log.size && !last.checkpoint.root.equals(log.root))
        throw new TlogError("consistency_mismatch", "the head log has two roots at one size");
      verifyConsistency(head, checkpoint, consistency);
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      throw new EvidenceFault("consistency_mismatch", `${where}: ${error.message}`);
    }
  }
}
