// What a failure of openid-client means for the person who logs in, and what the log may say of it. Called by
// open-id-provider.ts. The causes of these errors hold whole responses, so nothing of them is ever logged.

import { LoginFailure, type TokenDetail } from "../sessions/rules/login-failure.ts";
import { FetchFailure } from "./bounded-fetch.ts";

/** A code of OAuth (RFC 6749, 4.1.2.1). */
const OAUTH_CODE = /^[a-z][a-z0-9_]{0,63}$/;

const OF_CLAIMS: Readonly<Record<string, TokenDetail>> = {
  aud: "audience",
  azp: "audience",
  exp: "expired",
  iss: "issuer",
  issuer: "issuer",
  nbf: "time",
  nonce: "nonce",
  sub: "subject",
};

export function loginFailure(error: unknown): LoginFailure {
  const chain = chainOf(error);
  const known = chain.find((one) => one instanceof LoginFailure);
  if (known !== undefined) return known;
  const reason = reasonOf(chain);
  if (chain.some((one) => one instanceof FetchFailure))
    return new LoginFailure({ fault: "unreachable" }, reason, error);
  const codes = chain.map((one) => memberOf(one, "code"));
  const isOf = (code: string): boolean => codes.includes(code);
  if (isOf("OAUTH_RESPONSE_IS_NOT_CONFORM"))
    return new LoginFailure({ fault: "unreachable" }, reason, error);
  if (isOf("OAUTH_AUTHORIZATION_RESPONSE_ERROR") || isOf("OAUTH_RESPONSE_BODY_ERROR"))
    return refused(memberOf(chain[0], "error"), reason, error);
  if (isOf("OAUTH_WWW_AUTHENTICATE_CHALLENGE")) return refused("invalid_client", reason, error);
  return new LoginFailure({ fault: "token", detail: detailOf(chain, isOf) }, reason, error);
}

/** Whether the keys of the provider may be others than those that are known. */
export function mayHaveNewKeys({ detail }: LoginFailure): boolean {
  return detail === "key" || detail === "signature";
}

function refused(code: unknown, reason: string, cause: unknown): LoginFailure {
  const detail = typeof code === "string" && OAUTH_CODE.test(code) ? code : "error";
  return new LoginFailure({ fault: "refused", detail }, `${reason} (${detail})`, cause);
}

function detailOf(chain: readonly unknown[], isOf: (code: string) => boolean): TokenDetail {
  const about = chain.find((one) => !(one instanceof Error)) ?? {};
  const claim = memberOf(about, "claim") ?? memberOf(about, "attribute");
  const ofClaim = typeof claim === "string" ? OF_CLAIMS[claim] : undefined;
  if (ofClaim !== undefined) return ofClaim;
  if (isOf("OAUTH_KEY_SELECTION_FAILED")) return "key";
  if (chain.some((one) => one instanceof DOMException)) return "key";
  if (has(about, "signature")) return "signature";
  if (has(about, "alg") || has(about, "reason")) return "algorithm";
  if (has(about, "parameters")) return "authorization";
  return "format";
}

/** The error and its causes, which may end in what is no error. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let next = error;
  while (next !== undefined && chain.length < MAX_CAUSES) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

const MAX_CAUSES = 8;

/** The messages. That of a SyntaxError quotes what was parsed. */
function reasonOf(chain: readonly unknown[]): string {
  const texts = chain.flatMap((one) =>
    one instanceof Error ? [one instanceof SyntaxError ? one.name : one.message] : [],
  );
  return [...new Set(texts)].join(": ");
}

function has(value: unknown, name: string): boolean {
  return memberOf(value, name) !== undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
