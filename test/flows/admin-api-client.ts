// A client of the admin API for admin-api.test.ts: TLS with the name of keys, a token or none, any body.

import { type RequestOptions, request } from "node:https";

export interface Asked {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line no-explicit-any -- each test knows the shape
  readonly body: any;
}

export type AdminApi = (method: string, path: string, asked?: Asked) => Promise<Answered>;

export function adminApi(at: { ca: string; port: number; token: string }): AdminApi {
  return (method, path, asked = {}) => call(at, method, path, asked);
}

function call(
  { ca, port, token: usual }: { ca: string; port: number; token: string },
  method: string,
  path: string,
  asked: Asked,
): Promise<Answered> {
  const token = "token" in asked ? asked.token : usual;
  const text = typeof asked.body === "string" ? asked.body : JSON.stringify(asked.body);
  const options: RequestOptions = {
    host: "127.0.0.1",
    port,
    ca,
    servername: "keys.annals.internal",
    agent: false,
    method,
    path,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(text !== undefined && { "content-type": "application/json" }),
      ...asked.headers,
    },
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const got = Buffer.concat(chunks).toString();
        const { headers, statusCode: status = 0 } = response;
        resolve({ status, headers, body: got === "" ? undefined : JSON.parse(got) });
      });
    });
    sent.once("error", reject);
    sent.end(text);
  });
}
