// Who may call an RPC. Each backend has one table of this type next to its service.ts. Any caller that a row
// does not name is refused (interceptors/require-access.ts).

import type { Permission } from "@annals/contract";
import type { DescService } from "@bufbuild/protobuf";
import { type ContextKey, type ContextValues, createContextKey } from "@connectrpc/connect";

/** The services that call others. The name is the one in the certificate of the caller. */
export const CALLERS = ["gateway", "keys", "ledger", "export", "webhook-dispatcher"] as const;

export type Caller = (typeof CALLERS)[number];

/**
 * How a caller may call: `itself`, for any account, or for a client, with an admission of the account in the
 * request and with this scope, or of a widget token.
 */
export type Grant = "itself" | Permission;

/** A row for each RPC: its callers, and how each of them may call. */
export type Access<S extends DescService> = {
  readonly [Method in keyof S["method"]]: Partial<Record<Caller, Grant>>;
};

/** Set by the server for every call. */
export const callerKey: ContextKey<Caller | undefined> = createContextKey<Caller | undefined>(
  undefined,
  { description: "caller" },
);

/**
 * The caller by its certificate. Undefined: its certificate is of no service that calls others, or the server
 * is in plaintext, which proves no caller.
 */
export function callerOf(call: { readonly contextValues: ContextValues }): Caller | undefined {
  return call.contextValues.get(callerKey);
}
