// Translates errors at both ends of an RPC. On the server every failure becomes a ConnectError with its kind,
// and an internal error is logged once, here. On the client callers see AnnalsError only. The text of an
// unknown failure must never be sent.

import { AnnalsError, fromConnectError, toConnectError } from "@annals/errors";
import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import type { Logger } from "@annals/chassis";
import { followCall, verbNoun } from "./follow-call.ts";
import { requestIdOf } from "./request-id.ts";

/** For a server; innermost, so that the other interceptors see the status that goes out. */
export function serverErrors(log: Pick<Logger, "error" | "warn">): Interceptor {
  return (next) => (request) =>
    followCall(next, request, {
      succeeded() {},
      failed(error) {
        if (isInternalError(error)) {
          const fields = {
            rpc_service: request.service.typeName,
            rpc_method: verbNoun(request.method),
            request_id: requestIdOf(request.header),
            err: error,
          };
          // Work that its client has cancelled fails in many ways, and no client waits for the response.
          if (request.signal.aborted) log.warn(fields, "rpc failed after its client cancelled");
          else log.error(fields, "rpc failed");
        }
        return toConnectError(error);
      },
    });
}

/** For a client: the same transport, but every error is an AnnalsError. */
export function annalsErrors(transport: Transport): Transport {
  return {
    unary: (...call) =>
      transport.unary(...call).catch((error: unknown) => {
        throw fromConnectError(error);
      }),
    async stream(...call) {
      try {
        const response = await transport.stream(...call);
        return { ...response, message: translateMessages(response.message) };
      } catch (error) {
        throw fromConnectError(error);
      }
    },
  };
}

async function* translateMessages<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw fromConnectError(error);
  }
}

/** Kinds other than `internal` are results for the client, as are most codes of a ConnectError. */
function isInternalError(error: unknown): boolean {
  if (error instanceof AnnalsError) return error.kind === "internal";
  if (!(error instanceof ConnectError)) return true;
  return (
    error.code === Code.Internal || error.code === Code.Unknown || error.code === Code.DataLoss
  );
}
