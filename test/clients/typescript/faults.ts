// The faults that the driver can have: each breaks one rule of docs/sdk-contract.md, from outside of the SDK.

import type { AnnalsOptions, TrackingOptions } from "@annals/sdk";

export type Fault =
  | "any-account"
  | "claim-copies"
  | "clock-paused"
  | "events-rewritten"
  | "failure-is-success"
  | "key-kept"
  | "lines-repaired"
  | "nan-as-null"
  | "new-key-per-attempt"
  | "no-bound"
  | "no-close"
  | "no-details"
  | "no-disk-faults"
  | "no-order"
  | "no-retry-after"
  | "no-spool"
  | "numbers-before-acceptance"
  | "ready-at-once"
  | "redirects-followed"
  | "refuses-all"
  | "silent-drops"
  | "silent-stalls"
  | "times-forgotten"
  | "verify-anything";

type Fetch = NonNullable<AnnalsOptions["fetch"]>;

const STORED = { status: 201, headers: { "content-type": "application/json" } };

export function faultyFetch(fault: Fault | undefined): Fetch {
  return async (url, init) => {
    const response = await attempt(fault, url, init);
    if (fault === "no-retry-after") return without(response, "retry-after");
    if (response.status !== 422) return response;
    const { error } = (await response.clone().json()) as { error: { details: object[] } };
    if (fault === "no-details") return refusal({ ...error, details: [] });
    const all = Array.from({ length: 9 }, (_, at) => ({ field: `events[${at}]`, message: "" }));
    return fault === "refuses-all" ? refusal({ ...error, details: all }) : response;
  };
}

async function attempt(
  fault: Fault | undefined,
  url: string,
  init: RequestInit,
): Promise<Response> {
  if (fault === "any-account" && url.endsWith("/v1/usage"))
    return Response.json({ data: { account_id: "acct_b" } });
  if (fault === "redirects-followed") return fetch(url, { ...init, redirect: "follow" });
  if (fault === "new-key-per-attempt") {
    const headers = new Headers(init.headers);
    headers.set("idempotency-key", crypto.randomUUID());
    return fetch(url, { ...init, headers });
  }
  if (fault === "events-rewritten" && typeof init.body === "string")
    return fetch(url, { ...init, body: JSON.stringify(JSON.parse(init.body)) });
  if (fault !== "failure-is-success") return fetch(url, init);
  const response = await fetch(url, init).catch(() => undefined);
  return response?.ok === true ? response : new Response("{}", STORED);
}

function without(response: Response, name: string): Response {
  const headers = new Headers(response.headers);
  headers.delete(name);
  return new Response(response.body, { status: response.status, headers });
}

function refusal(error: object): Response {
  return Response.json({ error }, { status: 422 });
}

export function faultyTracking(
  fault: Fault | undefined,
  options: TrackingOptions,
): TrackingOptions {
  if (fault === "no-bound") {
    const { batchBytes: _, batchEvents: __, maxEvents: ___, maxWaitMs: ____, ...rest } = options;
    return { ...rest, maxWaitMs: 5_000 };
  }
  if (fault === "silent-drops") return { ...options, onDrop: () => {} };
  if (fault === "silent-stalls") return { ...options, onStall: () => {} };
  return options;
}
