// What a route of the admin API is, and what it is given. Read by the files of the routes and by api.ts.

import type { Pool } from "@annals/postgres";
import type { OperatorActor } from "../accounts/rules/audit-entries.ts";
import type { Plans } from "../accounts/rules/plan.ts";
import type { KeyMaker } from "../api-keys/rules/new-api-key.ts";
import type { AcceptedProviders } from "../identity/accepted-entries.ts";
import type { StateReporters } from "../outbound/state-reporters.ts";
import type { Members } from "./body.ts";

export interface Deps extends KeyMaker {
  readonly database: Pool;
  readonly identities: AcceptedProviders;
  readonly plans: Plans;
  readonly reporters: StateReporters;
  /** Where the console is, and where its page finds the gateway; undefined without it. */
  readonly consoleAt?: { readonly origin: string; readonly publicUrl: string } | undefined;
}

export interface AdminRequest {
  /** The id in the path; empty if the path has no id. */
  readonly id: string;
  /** The id of what is part of an account in the path; empty if it has none. */
  readonly partId: string;
  readonly query: URLSearchParams;
  readonly body: Members;
  readonly idempotencyKey: string | undefined;
  /** Who asks, for the audit. */
  readonly actor: OperatorActor;
  /** The session of the console; undefined for a program. */
  readonly sessionId: string | undefined;
}

export type Caller = Pick<AdminRequest, "actor" | "sessionId">;

export interface AdminResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler = (deps: Deps, request: AdminRequest) => Promise<AdminResponse>;

export interface AdminRoute {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Pattern of the path. An id of another shape makes it an unknown path. */
  readonly path: string;
  readonly name: string;
  readonly handle: Handler;
}
