// Ends the calls of a service that stops. Called by client.ts, and by the gateway's audit of reads. Without
// it a stop would last until a service that hangs answers, or until the deadline of the call. What the other
// service does all the same must be safe to do again: a crash in this moment would leave the same.

import { Code, ConnectError, type Transport } from "@connectrpc/connect";

/** The same transport, but its calls end with the signal, and none begins after it. */
export function endingWith(stopping: AbortSignal, transport: Transport): Transport {
  return {
    unary: async (method, ...call) => {
      if (stopping.aborted) throw stopped();
      return unlessAborted(transport.unary(method, ...call), stopping, stopped);
    },
    stream: async (method, signal, ...call) => {
      if (stopping.aborted) throw stopped();
      const either = signal === undefined ? stopping : AbortSignal.any([signal, stopping]);
      return transport.stream(method, either, ...call);
    },
  };
}

function stopped(): ConnectError {
  return new ConnectError("the service stops", Code.Canceled);
}

/** Rejects when the signal is aborted. A cancelled call, by itself, lasts as long as its work. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  reason: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(reason());
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
