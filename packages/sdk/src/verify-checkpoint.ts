// Verifies a checkpoint of the log of evidence offline, by what its caller trusts (docs/evidence.md).
// Called by those who keep checkpoints. It must never trust a key that came with the checkpoint.

import {
  checkNote,
  hexOf,
  isKeyName,
  KEY_TYPE,
  makeAccountKey,
  MAX_POLICY_BYTES,
  meetsQuorum,
  type Note,
  type NoteCheck,
  parseNote,
  type Policy,
  readCheckpoint,
  readPolicy,
  runAsync,
  type SignatureQuestion,
  TlogError,
  utf8,
  type VerifierKey,
} from "@annals/tlog/text";

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

const MS_PER_S = 1_000;
const SIGNATURE_BYTES = 64;
// oxlint-disable-next-line no-control-regex -- it searches for control characters
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

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
  const { note, origin, root, size } = read(checkpoint);
  const logs = await check(note, await keysOf(policy, account), ({ name }) => name);
  if (!logs.signed.some(({ key }) => key.name === origin))
    throw new CheckpointError("signature_missing", "no log that is trusted signed it by this name");
  const names = new Map(policy.witnesses.map(({ key, name }) => [key, name]));
  const nameOf = (key: VerifierKey): string => names.get(key) ?? "";
  const { signed, uncounted } = await check(note, [...names.keys()], nameOf);
  const witnesses = signed.map(({ key, time = 0 }) => {
    const date = new Date(time * MS_PER_S);
    if (Number.isNaN(date.getTime())) throw invalid(nameOf(key));
    return { name: nameOf(key), time: date };
  });
  const isSeen = meetsQuorum(
    policy,
    witnesses.map(({ name }) => name),
  );
  if (account === undefined && !isSeen)
    throw new CheckpointError("quorum_missing", "the witnesses that signed make no quorum");
  return {
    origin,
    size,
    root: hexOf(root),
    witnesses,
    uncounted: uncounted.map(({ key }) => nameOf(key)),
  };
}

/** A policy, or a single vkey: then the log counts without witnesses. Throws TypeError. */
async function readTrust(text: string): Promise<Policy> {
  const isKey = /^\S+$/.test(text.trim());
  const bytes = utf8(isKey ? `log ${text}\nquorum none` : text);
  if (bytes.length > MAX_POLICY_BYTES || CONTROL.test(text) || !text.isWellFormed())
    throw new TypeError("the policy is too long, or has control characters");
  try {
    return await runAsync(readPolicy(bytes), sha256);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    const [line] = /^line \d+/.exec(error.message) ?? [];
    throw new TypeError(
      // Only a quorum that is missing is on no line.
      line === undefined ? "the policy has no quorum line" : `the policy cannot be used: ${line}`,
      { cause: error },
    );
  }
}

function read(checkpoint: string) {
  try {
    const note = parseNote(checkpoint);
    return { note, ...readCheckpoint(note.text) };
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new CheckpointError("malformed", "the text is not a signed checkpoint");
  }
}

/** A log signs the checkpoints of its accounts with its own key, under their names. */
async function keysOf({ logs }: Policy, account: string | undefined): Promise<VerifierKey[]> {
  const keys = logs.map(({ key }) => key);
  if (account === undefined) return keys;
  const named = keys.filter(({ name }) => isKeyName(`${name}/${account}`));
  return Promise.all(named.map((key) => runAsync(makeAccountKey(key, account), sha256)));
}

/** A line of another key counts for nothing; one wrong line of a known key refuses all. */
function check(
  note: Note,
  keys: readonly VerifierKey[],
  nameOf: (key: VerifierKey) => string,
): Promise<NoteCheck> {
  return runAsync(
    checkNote(note, keys, (key) => invalid(nameOf(key))),
    isSigned,
  );
}

/** False also for a public key that is not a point of the curve. */
async function isSigned(question: SignatureQuestion): Promise<boolean | undefined> {
  const { key, message, signature } = question;
  if (key.type === KEY_TYPE.mlDsa44Cosignature) return undefined;
  // The runtime of Workers throws for another length.
  if (signature.length !== SIGNATURE_BYTES) return false;
  try {
    const { subtle } = crypto;
    const imported = await subtle.importKey("raw", key.publicKey, "Ed25519", false, ["verify"]);
    return await subtle.verify("Ed25519", imported, new Uint8Array(signature), message);
  } catch (error) {
    // A runtime that lacks Ed25519 must not call a right signature wrong.
    if (error instanceof Error && error.name === "DataError") return false;
    throw error;
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function invalid(name: string): CheckpointError {
  return new CheckpointError("signature_invalid", `the signature of ${name} is wrong`);
}
