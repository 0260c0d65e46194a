// Hands a request on to another server, and its whole response back. Called by identity-provider.ts.

import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

export interface Relayed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the inner server answers to a request, with the host that the relay has. */
export function relayed(from: IncomingMessage, port: number): Promise<Relayed> {
  const { promise, reject, resolve } = Promise.withResolvers<Relayed>();
  const { headers, method, url: path } = from;
  const onward = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
    const pieces: Buffer[] = [];
    response.on("data", (piece: Buffer) => pieces.push(piece));
    response.on("end", () => {
      const { "transfer-encoding": _, ...kept } = response.headers;
      const status = response.statusCode ?? 0;
      resolve({ status, headers: kept, body: Buffer.concat(pieces).toString() });
    });
  });
  onward.on("error", reject);
  from.pipe(onward);
  return promise;
}
