// Guarantee: an error of any kind crosses an RPC unchanged, in the details of a status that stock clients
// understand. Only an internal error loses its text. A connection that fails is `unavailable`.

import { ErrorSchema } from "@annals/proto/errors";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { AnnalsError, type ErrorKind, invalid, notFound, unavailable } from "./index.ts";
import { fromConnectError, fromProtoError, toConnectError, toProtoError } from "./codec.ts";

/**
 * The status that a stock client sees. Being a Record, it fails to compile when a kind is added and
 * not here.
 */
const CODES: Record<ErrorKind, Code> = {
  unauthenticated: Code.Unauthenticated,
  scope_missing: Code.PermissionDenied,
  permission_denied: Code.PermissionDenied,
  plan_feature_unavailable: Code.PermissionDenied,
  plan_count_exceeded: Code.FailedPrecondition,
  plan_quota_exceeded: Code.ResourceExhausted,
  not_found: Code.NotFound,
  invalid: Code.InvalidArgument,
  rate_limited: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  internal: Code.Internal,
};
const KINDS = Object.keys(CODES) as ErrorKind[];

/** Over the wire: the details are bytes there. */
function sent(error: unknown): AnnalsError {
  const wire = toConnectError(error);
  const [detail] = wire.findDetails(ErrorSchema);
  const bytes = toBinary(ErrorSchema, detail ?? expect.fail("no detail"));
  return fromConnectError(
    new ConnectError(wire.rawMessage, wire.code, undefined, [
      { desc: ErrorSchema, value: fromBinary(ErrorSchema, bytes) },
    ]),
  );
}

describe.each(KINDS)("%s", (kind) => {
  test("comes through whole", () => {
    const faults = [
      { field: "events[3].action", message: "is required" },
      { field: "", message: "ein Wort: „ä“ 🦉" },
    ];
    const error = new AnnalsError(kind, "It is so: 100 %.\nTruly.", { faults, retryAfterS: 61 });
    const received = sent(error);
    expect(received).toBeInstanceOf(AnnalsError);
    expect(received.kind).toBe(kind);
    expect(received.message).toBe(kind === "internal" ? "Internal error." : error.message);
    expect(received.faults).toMatchObject(faults);
    expect(received.retryAfterS).toBe(61);
  });

  test("has its gRPC status, and keeps its cause at home", () => {
    const cause = new Error("password=hunter2");
    const error = new AnnalsError(kind, "Shown.", { cause });
    const wire = toConnectError(error);
    expect(wire.code).toBe(CODES[kind]);
    expect(wire.cause).toBe(error);
    expect(JSON.stringify(toProtoError(error))).not.toContain("hunter2");
    expect(sent(error).retryAfterS).toBeUndefined();
  });
});

describe("what is not an AnnalsError", () => {
  test.each([[new TypeError("secret inside")], ["secret inside"], [undefined], [null]])(
    "%o becomes internal and shows nothing",
    (thrown) => {
      const received = sent(thrown);
      expect(received.kind).toBe("internal");
      expect(received.message).toBe("Internal error.");
    },
  );

  test("a Connect error passes the server's edge as it is", () => {
    const error = new ConnectError("message too large", Code.ResourceExhausted);
    expect(toConnectError(error)).toBe(error);
  });
});

describe("a status without our detail", () => {
  test.each([
    Code.Unavailable,
    Code.DeadlineExceeded,
    Code.Canceled,
    Code.ResourceExhausted,
    Code.Aborted,
  ])("%d may pass: unavailable, to be tried again", (code) => {
    const error = fromConnectError(new ConnectError("ECONNREFUSED 10.0.0.7", code));
    expect(error.kind).toBe("unavailable");
    expect(error.retryAfterS).toBe(1);
    expect(error.message).not.toContain("10.0.0.7");
  });

  test.each([Code.Internal, Code.Unimplemented, Code.InvalidArgument, Code.Unknown])(
    "%d is an internal error",
    (code) => expect(fromConnectError(new ConnectError("x", code)).kind).toBe("internal"),
  );

  test("a failure without a status is an internal error, and an AnnalsError passes", () => {
    expect(fromConnectError(new Error("x")).kind).toBe("internal");
    const error = notFound("webhook", "wh_1");
    expect(fromConnectError(error)).toBe(error);
  });

  test("a kind of a later release is an internal error", () => {
    // Field 1, a varint: kind 99.
    const later = fromBinary(ErrorSchema, Uint8Array.of(8, 99));
    expect(fromProtoError(later).kind).toBe("internal");
  });
});

test("the makers say what they promise", () => {
  expect(notFound("event", `evt_${"x".repeat(500)}`).message).toHaveLength(
    "No event has the id .".length + 82,
  );
  expect(invalid({ field: "name", message: "is required" }).message).toBe("name: is required");
  expect(invalid({ field: "", message: "must be an object" }).message).toBe("must be an object");
  expect(unavailable("Later.").retryAfterS).toBe(1);
});
