// Who may call an RPC. Each backend has one table of this type beside its service.ts. Any caller that a row does
// not name is refused.

import type { Scope } from "@annals/contract";
import type { DescService } from "@bufbuild/protobuf";

/** The services that call others. The name is the one in the certificate of the caller. */
export const CALLERS = ["gateway", "export", "webhook-dispatcher"] as const;

export type Caller = (typeof CALLERS)[number];

/**
 * How a caller may call: `itself`, for any account, or for a client, with an admission of the account in the
 * request and with this scope.
 */
export type Grant = "itself" | Scope;

/** A row for each RPC: its callers, and how each of them may call. */
export type Access<S extends DescService> = {
  readonly [Method in keyof S["method"]]: Partial<Record<Caller, Grant>>;
};
