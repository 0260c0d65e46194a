// Carries an AnnalsError over RPC and back: as a Connect error whose one detail is annals.errors.v1.Error.
// Called by the interceptors of libs/rpc at both ends of a call, and by the ledger for outcomes inside a
// response.

import { create } from "@bufbuild/protobuf";
import {
  ErrorKind as ProtoKind,
  ErrorSchema,
  type Error as ProtoError,
} from "@annals/proto/errors";
import { Code, ConnectError } from "@connectrpc/connect";
import { AnnalsError, type ErrorKind, internal, unavailable } from "./annals-error.ts";

interface Row {
  readonly kind: ErrorKind;
  readonly proto: ProtoKind;
  readonly code: Code;
}

/** One row per kind: its value in proto, and the gRPC status that stock clients see. */
const ROWS: readonly Row[] = [
  { kind: "unauthenticated", proto: ProtoKind.UNAUTHENTICATED, code: Code.Unauthenticated },
  { kind: "scope_missing", proto: ProtoKind.SCOPE_MISSING, code: Code.PermissionDenied },
  {
    kind: "permission_denied",
    proto: ProtoKind.PERMISSION_DENIED,
    code: Code.PermissionDenied,
  },
  {
    kind: "plan_feature_unavailable",
    proto: ProtoKind.PLAN_FEATURE_UNAVAILABLE,
    code: Code.PermissionDenied,
  },
  {
    kind: "plan_count_exceeded",
    proto: ProtoKind.PLAN_COUNT_EXCEEDED,
    code: Code.FailedPrecondition,
  },
  {
    kind: "plan_quota_exceeded",
    proto: ProtoKind.PLAN_QUOTA_EXCEEDED,
    code: Code.ResourceExhausted,
  },
  { kind: "not_found", proto: ProtoKind.NOT_FOUND, code: Code.NotFound },
  { kind: "invalid", proto: ProtoKind.INVALID, code: Code.InvalidArgument },
  { kind: "rate_limited", proto: ProtoKind.RATE_LIMITED, code: Code.ResourceExhausted },
  { kind: "unavailable", proto: ProtoKind.UNAVAILABLE, code: Code.Unavailable },
  { kind: "internal", proto: ProtoKind.INTERNAL, code: Code.Internal },
];

const byKind = new Map(ROWS.map((row) => [row.kind, row]));
const byProto = new Map(ROWS.map((row) => [row.proto, row]));

/** What a client may see of any failure. What is not an AnnalsError becomes `internal` without its text. */
export function toProtoError(error: unknown): ProtoError {
  const known = error instanceof AnnalsError ? error : internal("", error);
  return create(ErrorSchema, {
    kind: rowOf(known.kind).proto,
    message: known.kind === "internal" ? "Internal error." : known.message,
    faults: known.faults.map(({ field, message }) => ({ field, message })),
    retryAfterS: known.retryAfterS ?? 0,
  });
}

export function fromProtoError(error: ProtoError): AnnalsError {
  return new AnnalsError(byProto.get(error.kind)?.kind ?? "internal", error.message, {
    faults: error.faults.map(({ field, message }) => ({ field, message })),
    ...(error.retryAfterS > 0 && { retryAfterS: error.retryAfterS }),
  });
}

/** For the server's edge. A Connect error (a bad message, a deadline) is returned unchanged. */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  const proto = toProtoError(error);
  const code = byProto.get(proto.kind)?.code ?? Code.Internal;
  const wire = new ConnectError(proto.message, code, undefined, [
    { desc: ErrorSchema, value: proto },
  ]);
  wire.cause = error;
  return wire;
}

/** For the client's edge. A failure of the connection itself becomes `unavailable`. */
export function fromConnectError(error: unknown): AnnalsError {
  if (error instanceof AnnalsError) return error;
  const wire = ConnectError.from(error);
  const [detail] = wire.findDetails(ErrorSchema);
  if (detail) return fromProtoError(detail);
  switch (wire.code) {
    case Code.Unavailable:
    case Code.DeadlineExceeded:
    case Code.Canceled:
    case Code.ResourceExhausted:
    case Code.Aborted:
      return unavailable("The service is unavailable at the moment. Try again.", wire);
    default:
      return internal(`RPC failed: ${wire.message}`, wire);
  }
}

function rowOf(kind: ErrorKind): Row {
  const row = byKind.get(kind);
  if (!row) throw new TypeError(`unknown error kind ${kind}`);
  return row;
}
