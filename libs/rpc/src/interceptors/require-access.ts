// Refuses every call that the table of the service does not grant to its caller, and every call for a client
// without an admission of the account in its request. Called by server.ts, for each server that knows its
// callers or gets admissions. The standard health service is open to any certificate of the authority. It
// must never let a call through that no row grants.

import { Health } from "@annals/proto/health";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { BoundedLog, type Counter, type Logger } from "@annals/chassis";
import { type Access, type Caller, CALLERS, callerOf, type Grant } from "../access.ts";
import { ADMISSION_HEADER, admitted, checkTable } from "../admission/require-admission.ts";
import type { AdmissionVerifier } from "../admission/statement.ts";
import type { RpcTls } from "../certificates.ts";
import { type CallRequest, verbNoun } from "./follow-call.ts";

type Row = Partial<Record<Caller, Grant>>;

export interface RequireAccessOptions<S extends DescService> {
  readonly service: S;
  readonly access: Access<S>;
  /** Without it no call needs an admission. */
  readonly admissions?: AdmissionVerifier;
  /** Plaintext proves no caller. */
  readonly tls: RpcTls;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly refused: Pick<Counter<"caller" | "rpc_method">, "inc">;
}

export function requireAccess<S extends DescService>(
  options: RequireAccessOptions<S>,
): Interceptor {
  const { access, admissions, log, refused, service } = options;
  checkTable(service, access);
  const rows = new Map<string, Row>(Object.entries(access));
  const isProved = options.tls !== "plaintext";
  // An alert on the increase sees the first refusal only if the series exists before it.
  for (const method of service.methods) {
    const row: Row = rows.get(method.localName) ?? {};
    for (const caller of [...CALLERS, "unknown"])
      if (!(caller in row)) refused.inc({ caller, rpc_method: verbNoun(method) }, 0);
  }
  let refusals = 0;
  const bounded = new BoundedLog(log, { linesPerS: 1 });
  const report = (caller: Caller | undefined, method: string): void => {
    const fields = { caller: caller ?? "unknown", rpc_method: method };
    refused.inc(fields);
    refusals += 1;
    const isWritten = bounded.write(
      "warn",
      { ...fields, refusals },
      "rpc denied: its caller is not authorized",
    );
    if (isWritten) refusals = 0;
  };
  return (next) => async (request) => {
    const { typeName } = request.service;
    if (typeName === Health.typeName) return next(request);
    const row = typeName === service.typeName ? rows.get(request.method.localName) : undefined;
    const grant = row && grantOf(request, row, isProved);
    if (grant === undefined) {
      report(callerOf(request), verbNoun(request.method));
      throw new ConnectError(
        "This caller is not authorized to call this method.",
        Code.PermissionDenied,
      );
    }
    return next(grant === "itself" || !admissions ? request : admitted(request, grant, admissions));
  };
}

/** How the call may be made. */
function grantOf(request: CallRequest, row: Row, isProved: boolean): Grant | undefined {
  const caller = callerOf(request);
  if (caller !== undefined) return row[caller];
  if (isProved) return undefined;
  const grants = Object.values(row);
  const mayBeItself = grants.includes("itself") && !request.header.has(ADMISSION_HEADER);
  // Without a statement it may be a service that needs none.
  return mayBeItself ? "itself" : (grants.find((each) => each !== "itself") ?? grants[0]);
}
