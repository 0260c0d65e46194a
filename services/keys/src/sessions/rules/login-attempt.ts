// A login that has begun: what the browser keeps, sealed, until the provider sends it back. Called by
// sessions/log-in.ts. Nothing of it is stored, so that logins of strangers fill no table.

import { createHash, hkdfSync, type KeyObject } from "node:crypto";
import type { Realm } from "./realm.ts";
import { open, seal } from "./sealed.ts";

export interface LoginAttempt {
  readonly provider: string;
  readonly realm: Realm;
  /** These three are 32 random bytes in base64url. */
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE. */
  readonly verifier: string;
  /** A fragment of a page of the realm. */
  readonly returnTo: string;
  readonly beganAtMs: number;
}

/** The secrets of admissions by their ids, newest first. */
type Secrets = ReadonlyMap<string, KeyObject>;

type Members = [
  realm: Realm,
  ...texts: [string, string, string, string, string],
  beganAtMs: number,
];

type Random = (size: number) => Uint8Array;

const MAX_ATTEMPT_MS = 600_000;
/** Characters of the state in the name of the cookie: each of several logins at a time has its own. */
export const STATE_PREFIX_LENGTH = 8;
const MAX_SEALED_LENGTH = 2_048;

const RANDOM_BYTES = 32;
const KEY_BYTES = 32;
const PURPOSE = "annals login v1";
const RETURN_TO = /^#\/[\x21-\x7e]{0,1000}$/;
const FIRST_PAGE = "#/";

export function newAttempt(
  provider: string,
  returnTo: string,
  {
    nowMs,
    random,
    realm = "dashboard",
  }: { readonly nowMs: number; readonly random: Random; readonly realm?: Realm },
): LoginAttempt {
  const text = (): string => Buffer.from(random(RANDOM_BYTES)).toString("base64url");
  return {
    provider,
    realm,
    state: text(),
    nonce: text(),
    verifier: text(),
    returnTo: RETURN_TO.test(returnTo) ? returnTo : FIRST_PAGE,
    beganAtMs: nowMs,
  };
}

/** The challenge of PKCE (RFC 7636, S256). */
export function challengeOf({ verifier }: LoginAttempt): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

/** `<id of the secret>.<base64url>`. Throws if there is no secret. */
export function sealAttempt(secrets: Secrets, attempt: LoginAttempt, random: Random): string {
  const [newest] = secrets;
  if (newest === undefined) throw new Error("there is no secret of admissions");
  const [id, secret] = newest;
  const { beganAtMs, nonce, provider, realm, returnTo, state, verifier } = attempt;
  const members = [realm, provider, state, nonce, verifier, returnTo, beganAtMs];
  const plain = Buffer.from(JSON.stringify(members));
  const sealed = seal(keyOf(secret), plain, { purpose: PURPOSE, random });
  return `${id}.${sealed.toString("base64url")}`;
}

/** Undefined: it was not sealed here, was changed, or began more than ten minutes ago. */
export function openAttempt(
  secrets: Secrets,
  text: string,
  nowMs: number,
): LoginAttempt | undefined {
  if (text.length > MAX_SEALED_LENGTH) return undefined;
  const dot = text.lastIndexOf(".");
  const secret = secrets.get(text.slice(0, dot));
  if (secret === undefined) return undefined;
  const sealed = Buffer.from(text.slice(dot + 1), "base64url");
  const plain = open(keyOf(secret), sealed, PURPOSE);
  if (plain === undefined) return undefined;
  const members = JSON.parse(plain.toString()) as Members;
  const [realm, provider, state, nonce, verifier, returnTo, beganAtMs] = members;
  if (nowMs - beganAtMs > MAX_ATTEMPT_MS) return undefined;
  return { realm, provider, state, nonce, verifier, returnTo, beganAtMs };
}

/** Another key than that which signs admissions. */
function keyOf(secret: KeyObject): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, Buffer.alloc(0), PURPOSE, KEY_BYTES));
}
