// Step 5 of the verification: the heads of the account in epochs of the head log, each under a checkpoint
// that the log signed and witnesses saw. Called by verify-evidence.ts. It keeps size and times of each line.

import { canonicalJson, type JsonObject, type JsonValue, readJson } from "@annals/event";
import {
  type Checkpoint,
  type Cosignature,
  entryHash,
  type Head,
  MAX_MAP_DEPTH,
  MAX_PROOF_HASHES,
  meetsQuorum,
  type Policy,
  quorumTime,
  TlogError,
  verifyConsistency,
  verifyHead,
  verifyInclusion,
} from "@annals/tlog";
import { BadLine } from "../bad-line.ts";
import { anyText, exactObject, integerFrom, SHA256, textLike, TIME } from "../shape.ts";
import { asFault, type BundleFiles } from "./bundle-files.ts";
import { EvidenceFault } from "./evidence-fault.ts";
import { logKeys, trustedNote } from "./trusted-keys.ts";

export interface SeenHead {
  readonly epoch: number;
  /** Events that the head covers. */
  readonly size: number;
  /** The checkpoint of the head log that holds the epoch. */
  readonly checkpoint: Checkpoint;
  readonly cosignatures: readonly Cosignature[];
  readonly isWitnessed: boolean;
  /** Since when a quorum has seen it, in seconds since 1970. */
  readonly time: number | undefined;
}

export interface BundleHeads {
  readonly heads: readonly SeenHead[];
  /** Names within the policy: this runtime cannot verify their cosignatures, or these have no time. */
  readonly uncounted: ReadonlySet<string>;
}

interface HeadLine {
  readonly epoch: number;
  readonly entry: string;
  readonly entryKind: string;
  readonly entryEpoch: number;
  /** Root of the map of heads, from the entry. */
  readonly map: Buffer;
  readonly head: Head;
  readonly path: readonly Buffer[];
  readonly checkpoint: string;
  readonly inclusion: readonly Buffer[];
  readonly consistency: readonly Buffer[];
}

const HEADS = "heads.jsonl";
const MAX_LINES = 100_000;
const READ_LIMITS = { maxDepth: 4, maxValues: 2_000 };
const MEMBERS = ["epoch", "entry", "head", "path", "checkpoint", "inclusion", "consistency"];

/** Throws EvidenceFault. `checkpoint` is that of the account. */
export async function bundleHeads(
  files: BundleFiles,
  policy: Policy,
  checkpoint: Checkpoint,
): Promise<BundleHeads> {
  const heads: SeenHead[] = [];
  const uncounted = new Set<string>();
  let last: Head | undefined;
  for await (const { bytes, line } of files.lines(HEADS)) {
    const where = `${HEADS} line ${line}`;
    if (line > MAX_LINES)
      throw new EvidenceFault("file_malformed", `${HEADS} has over ${MAX_LINES} lines`);
    const read = asFault("file_malformed", where, () => readLine(bytes));
    const seen = checkSignatures(read, files, policy, where, uncounted);
    checkEpoch(read, seen.checkpoint, heads.at(-1)?.epoch ?? 0, files.bundle.chain, where);
    checkConsistency(read, last, checkpoint, where);
    heads.push(seen);
    last = read.head;
  }
  const isFinal = last?.size === checkpoint.size && last.root.equals(checkpoint.root);
  if (!isFinal || heads.at(-1)?.isWitnessed !== true)
    throw new EvidenceFault("quorum_missing", "no quorum has seen the checkpoint");
  return { heads, uncounted };
}

/** What the log and the witnesses of the policy signed of a line. */
function checkSignatures(
  line: HeadLine,
  { bundle }: BundleFiles,
  policy: Policy,
  where: string,
  uncounted: Set<string>,
): SeenHead {
  const witnesses = policy.witnesses.map(({ key }) => key);
  const note = trustedNote(line.checkpoint, logKeys(policy, bundle.origin), witnesses, where);
  const nameOf = (key: object) => policy.witnesses.find((each) => each.key === key)?.name;
  const cosignatures = note.signed.flatMap(({ key, time }) => {
    const witness = nameOf(key);
    return witness === undefined || time === undefined ? [] : [{ witness, time }];
  });
  for (const { key } of note.uncounted) uncounted.add(nameOf(key) ?? key.name);
  const seenBy = cosignatures.map(({ witness }) => witness);
  return {
    epoch: line.epoch,
    size: line.head.size,
    checkpoint: note.checkpoint,
    cosignatures,
    isWitnessed: meetsQuorum(policy, seenBy),
    time: quorumTime(policy, cosignatures),
  };
}

