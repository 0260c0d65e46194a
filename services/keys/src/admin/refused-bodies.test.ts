// Guarantee: a client that sends all of a body before it reads sees the response of the admin API, if that
// was refused for its size, its token or its path, and the connection closes behind it. What is read of such
// a body is bounded.

import { createConnection } from "node:net";
import { buffer } from "node:stream/consumers";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startAdminApi } from "./api.ts";

const MIB = 1024 * 1024;
const TOKEN = "t".repeat(32);

let port: number;

beforeAll(async () => {
  const nothing = () => {};
  const api = await startAdminApi({
    address: { host: "127.0.0.1", port: 0 },
    deps: {} as never,
    log: { error: nothing, info: nothing, warn: nothing },
    requests: { inc: nothing },
    tls: "plaintext",
    tokens: { accepts: (given) => given === TOKEN },
  });
  ({ port } = api);
  return () => api.close();
});

interface Sent {
  readonly path?: string;
  readonly token?: string;
  readonly length?: number;
  /** Bytes of the body; all of it without. */
  readonly sent?: number;
}

/** Sends a body to its end, and only then reads. Rejects if the connection is reset. */
async function blocking({ length = 12 * MIB, path = "/accounts", sent, token = TOKEN }: Sent) {
  const socket = createConnection({ host: "127.0.0.1", port });
  onTestFinished(() => void socket.destroy());
  socket.pause();
  const head = [
    `POST /admin/v1${path} HTTP/1.1`,
    "Host: keys",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.write(Buffer.alloc(sent ?? length, " "), () => resolve());
  });
  const text = (await buffer(socket)).toString();
  const [headers = "", body = ""] = text.split("\r\n\r\n");
  return { body: JSON.parse(body), headers, status: Number(headers.split(" ")[1]) };
}

test.each<[string, Sent, number, string]>([
  ["too large", {}, 422, "The body has more than 16384 bytes."],
  ["without the token", { token: "wrong" }, 401, "token"],
  ["to an unknown path", { path: "/nothing" }, 404, "No route"],
  ["that goes on for longer than is read", { length: 64 * MIB, sent: 32 * 1024 }, 422, "16384"],
])("a body %s gets its response", async (_, sent, status, message) => {
  const response = await blocking(sent);
  expect(response.status).toBe(status);
  expect(response.body.error.message).toContain(message);
  expect(response.headers).toMatch(/^connection: close\r?$/im);
});
