// Refuses every call that the table of the service does not grant to its caller. Called by server.ts, for
// each server that knows its callers. The standard health service is open to any certificate of the
// authority.

import { Health } from "@annals/proto/health";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { BoundedLog, type Counter, type Logger } from "@annals/chassis";
import { type Access, type Caller, callerOf } from "../access.ts";
import { verbNoun } from "./follow-call.ts";

export interface RequireAccessOptions<S extends DescService> {
  readonly service: S;
  readonly access: Access<S>;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly refused: Pick<Counter<"caller" | "rpc_method">, "inc">;
}

export function requireAccess<S extends DescService>(
  options: RequireAccessOptions<S>,
): Interceptor {
  const { access, log, refused, service } = options;
  const callers = new Map<string, ReadonlySet<string>>(
    Object.entries(access).map(([method, grants]) => [method, new Set(Object.keys(grants))]),
  );
  let refusals = 0;
  const bounded = new BoundedLog(log, { linesPerS: 1 });
  const report = (caller: Caller | undefined, method: string): void => {
    const fields = { caller: caller ?? "unknown", rpc_method: method };
    refused.inc(fields);
    refusals += 1;
    const isWritten = bounded.write(
      "warn",
      { ...fields, refusals },
      "rpc refused: its caller may not call it",
    );
    if (isWritten) refusals = 0;
  };
  return (next) => (request) => {
    const { typeName } = request.service;
    if (typeName === Health.typeName) return next(request);
    const caller = callerOf(request);
    const granted = typeName === service.typeName && callers.get(request.method.localName);
    if (caller !== undefined && granted && granted.has(caller)) return next(request);
    report(caller, verbNoun(request.method));
    return Promise.reject(
      new ConnectError("This caller may not call this method.", Code.PermissionDenied),
    );
  };
}
