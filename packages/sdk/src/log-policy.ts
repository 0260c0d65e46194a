// Policies of C2SP (tlog-policy): which logs are accepted, and which witnesses make a quorum. Called by
// verify-checkpoint.ts with what its caller trusts. It must refuse whatever it does not understand whole.

import { KEY_TYPE, parseVkey, type VerifierKey } from "./signed-note.ts";

interface Group {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

export interface LogPolicy {
  readonly logs: readonly VerifierKey[];
  readonly witnesses: readonly { readonly name: string; readonly key: VerifierKey }[];
  /** Each has only members that come before it. */
  readonly groups: readonly Group[];
  /** The name of a witness or a group; undefined for `none`. */
  readonly quorum: string | undefined;
}

const MAX_POLICY_CHARACTERS = 256 * 1024;
/** Logs, witnesses and groups, each. */
const MAX_ENTRIES = 32;
const NONE = "none";
// oxlint-disable-next-line no-control-regex -- it searches for control characters
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;
const NUMBER = /^[1-9]\d?$/;

/** A policy, or a single vkey: then the log counts without witnesses. Throws TypeError. */
export async function readTrust(text: string): Promise<LogPolicy> {
  if (text.length > MAX_POLICY_CHARACTERS || CONTROL.test(text) || !text.isWellFormed())
    throw new TypeError("the policy is too long, or has control characters");
  if (/^\S+$/.test(text.trim())) return new PolicyReader().read(`log ${text}\nquorum ${NONE}`);
  return new PolicyReader().read(text);
}

class PolicyReader {
  readonly #logs: VerifierKey[] = [];
  readonly #witnesses: { name: string; key: VerifierKey }[] = [];
  readonly #groups: Group[] = [];
  readonly #names = new Set([NONE]);
  readonly #members = new Set<string>();
  readonly #publicKeys = new Set<string>();
  #quorum: string | undefined;

  async read(text: string): Promise<LogPolicy> {
    for (const [at, line] of text.split("\n").entries()) {
      const items = line.split(/[\t ]+/).filter((item) => item !== "");
      if (items[0] === undefined || items[0].startsWith("#")) continue;
      if (!(await this.#readLine(items)))
        throw new TypeError(`the policy cannot be used: line ${at + 1}`);
    }
    if (this.#quorum === undefined) throw new TypeError("the policy has no quorum line");
    const quorum = this.#quorum === NONE ? undefined : this.#quorum;
    return { logs: this.#logs, witnesses: this.#witnesses, groups: this.#groups, quorum };
  }

  async #readLine([keyword, ...items]: readonly string[]): Promise<boolean> {
    if (keyword === "log") return this.#readLog(items);
    if (keyword === "witness") return this.#readWitness(items);
    if (keyword === "group") return this.#readGroup(items);
    return keyword === "quorum" && this.#readQuorum(items);
  }

  async #readLog([vkey = "", , ...more]: readonly string[]): Promise<boolean> {
    const key = await parseVkey(vkey);
    if (key?.type !== KEY_TYPE.log || more.length > 0 || !this.#isNew(this.#logs, key))
      return false;
    this.#logs.push(key);
    return true;
  }

  async #readWitness([name = "", vkey = "", , ...more]: readonly string[]): Promise<boolean> {
    const key = await parseVkey(vkey);
    if (key === undefined || key.type === KEY_TYPE.log || more.length > 0) return false;
    if (!this.#define(name) || !this.#isNew(this.#witnesses, key)) return false;
    this.#witnesses.push({ name, key });
    return true;
  }

  #readGroup([name = "", least = "", ...members]: readonly string[]): boolean {
    const threshold = least === "all" ? members.length : least === "any" ? 1 : numberIn(least);
    const isPossible = threshold >= 1 && threshold <= members.length;
    if (!isPossible || this.#groups.length === MAX_ENTRIES) return false;
    for (const member of members) {
      // A name is a member once in the whole policy, so that a witness counts in one way only.
      if (!this.#isDefined(member) || this.#members.has(member)) return false;
      this.#members.add(member);
    }
    this.#groups.push({ name, threshold, members });
    return this.#define(name);
  }

  #readQuorum([name = "", ...more]: readonly string[]): boolean {
    if (more.length > 0 || this.#quorum !== undefined) return false;
    this.#quorum = name;
    return name === NONE || this.#isDefined(name);
  }

  #define(name: string): boolean {
    const isNew = name !== "" && !this.#names.has(name);
    this.#names.add(name);
    return isNew;
  }

  #isDefined(name: string): boolean {
    return name !== NONE && this.#names.has(name);
  }

  /** Logs and witnesses may share a public key, two of a kind may not. */
  #isNew(list: readonly unknown[], { publicKey, type }: VerifierKey): boolean {
    const kind = type === KEY_TYPE.log ? "log" : "witness";
    const key = `${kind} ${publicKey.join()}`;
    if (list.length === MAX_ENTRIES || this.#publicKeys.has(key)) return false;
    this.#publicKeys.add(key);
    return true;
  }
}

function numberIn(text: string): number {
  return NUMBER.test(text) ? Number(text) : 0;
}

/** `witnesses` are names within the policy. */
export function meetsQuorum({ groups, quorum }: LogPolicy, witnesses: Iterable<string>): boolean {
  if (quorum === undefined) return true;
  const met = new Set(witnesses);
  for (const { members, name, threshold } of groups)
    if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);
  return met.has(quorum);
}
