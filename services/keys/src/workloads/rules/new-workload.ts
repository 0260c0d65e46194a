// The rule of a new workload: which tokens of which issuer an account trusts, and what for. Called by
// rpc/create-workload.ts.

import {
  type Clock,
  MAX_WORKLOAD_CLAIMS,
  newId,
  orderedScopes,
  SCOPES,
  SYSTEM_ACCOUNT_ID,
  SYSTEM_SCOPES,
} from "@annals/contract";
import { type FieldFault, invalid } from "@annals/errors";
import { allowedIpsOf } from "../../api-keys/rules/key-restrictions.ts";

/** Characters of a subject, and of the name and the value of a claim. */
const MAX_SUBJECT = 1_024;
const MAX_CLAIM = 255;
/** Characters before the `*` of a subject: less would trust too many. */
const MIN_PREFIX = 8;

export interface GivenWorkload {
  readonly accountId: string;
  /** Trimmed and checked by the gateway, as that of a key. */
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly claims: readonly { readonly name: string; readonly value: string }[];
  readonly scopes: readonly string[];
  /** Empty: any. */
  readonly allowedIps: readonly string[];
}

export interface NewWorkload {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, string>>;
  readonly scopes: readonly string[];
  readonly allowedIps: readonly string[] | null;
  readonly createdAt: string;
}

interface Maker {
  readonly clock: Pick<Clock, "nowText">;
  readonly random: (size: number) => Uint8Array;
}

/** `issuers` are the names in the operator's file. Throws `invalid`. */
export function newWorkload(
  { clock, random }: Maker,
  given: GivenWorkload,
  issuers: readonly string[],
): NewWorkload {
  const { accountId, allowedIps, claims, issuer, name, subject } = given;
  const faults = [
    ...issuerFaults(issuer, issuers),
    ...subjectFaults(subject),
    ...claimFaults(claims),
    ...scopeFaults(accountId, given.scopes),
  ];
  const [first, ...others] = faults;
  if (first) throw invalid(first, ...others);
  return {
    id: newId("wkl", random),
    name,
    issuer,
    subject,
    claims: Object.fromEntries(claims.map((claim) => [claim.name, claim.value])),
    scopes: orderedScopes(given.scopes),
    allowedIps: allowedIps.length === 0 ? null : allowedIpsOf(allowedIps),
    createdAt: clock.nowText(),
  };
}

function issuerFaults(issuer: string, issuers: readonly string[]): FieldFault[] {
  if (issuers.includes(issuer)) return [];
  const names = issuers.length === 0 ? "none is configured" : `one of ${issuers.join(", ")}`;
  return [{ field: "issuer", message: `must be an issuer of workloads: ${names}` }];
}

function subjectFaults(subject: string): FieldFault[] {
  const field = "subject";
  const fault = textFault(subject, MAX_SUBJECT);
  if (fault !== undefined) return [{ field, message: fault }];
  const star = subject.indexOf("*");
  if (star === -1) return [];
  if (star < subject.length - 1)
    return [{ field, message: "may have one *, as its last character" }];
  return star < MIN_PREFIX
    ? [{ field, message: `must have at least ${MIN_PREFIX} characters before its *` }]
    : [];
}

function claimFaults(claims: GivenWorkload["claims"]): FieldFault[] {
  const names = new Set(claims.map(({ name }) => name));
  if (claims.length > MAX_WORKLOAD_CLAIMS || names.size < claims.length)
    return [
      {
        field: "claims",
        message: `must have at most ${MAX_WORKLOAD_CLAIMS} members, each with another name`,
      },
    ];
  return claims.flatMap(({ name, value }) => {
    const ofName = textFault(name, MAX_CLAIM);
    if (ofName !== undefined) return [{ field: "claims", message: `a name ${ofName}` }];
    const ofValue = textFault(value, MAX_CLAIM);
    return ofValue === undefined ? [] : [{ field: `claims.${name}`, message: ofValue }];
  });
}

function scopeFaults(accountId: string, scopes: readonly string[]): FieldFault[] {
  const field = "scopes";
  const known = orderedScopes(scopes);
  if (known.length === 0 || known.length !== new Set(scopes).size)
    return [{ field, message: `must contain at least one of ${SCOPES.join(", ")}` }];
  return accountId === SYSTEM_ACCOUNT_ID && !known.every((scope) => SYSTEM_SCOPES.includes(scope))
    ? [{ field, message: `must be among ${SYSTEM_SCOPES.join(", ")} in the system account` }]
    : [];
}

/** PostgreSQL has no text with a zero byte, and nobody sees other control characters. */
function textFault(text: string, max: number): string | undefined {
  const length = Array.from(text).length;
  if (length < 1 || length > max) return `must have 1 to ${max} characters`;
  return /\p{Cc}/u.test(text) ? "must not contain control characters" : undefined;
}
