// A client that sends bytes of its own choosing over a socket, broken ones too, and reads the HTTP
// answers that come back.

import { connect, type Socket } from "node:net";
import { takeAnswer } from "../../system/connection.ts";

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

/** Splits what came into answers. Throws where it is no sequence of whole answers. */
function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const taken = takeAnswer(rest, false);
    if (!taken) throw new Error(`no whole answer: ${rest.toString("latin1")}`);
    const { status, headers, body } = taken.answer;
    const text = body.toString("utf8");
    answers.push({ status, headers, text, body: text === "" ? undefined : JSON.parse(text) });
    rest = rest.subarray(taken.length);
  }
  return answers;
}
