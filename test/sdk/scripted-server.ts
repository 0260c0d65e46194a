// An HTTP server whose answers a test writes, for the failures that the real service does not have on demand.
// It keeps every request.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request; `cut` ends its connection without an answer. */
export type Answering = (received: Received, response: ServerResponse, count: number) => void;

export interface ScriptedServer {
  readonly baseUrl: string;
  readonly received: Received[];
  answer: Answering;
}

export async function scriptedServer(answer: Answering, at = 0): Promise<ScriptedServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers, method = "", url: path = "" } = request;
      const sent = Buffer.concat(chunks);
      const body = headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      const one = { method, path, headers, body: body.toString() };
      received.push(one);
      scripted.answer(one, response, received.length);
    });
  });
  server.listen(at, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const scripted: ScriptedServer = { baseUrl: `http://127.0.0.1:${port}`, received, answer };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return scripted;
}

export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function failure(
  response: ServerResponse,
  status: number,
  type: string,
  headers: Record<string, string> = {},
  details: readonly object[] = [],
): void {
  json(response, status, { error: { type, message: `${type} of a test`, details } }, headers);
}
