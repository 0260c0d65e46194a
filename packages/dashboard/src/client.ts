// The client of /v1: the SDK, as all screens use it. Made by login.ts for each login. The key or the token is
// in a header and nowhere else: it must never be part of a URL, of an error or of a log line.

import type { AnnalsError } from "@annals/sdk";
import { Routes, Transport } from "@annals/sdk/browser";

/** A long verification is the service's to end. */
const TIMEOUT_MS = 660_000;

export function newClient({
  key,
  fetch,
  onRefusedKey,
}: {
  /** A function gives the token of a person. */
  readonly key: string | (() => Promise<string>);
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Called with each 401: the key no longer works. */
  readonly onRefusedKey?: (error: AnnalsError) => void;
}): Routes {
  const transport = new Transport({
    baseUrl: location.origin,
    apiKey: key,
    timeoutMs: TIMEOUT_MS,
    // A person sees the error, and tries again.
    maxRetries: 0,
    fetch: (url, init) => fetch(url, { ...init, cache: "no-store", credentials: "omit" }),
    observe: () => ({
      end: ({ error }) => {
        if (error?.status === 401) onRefusedKey?.(error);
      },
    }),
  });
  return new Routes(transport);
}

/** The scope that the key lacks; undefined for any other error. */
export function missingScopeOf({ type, message }: AnnalsError): string | undefined {
  return type === "scope_error" ? /scope ([a-z]+:?[a-z]*)/.exec(message)?.[1] : undefined;
}