/** The epochs rise, the entry is in its checkpoint, and the head is in the map of the entry. */
function checkEpoch(
  line: HeadLine,
  { root, size }: Checkpoint,
  lastEpoch: number,
  chain: string,
  where: string,
): void {
  const fault = (message: string) => new EvidenceFault("head_mismatch", `${where}: ${message}`);
  if (line.epoch <= lastEpoch) throw fault("the epochs do not rise");
  if (line.entryKind !== "heads" || line.entryEpoch !== line.epoch)
    throw fault("the entry is not one of heads of this epoch");
  if (line.head.chain !== chain) throw fault("the head is of another chain");
  try {
    const leaf = entryHash(Buffer.from(line.entry));
    verifyInclusion(line.epoch - 1, size, leaf, line.inclusion, root);
    verifyHead(line.map, line.head, line.path);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw fault(error.message);
  }
}

function checkConsistency(
  { consistency, head }: HeadLine,
  last: Head | undefined,
  checkpoint: Checkpoint,
  where: string,
): void {
  try {
    if (last !== undefined && head.size < last.size)
      throw new TlogError("consistency_mismatch", "the head is smaller than the one before");
    verifyConsistency(head, checkpoint, consistency);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new EvidenceFault("consistency_mismatch", `${where}: ${error.message}`);
  }
}

/** Throws BadLine, and JsonFault for what is not JSON. */
function readLine(bytes: Buffer): HeadLine {
  const line = exactObject(readJson(bytes, READ_LIMITS), MEMBERS, "the line");
  const head = exactObject(line["head"], ["chain", "root", "size", "v"], "the head");
  expectVersion(head, "the head");
  return {
    epoch: integerFrom(line["epoch"], 1, "its epoch"),
    ...readEntry(anyText(line["entry"], "its entry")),
    head: {
      chain: anyText(head["chain"], "the head's chain"),
      root: Buffer.from(textLike(head["root"], SHA256, "the head's root"), "hex"),
      size: integerFrom(head["size"], 0, "the head's size"),
    },
    path: readHashes(line["path"], MAX_MAP_DEPTH, "its path"),
    checkpoint: anyText(line["checkpoint"], "its checkpoint"),
    inclusion: readHashes(line["inclusion"], MAX_PROOF_HASHES, "its inclusion"),
    consistency: readHashes(line["consistency"], MAX_PROOF_HASHES, "its consistency"),
  };
}

function readEntry(text: string) {
  const value = readJson(Buffer.from(text), READ_LIMITS);
  if (canonicalJson(value) !== text) throw new BadLine("the entry is not canonical JSON");
  const entry = exactObject(value, ["epoch", "heads", "kind", "time", "v"], "the entry");
  expectVersion(entry, "the entry");
  textLike(entry["time"], TIME, "the entry's time");
  return {
    entry: text,
    entryKind: anyText(entry["kind"], "the entry's kind"),
    entryEpoch: integerFrom(entry["epoch"], 1, "the entry's epoch"),
    map: Buffer.from(textLike(entry["heads"], SHA256, "the entry's heads"), "hex"),
  };
}

function readHashes(value: JsonValue | undefined, most: number, what: string): Buffer[] {
  if (!Array.isArray(value) || value.length > most)
    throw new BadLine(`${what} is not a list of at most ${most} hashes`);
  return value.map((hash) => Buffer.from(textLike(hash, SHA256, what), "hex"));
}

function expectVersion(object: JsonObject, what: string): void {
  if (object["v"] !== 1) throw new BadLine(`the version of ${what} is unknown`);
}
