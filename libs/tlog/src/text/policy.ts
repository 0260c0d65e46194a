// Policies (c2sp.org/tlog-policy): which logs are accepted, and which witnesses make a quorum. The caller of
// a verifier writes one; what a bundle or a server says must never replace it.

import { bytesOf, charactersOf, fromDecimal } from "./encoding.ts";
import type { Hashing } from "./steps.ts";
import { TlogError } from "./tlog-error.ts";
import { isSameKey, KEY_TYPE, readVkey, type VerifierKey } from "./vkey.ts";

export interface Witness {
  /** The name within the policy, which is not that of the key. */
  readonly name: string;
  readonly key: VerifierKey;
  readonly url: string | undefined;
}

export interface Group {
  readonly name: string;
  /** Members that must have seen a checkpoint. */
  readonly threshold: number;
  readonly members: readonly string[];
}

export interface Policy {
  readonly logs: readonly { readonly key: VerifierKey; readonly url: string | undefined }[];
  readonly witnesses: readonly Witness[];
  /** Each has only members that stand before it. */
  readonly groups: readonly Group[];
  /** The name of a witness or a group; undefined for `none`. */
  readonly quorum: string | undefined;
}

export const MAX_POLICY_BYTES = 256 * 1024;
/** Logs, witnesses and groups, each. */
const MAX_POLICY_ENTRIES = 32;

const NONE = "none";
const UTF8 = new TextDecoder("utf-8", { fatal: true });
/** Tab, line feed, and what is not a control character. */
const ALLOWED = /^[\t\n\u0020-\u007e\u0080-\u00ff]*$/;
const WITNESS_TYPES: readonly number[] = [KEY_TYPE.ed25519Cosignature, KEY_TYPE.mlDsa44Cosignature];

/** Throws TlogError (policy_malformed), whose message names the line. */
export function* readPolicy(bytes: Uint8Array): Hashing<Policy> {
  if (bytes.length > MAX_POLICY_BYTES)
    throw malformed(`a policy has at most ${MAX_POLICY_BYTES} bytes`);
  const text = charactersOf(bytes);
  if (!ALLOWED.test(text)) throw malformed("a policy has no control characters");
  const reader = new PolicyReader();
  for (const [at, line] of text.split("\n").entries()) {
    const items = line.split(/[\t ]+/).filter((item) => item !== "");
    if (items[0] === undefined || items[0].startsWith("#")) continue;
    try {
      yield* reader.read(items.map(decoded));
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      throw malformed(`line ${at + 1}: ${error.message}`);
    }
  }
  return reader.end();
}

class PolicyReader {
  readonly #logs: { key: VerifierKey; url: string | undefined }[] = [];
  readonly #witnesses: Witness[] = [];
  readonly #groups: Group[] = [];
  readonly #names = new Set([NONE]);
  readonly #members = new Set<string>();
  #quorum: string | undefined;

  *read([keyword = "", ...items]: readonly string[]): Hashing<void> {
    if (keyword === "log") yield* this.#readLog(items);
    else if (keyword === "witness") yield* this.#readWitness(items);
    else if (keyword === "group") this.#readGroup(items);
    else if (keyword === "quorum") this.#readQuorum(items);
    else throw malformed("a line begins with log, witness, group or quorum");
  }

  end(): Policy {
    if (this.#quorum === undefined) throw malformed("a policy has one quorum line");
    const quorum = this.#quorum === NONE ? undefined : this.#quorum;
    return { logs: this.#logs, witnesses: this.#witnesses, groups: this.#groups, quorum };
  }

  *#readLog([vkey, url, ...more]: readonly string[]): Hashing<void> {
    if (vkey === undefined || more.length > 0) throw malformed("log <vkey> [<url>]");
    const key = yield* readVkey(vkey);
    if (key.type !== KEY_TYPE.ed25519) throw malformed("the key is not that of a log");
    addKey(this.#logs, { key, url });
  }

  *#readWitness([name, vkey, url, ...more]: readonly string[]): Hashing<void> {
    if (name === undefined || vkey === undefined || more.length > 0)
      throw malformed("witness <name> <vkey> [<url>]");
    const key = yield* readVkey(vkey);
    if (!WITNESS_TYPES.includes(key.type)) throw malformed("the key is not that of a witness");
    this.#define(name);
    addKey(this.#witnesses, { name, key, url });
  }

  #readGroup([name, least, ...members]: readonly string[]): void {
    if (name === undefined || least === undefined || members.length === 0)
      throw malformed("group <name> <all, any or a number> <name>...");
    if (this.#groups.length === MAX_POLICY_ENTRIES) throw tooMany();
    for (const member of members) this.#addMember(member);
    const threshold = thresholdOf(least, members.length);
    if (threshold < 1 || threshold > members.length)
      throw malformed(`the threshold is all, any, or a number from 1 to ${members.length}`);
    this.#define(name);
    this.#groups.push({ name, threshold, members });
  }

  #readQuorum([name, ...more]: readonly string[]): void {
    if (name === undefined || more.length > 0) throw malformed("quorum <name>");
    if (this.#quorum !== undefined) throw malformed("there is a second quorum");
    if (name !== NONE) this.#expectDefined(name);
    this.#quorum = name;
  }

  #define(name: string): void {
    if (this.#names.has(name)) throw malformed("the name is defined already");
    this.#names.add(name);
  }

  /** A name is a member once in the whole policy, so that a witness counts in one way only. */
  #addMember(name: string): void {
    this.#expectDefined(name);
    if (this.#members.has(name)) throw malformed("a name is a member twice");
    this.#members.add(name);
  }

  #expectDefined(name: string): void {
    if (name === NONE || !this.#names.has(name))
      throw malformed("the name is not defined on a line before");
  }
}

function thresholdOf(least: string, members: number): number {
  if (least === "all") return members;
  return least === "any" ? 1 : (fromDecimal(least) ?? 0);
}

function addKey<Entry extends { readonly key: VerifierKey }>(list: Entry[], entry: Entry): void {
  if (list.length === MAX_POLICY_ENTRIES) throw tooMany();
  if (list.some(({ key }) => isSameKey(key, entry.key)))
    throw malformed("the public key appears twice");
  list.push(entry);
}

/** Names may have bytes beyond ASCII, which are UTF-8 here; comments may have any. */
function decoded(item: string): string {
  try {
    return UTF8.decode(bytesOf(item));
  } catch {
    throw malformed("is not UTF-8");
  }
}

function tooMany(): TlogError {
  return malformed(`a policy has at most ${MAX_POLICY_ENTRIES} logs, witnesses and groups each`);
}

function malformed(message: string): TlogError {
  return new TlogError("policy_malformed", message);
}
