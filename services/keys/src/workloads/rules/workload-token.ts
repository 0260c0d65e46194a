// What a token of a workload says: before its signature is verified whom to ask for its keys, and after that
// which workload it is of. Called by rpc/register-workload-token.ts.

import { isAccountId } from "../../access-tokens/rules/account-id.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** What nobody has verified yet. */
export interface NamedByToken {
  readonly issuer: string;
  readonly accountId: string;
  /** Names the account. */
  readonly audience: string;
}

/** Whom to ask. Undefined: it is for no account of this installation, or for several. */
export function readToken(token: string, publicUrl: string): NamedByToken | undefined {
  const claims = payloadOf(token);
  const { aud, iss: issuer } = claims ?? {};
  if (typeof issuer !== "string") return undefined;
  const prefix = audienceOf(publicUrl, "");
  const given: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const ours = given
    .filter((one) => typeof one === "string")
    .filter((one) => one.startsWith(prefix));
  const [audience = ""] = ours;
  const accountId = audience.slice(prefix.length);
  return ours.length === 1 && isAccountId(accountId) ? { accountId, audience, issuer } : undefined;
}

/** What the tokens of an account's workloads are made for; empty without an identity file. */
export function audienceOf(publicUrl: string | undefined, accountId: string): string {
  return publicUrl === undefined ? "" : `${publicUrl}/${accountId}`;
}

function payloadOf(token: string): Claims | undefined {
  const [, payload = ""] = token.split(".");
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    return typeof claims === "object" && claims !== null ? { ...claims } : undefined;
  } catch {
    return undefined;
  }
}

interface Trusted {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Whether a verified token is of the workload. */
export function isOfWorkload({ claims, subject }: Trusted, token: Claims): boolean {
  const { sub } = token;
  if (typeof sub !== "string") return false;
  const isSubject = subject.endsWith("*") ? sub.startsWith(subject.slice(0, -1)) : sub === subject;
  // A claim that is a number or a list is no text, whatever it looks like.
  return (
    isSubject &&
    Object.entries(claims).every(
      ([name, text]) => Object.hasOwn(token, name) && token[name] === text,
    )
  );
}
