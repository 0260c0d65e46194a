// A client that sends bytes of its own choosing over a socket, broken ones too, and reads the HTTP
// answers that come back.

import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
  readonly body: any;
}

/** Text to send, or something to wait for before the rest is sent. */
export type Part = string | Uint8Array | (() => Promise<unknown>);

/** A connection that never closes within this time fails the test. */
const DEADLINE_MS = 20_000;

/** Sends the parts in order and resolves to every answer when the gateway has closed the connection. */
export async function exchange(
  baseUrl: string,
  ...parts: readonly Part[]
): Promise<[RawAnswer, ...RawAnswer[]]> {
  const { socket, closed } = await open(baseUrl);
  const sending = sendParts(socket, parts);
  const bytes = await closed;
  await sending;
  const [first, ...others] = parseAnswers(bytes);
  if (!first) throw new Error("the connection was closed without an answer");
  return [first, ...others];
}

/** A connection with what it has received so far, and a promise of all of it. */
export async function open(baseUrl: string): Promise<{
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<Buffer>;
}> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  // A reset, as when the gateway closes while more is sent, ends in `close` like any other end.
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  const closed = new Promise<Buffer>((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`not closed within ${DEADLINE_MS} ms`));
    }, DEADLINE_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
  });
  return { socket, received: () => Buffer.concat(chunks).toString("latin1"), closed };
}

async function sendParts(socket: Socket, parts: readonly Part[]): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return;
    if (typeof part === "function") await part();
    else socket.write(part);
  }
}

/** Splits what came into answers by their Content-Length. Throws where it is no sequence of whole answers. */
function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    const [statusLine = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (end < 0 || Number.isNaN(status)) throw new Error(`no answer: ${rest.toString("latin1")}`);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const size = Number(headers["content-length"] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + size);
    if (body.length !== size) throw new Error(`an answer broke off: ${rest.toString("latin1")}`);
    const text = body.toString("utf8");
    answers.push({ status, headers, text, body: text === "" ? undefined : JSON.parse(text) });
    rest = rest.subarray(end + 4 + size);
  }
  return answers;
}
