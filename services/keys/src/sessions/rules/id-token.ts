// What is read from the claims of an ID token whose signature, issuer, audience and nonce were checked: its
// times, the person, the groups. Called by the client of the provider.

import { LoginFailure } from "./login-failure.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** Seconds by which the clock of a provider may differ. */
export const CLAIM_SKEW_S = 30;
/** The same for when a token was issued, which providers may set loosely. */
export const ISSUED_SKEW_S = 300;

const MAX_SUBJECT_BYTES = 1_024;
const MAX_SHOWN_LENGTH = 255;
const MAX_GROUPS = 1_000;
const MAX_GROUPS_BYTES = 65_536;
const MAX_GROUP_BYTES = 1_024;

/** Throws {@link LoginFailure} if the token is not valid at `nowS`. */
export function checkTimes({ exp, iat, nbf = 0 }: Claims, nowS: number): void {
  if (![exp, iat, nbf].every((time) => Number.isFinite(time)))
    throw tokenFailure("format", "exp, iat or nbf is not a number");
  if (Number(exp) <= nowS - CLAIM_SKEW_S) throw tokenFailure("expired", "the ID token has expired");
  if (Number(nbf) > nowS + CLAIM_SKEW_S)
    throw tokenFailure("time", "the ID token is not valid yet");
  if (Math.abs(Number(iat) - nowS) > ISSUED_SKEW_S)
    throw tokenFailure("time", "the ID token was not issued now");
}

/** Throws {@link LoginFailure} if it is none that can be stored. */
export function subjectOf({ sub }: Claims): string {
  if (typeof sub !== "string" || sub === "" || !isStorable(sub))
    throw tokenFailure("subject", "sub is not a text");
  if (Buffer.byteLength(sub) > MAX_SUBJECT_BYTES)
    throw tokenFailure("subject", `sub has more than ${MAX_SUBJECT_BYTES} bytes`);
  return sub;
}

/** A text that is shown, and cut where it is too long. Undefined: there is none. */
export function shownClaim(claim: unknown): string | undefined {
  if (typeof claim !== "string") return undefined;
  const shown = claim.replaceAll(/\p{Cc}/gu, "").trim();
  return shown === ""
    ? undefined
    : Array.from(shown.toWellFormed()).slice(0, MAX_SHOWN_LENGTH).join("");
}

/** The name of the session at the provider, by which it may end it. */
export function sessionIdOf({ sid }: Claims): string | undefined {
  if (typeof sid !== "string" || sid === "" || !isStorable(sid)) return undefined;
  return Buffer.byteLength(sid) <= MAX_SUBJECT_BYTES ? sid : undefined;
}

/**
 * The groups that `path` leads to, or undefined if it leads nowhere. Throws {@link LoginFailure} if there are
 * too many, or a link in their place: they are never cut.
 */
export function groupsOf(claims: Claims, path: readonly string[]): readonly string[] | undefined {
  const [first = ""] = path;
  if (isLinked(claims, first)) throw groupsFailure("the groups are a link");
  const given = path.reduce(memberOf, claims);
  if (given === undefined || given === null) return undefined;
  const groups = typeof given === "string" ? [given] : given;
  if (!Array.isArray(groups)) throw groupsFailure("the groups are not a list");
  if (groups.length > MAX_GROUPS) throw groupsFailure(`there are more than ${MAX_GROUPS} groups`);
  const names = groups.filter((group) => typeof group === "string");
  const areValid = names.every(
    (name) => isStorable(name) && Buffer.byteLength(name) <= MAX_GROUP_BYTES,
  );
  if (names.length < groups.length || !areValid)
    throw groupsFailure(`a group is not a text of at most ${MAX_GROUP_BYTES} bytes`);
  if (Buffer.byteLength(names.join("")) > MAX_GROUPS_BYTES)
    throw groupsFailure(`the groups have more than ${MAX_GROUPS_BYTES} bytes`);
  return [...new Set(names)];
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Claims)[name];
}

/** OpenID Connect 5.6.2: the claim is at another address. Entra does so beyond 200 groups. */
function isLinked(claims: Claims, name: string): boolean {
  return memberOf(claims["_claim_names"], name) !== undefined || claims["hasgroups"] === true;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

function tokenFailure(
  detail: "expired" | "format" | "subject" | "time",
  reason: string,
): LoginFailure {
  return new LoginFailure({ fault: "token", detail }, reason);
}

function groupsFailure(reason: string): LoginFailure {
  return new LoginFailure({ fault: "groups" }, reason);
}
