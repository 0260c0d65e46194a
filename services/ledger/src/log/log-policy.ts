// The operator's policy of the log: its witnesses, and which of them make a quorum. One object lives as long
// as the process, and another file replaces what it holds. Called by the epoch closer and by the RPCs of the
// log. It must never count a cosignature that it has not verified.

import {
  meetsQuorum,
  type NoteSignature,
  noteText,
  parseNote,
  parsePolicy,
  type Policy,
  TlogError,
  verifyNote,
  vkeyOf,
} from "@annals/tlog";
import { verifierKeys } from "./log-keys.ts";

export interface WitnessLine {
  /** The witness's name in the policy. */
  readonly name: string;
  /** Its signature line, with the line feed. */
  readonly line: string;
  /** Seconds since 1970. */
  readonly time: number;
}

const NO_POLICY: Policy = { logs: [], witnesses: [], groups: [], quorum: undefined };

export class LogPolicy {
  #policy = NO_POLICY;
  #text = "";

  /** The file as it is; empty without one. */
  get text(): string {
    return this.#text;
  }

  /** Whether an epoch is served without a quorum of witnesses. */
  get isServedAtOnce(): boolean {
    return this.#policy.quorum === undefined;
  }

  /** Throws TlogError (policy_malformed), whose message names the line; and as `expectLog` for the log. */
  use(text: string, log?: { readonly origin: string; readonly keys: readonly Uint8Array[] }): void {
    const policy = parsePolicy(Buffer.from(text));
    if (log !== undefined) expectLogIn(policy, log.origin, log.keys);
    this.#policy = policy;
    this.#text = text;
  }

  /** Throws if the policy names logs, and no key of this one among them. */
  expectLog(origin: string, publicKeys: readonly Uint8Array[]): void {
    expectLogIn(this.#policy, origin, publicKeys);
  }

  /** Whether a log line has this origin, with whatever key. */
  namesLog(origin: string): boolean {
    return this.#policy.logs.some(({ key }) => key.name === origin);
  }

  names(witness: string): boolean {
    return this.#policy.witnesses.some(({ name }) => name === witness);
  }

  /**
   * The lines of a signed note whose witnesses the policy names. Throws TlogError if one is wrong, or none
   * is there.
   */
  witnessLines(note: string): WitnessLine[] {
    const parsed = parseNote(note);
    const { witnesses } = this.#policy;
    const { signed } = verifyNote(
      parsed,
      witnesses.map(({ key }) => key),
    );
    return signed.flatMap(({ key, time }) => {
      const witness = witnesses.find((each) => each.key === key);
      const signature = parsed.signatures.find(
        ({ keyId, name }) => keyId === key.id && name === key.name,
      );
      if (witness === undefined || signature === undefined || time === undefined) return [];
      return [{ name: witness.name, line: lineOf(signature), time }];
    });
  }

  /** Whether the witnesses that have signed the note make a quorum. */
  isMetBy(note: string): boolean {
    if (this.isServedAtOnce) return true;
    try {
      const names = this.witnessLines(note).map(({ name }) => name);
      return meetsQuorum(this.#policy, names);
    } catch (error) {
      if (error instanceof TlogError) return false;
      throw error;
    }
  }
}

function expectLogIn({ logs }: Policy, origin: string, publicKeys: readonly Uint8Array[]): void {
  const own = verifierKeys(origin, publicKeys).map(vkeyOf);
  const isNamed = logs.some(({ key }) => own.includes(vkeyOf(key)));
  if (logs.length > 0 && !isNamed)
    throw new Error(`no log line of the policy has a key of the log ${origin}`);
}

function lineOf(signature: NoteSignature): string {
  return noteText({ text: "", signatures: [signature] }).slice(1);
}
