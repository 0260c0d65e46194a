// A signer of the head log within the process of a test, which follows the rules of the keys service: it
// signs one head of each size, and only one that continues the last. Imported by tests only.

import { invalid } from "@annals/errors";
import {
  accountKey,
  checkpointText,
  entryHash,
  noteSigner,
  noteText,
  parseEntry,
  parseHeadRecord,
  verifyConsistency,
  verifyHead,
  verifyInclusion,
  type VerifierKey,
} from "@annals/tlog";
import type { PlanReads } from "../retention/plan-retention.ts";
import type { EpochCloserDeps } from "../log/worker/epoch-closer.ts";

interface SignedHead {
  readonly size: number;
  readonly root: Buffer;
}

interface PlanRetention {
  readonly days?: number;
  readonly minDays: number;
  readonly archive?: boolean;
  readonly archiveDays?: number;
}

const EMPTY: SignedHead = { size: 0, root: Buffer.alloc(0) };

export const ORIGIN = "log.example/test";

export class LogSigner {
  /** Newest first. */
  readonly seeds: Buffer[] = [Buffer.alloc(32, 1)];
  /** What it has signed, by the order in which it did: the text of each note. */
  readonly signed: string[] = [];
  head: SignedHead = EMPTY;
  /** The keys of the head log that have signed, those that left included. */
  readonly used = new Map<string, VerifierKey>();

  readonly #signers = (origin: string) => this.seeds.map((seed) => noteSigner(origin, seed));

  readonly #note = (name: string, head: SignedHead): string => {
    const text = checkpointText({ origin: name, ...head });
    for (const { key } of this.#signers(ORIGIN)) this.used.set(key.id, key);
    return noteText({ text, signatures: this.#signers(name).map(({ sign }) => sign(text)) });
  };

  /** What the plan of every account says. */
  retention: PlanRetention = { minDays: 30 };

  readonly client: EpochCloserDeps["keys"] & PlanReads = {
    listRetentions: async ({ accountIds = [] }) => ({
      $typeName: "annals.keys.v1.ListRetentionsResponse",
      retentions: accountIds.map(() => ({
        $typeName: "annals.keys.v1.PlanRetention",
        archive: false,
        ...this.retention,
      })),
    }),
    getSignedHead: ({ origin }) =>
      Promise.resolve({
        $typeName: "annals.keys.v1.GetSignedHeadResponse",
        origin: origin === "" || origin === undefined ? ORIGIN : origin,
        publicKeys: this.#signers(ORIGIN).map(({ key }) => new Uint8Array(key.publicKey)),
        size: BigInt(this.head.size),
      }),
    signEpoch: async (request) => {
      const { consistency = [], entry = "", inclusion = [], oldSize, origin = "" } = request;
      const head = { size: Number(request.size), root: bytesOf(request.root ?? []) };
      const isSame = head.size === this.head.size && head.root.equals(this.head.root);
      if (!isSame) {
        // A log that follows another begins anew.
        if (parseEntry(entry).kind === "succeeds") this.head = EMPTY;
        if (Number(oldSize) !== this.head.size) return answer("", this.head.size);
        if (head.size !== Number(oldSize) + 1)
          throw invalid({ field: "size", message: "must be one more than old_size" });
        try {
          verifyConsistency(this.head, head, consistency.map(bytesOf));
        } catch {
          if (this.head.size > 0)
            throw invalid({ field: "consistency", message: "does not continue" });
        }
        const leaf = entryHash(Buffer.from(entry));
        if (parseEntry(entry).epoch !== head.size) throw new Error("another epoch");
        verifyInclusion(head.size - 1, head.size, leaf, inclusion.map(bytesOf), head.root);
      }
      this.head = head;
      const note = this.#note(origin, head);
      this.signed.push(note);
      return answer(note, head.size);
    },
    signCheckpoint: async (request) => {
      const { entry = "", head: record = "", inclusion = [], origin = "", path = [] } = request;
      if (Number(request.size) !== this.head.size) return checkpoint("", this.head.size);
      const said = parseEntry(entry);
      const head = parseHeadRecord(record);
      if (said.kind !== "heads") throw new Error("not an epoch with heads");
      verifyHead(said.heads, head, path.map(bytesOf));
      const leaf = entryHash(Buffer.from(entry));
      const proof = inclusion.map(bytesOf);
      verifyInclusion(said.epoch - 1, this.head.size, leaf, proof, this.head.root);
      return checkpoint(this.#note(`${origin}/${head.chain}`, head), this.head.size);
    },
  };

  keysOf(name: string) {
    return this.#signers(ORIGIN).map(({ key }) => (name === "" ? key : accountKey(key, name)));
  }
}

function answer(note: string, size: number) {
  const $typeName = "annals.keys.v1.SignEpochResponse" as const;
  return { $typeName, checkpoint: note, signedSize: BigInt(size) };
}

function checkpoint(note: string, size: number) {
  const $typeName = "annals.keys.v1.SignCheckpointResponse" as const;
  return { $typeName, checkpoint: note, signedSize: BigInt(size) };
}

function bytesOf(bytes: ArrayLike<number>): Buffer {
  return Buffer.from(bytes);
}
