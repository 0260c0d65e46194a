// Verifies a checkpoint of the log of evidence offline, by what its caller trusts (docs/evidence.md).
// Called by those who keep checkpoints. It must never trust a key that came with the checkpoint.

import { type LogPolicy, meetsQuorum, readTrust } from "./log-policy.ts";
import {
  fromBase64,
  hexOf,
  isEd25519,
  isKeyName,
  KEY_TYPE,
  keyOf,
  type Note,
  type NoteSignature,
  parseNote,
  type VerifierKey,
} from "./signed-note.ts";

export interface VerifyCheckpointOptions {
  /**
   * Id of the account whose checkpoint it must be. By default it must be one of the head log, which is the
   * one that witnesses sign.
   */
  readonly account?: string;
}

export interface VerifiedCheckpoint {
  /** Name of the log. */
  readonly origin: string;
  /** Number of entries: of an account, its events. */
  readonly size: number;
  /** Root of the tree: 64 lower-case hexadecimal characters. */
  readonly root: string;
  /** Witnesses of the policy whose cosignatures are right, and when they signed. */
  readonly witnesses: readonly { readonly name: string; readonly time: Date }[];
  /**
   * Witnesses of the policy whose lines counted for nothing: WebCrypto lacks ML-DSA-44, or the line has no
   * time.
   */
  readonly uncounted: readonly string[];
}

/** Why a checkpoint is not accepted. */
export class CheckpointError extends Error {
  override readonly name = "CheckpointError";
  readonly reason: "malformed" | "signature_missing" | "signature_invalid" | "quorum_missing";

  constructor(reason: CheckpointError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

const CHECKPOINT = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([^\n]+)\n$/;
const HASH_BYTES = 32;
const TIME_BYTES = 8;
const MS_PER_S = 1_000;

/**
 * Resolves to what a checkpoint says, if a log that `trusted` names signed it, and if a quorum of its
 * witnesses did if it is one of the head log. `trusted` is a vkey or the text of a policy. Throws
 * CheckpointError, and TypeError if `trusted` cannot be used.
 */
export async function verifyCheckpoint(
  checkpoint: string,
  trusted: string,
  { account }: VerifyCheckpointOptions = {},
): Promise<VerifiedCheckpoint> {
  const policy = await readTrust(trusted);
  const note = parseNote(checkpoint);
  const content = note && contentOf(note.text);
  if (note === undefined || content === undefined)
    throw new CheckpointError("malformed", "the text is not a signed checkpoint");
  const keys = await keysOf(policy, account);
  await expectSigned(note, keys, content.origin);
  const { uncounted, witnesses } = await cosignaturesOf(note, policy);
  const isSeen = meetsQuorum(policy, new Set(witnesses.map(({ name }) => name)));
  if (account === undefined && !isSeen)
    throw new CheckpointError("quorum_missing", "the witnesses that signed make no quorum");
  return { ...content, witnesses, uncounted };
}

/** A log signs the checkpoints of its accounts with its own key, under their names. */
async function keysOf(
  { logs }: LogPolicy,
  account: string | undefined,
): Promise<readonly VerifierKey[]> {
  if (account === undefined) return logs;
  return Promise.all(
    logs.map(({ name, publicKey, type }) => keyOf(`${name}/${account}`, type, publicKey)),
  );
}

/** A line of another key counts for nothing; one wrong line of a known key refuses all. */
async function expectSigned(
  note: Note,
  keys: readonly VerifierKey[],
  origin: string,
): Promise<void> {
  let isSigned = false;
  for (const line of note.signatures) {
    const key = keys.find((each) => isOf(line, each));
    if (key === undefined) continue;
    if (!(await isEd25519(key.publicKey, note.text, line.bytes))) throw invalid(key.name);
    isSigned ||= key.name === origin;
  }
  if (!isSigned)
    throw new CheckpointError("signature_missing", "no log that is trusted signed it by this name");
}

async function cosignaturesOf(note: Note, policy: LogPolicy) {
  const witnesses: { name: string; time: Date }[] = [];
  const uncounted: string[] = [];
  for (const line of note.signatures) {
    const witness = policy.witnesses.find(({ key }) => isOf(line, key));
    if (witness === undefined) continue;
    const { key, name } = witness;
    const time = timeOf(line.bytes);
    if (key.type === KEY_TYPE.mlDsaWitness) {
      uncounted.push(name);
      continue;
    }
    const message = `cosignature/v1\ntime ${time}\n${note.text}`;
    const isRight = await isEd25519(key.publicKey, message, line.bytes.slice(TIME_BYTES));
    if (time === undefined || !isRight) throw invalid(name);
    if (time === 0) uncounted.push(name);
    else witnesses.push({ name, time: new Date(time * MS_PER_S) });
  }
  return { witnesses, uncounted };
}

function isOf(line: NoteSignature, key: VerifierKey): boolean {
  return line.name === key.name && line.keyId === key.id;
}

/** Seconds since 1970. Undefined for a time that no Date can have. */
function timeOf(bytes: Uint8Array<ArrayBuffer>): number | undefined {
  if (bytes.length <= TIME_BYTES) return undefined;
  const time = Number(new DataView(bytes.buffer).getBigUint64(0));
  return Number.isNaN(new Date(time * MS_PER_S).getTime()) ? undefined : time;
}

function contentOf(text: string): Pick<VerifiedCheckpoint, "origin" | "size" | "root"> | undefined {
  const [, origin = "", decimal = "", encoded = ""] = CHECKPOINT.exec(text) ?? [];
  const [root, size] = [fromBase64(encoded), Number(decimal)];
  if (!isKeyName(origin) || !Number.isSafeInteger(size) || root?.length !== HASH_BYTES)
    return undefined;
  return { origin, size, root: hexOf(root) };
}

function invalid(name: string): CheckpointError {
  return new CheckpointError("signature_invalid", `the signature of ${name} is wrong`);
}
