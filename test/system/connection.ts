// One HTTP/1.1 connection that sends bytes as they are, however wrong, and reads a whole answer with its
// headers. Called by the fuzz tests and raw-socket.ts. It must never mend a request, nor take half an answer
// for one.

import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface FuzzAnswer {
  readonly status: number;
  /** Names in lower case; of one that came twice both values with a comma between. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
/** Interim answers, such as 100 (Continue), come before the answer. */
const FINAL_STATUS = 200;

export class FuzzConnection {
  readonly #socket: Socket;
  #held = Buffer.alloc(0);
  #isClosed = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#held = Buffer.concat([this.#held, chunk]);
      this.#wake();
    });
    // A reset after the answer was read is no fault: the server may close a connection that it closed.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** To `http://host:port`. */
  static async open(baseUrl: string): Promise<FuzzConnection> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, "connect");
    return new FuzzConnection(socket);
  }

  /** Whether another request can be sent. */
  get isOpen(): boolean {
    return !this.#isClosed && this.#socket.writable;
  }

  /** The answer; undefined where the connection ended, or the time was up, before it was whole. */
  async exchange(request: Buffer, withinMs: number): Promise<FuzzAnswer | undefined> {
    const deadline = performance.now() + withinMs;
    this.#socket.write(request);
    for (;;) {
      const found = takeAnswer(this.#held, this.#isClosed);
      if (found !== undefined) {
        this.#held = Buffer.from(this.#held.subarray(found.length));
        if (found.answer.status < FINAL_STATUS) continue;
        if (found.answer.headers["connection"] === "close") this.close();
        return found.answer;
      }
      const leftMs = deadline - performance.now();
      if (this.#isClosed || leftMs <= 0) break;
      await this.#more(leftMs);
    }
    this.close();
    return undefined;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Resolves when more came, the connection ended, or the time is up. */
  #more(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

interface Taken {
  readonly answer: FuzzAnswer;
  /** Bytes that it took. */
  readonly length: number;
}

/** The first answer of what came; undefined where it is not whole. */
export function takeAnswer(held: Buffer, isClosed: boolean): Taken | undefined {
  const headEnd = held.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [first = "", ...lines] = held.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const headers = headersOf(lines);
  const start = headEnd + HEAD_END.length;
  const body = takeBody(held.subarray(start), { status, headers, isClosed });
  if (body === undefined) return undefined;
  return { answer: { status, headers, body: body.bytes }, length: start + body.length };
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return headers;
}

interface Body {
  readonly bytes: Buffer;
  readonly length: number;
}

function takeBody(
  rest: Buffer,
  { status, headers, isClosed }: Omit<FuzzAnswer, "body"> & { readonly isClosed: boolean },
): Body | undefined {
  if (status < FINAL_STATUS || status === 204) return { bytes: Buffer.alloc(0), length: 0 };
  if (headers["transfer-encoding"] === "chunked") return takeChunks(rest);
  const given = headers["content-length"];
  if (given === undefined) return isClosed ? { bytes: rest, length: rest.length } : undefined;
  const length = Number(given);
  return rest.length < length ? undefined : { bytes: rest.subarray(0, length), length };
}

function takeChunks(rest: Buffer): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf(LINE_END, at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + LINE_END.length + size;
    if (rest.length < end + LINE_END.length) return undefined;
    chunks.push(rest.subarray(lineEnd + LINE_END.length, end));
    at = end + LINE_END.length;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: at };
  }
}
