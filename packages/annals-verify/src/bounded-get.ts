// A GET request with bounds: its time, the bytes of its response, and the host that it is for. Called by
// log-client.ts, witness-views.ts, log-tiles.ts and s3-files.ts. It follows no redirect, so a key goes
// where the caller sent it alone.

import { escapeHidden } from "@annals/event/text";
import { NotChecked } from "./evidence/evidence-fault.ts";

/** For the whole of a response. */
const TIMEOUT_MS = 30_000;

/** The message has the address and why, and nothing of the headers, which may hold a key. */
export class GetFailed extends NotChecked {
  /** Undefined without a response. */
  readonly status: number | undefined;
  /** The connection failed, or was cut before the end of the response. */
  readonly isCut: boolean;

  constructor(url: URL, why: string, { isCut = false, status }: FailedGet = {}) {
    super(`GET ${escapeHidden(url.href)}: ${why}`);
    [this.status, this.isCut] = [status, isCut];
  }
}

interface FailedGet {
  readonly status?: number;
  readonly isCut?: boolean;
}

/** The body of a response of status 200; what is compressed on its way is decoded. Throws GetFailed. */
export async function boundedGet(
  url: URL,
  most: number,
  headers: Readonly<Record<string, string>> = {},
  check: (response: Response) => string | undefined = () => undefined,
): Promise<Buffer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, { headers, redirect: "manual", signal });
    const { status } = response;
    const fault = status === 200 ? check(response) : `the response has status ${status}`;
    if (fault !== undefined) {
      await response.body?.cancel();
      throw new GetFailed(url, fault, { status });
    }
    const bytes = await readAtMost(response, most);
    if (bytes === undefined) throw new GetFailed(url, `the response has over ${most} bytes`);
    return bytes;
  } catch (error) {
    if (error instanceof GetFailed) throw error;
    if (signal.aborted) throw new GetFailed(url, `timed out after ${TIMEOUT_MS / 1000} s`);
    throw new GetFailed(url, codeOf(error), { isCut: true });
  }
}

/** Undefined if there are more. */
async function readAtMost({ body }: Response, most: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  if (body === null) return Buffer.alloc(0);
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The system's code, which fetch keeps in the cause. */
function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: Partial<NodeJS.ErrnoException> };
  return escapeHidden(cause?.code ?? cause?.message ?? String(error));
}

/** An address to which paths can be added. Throws NotChecked. */
export function httpAddress(text: string, what: string): URL {
  if (!URL.canParse(text)) throw new NotChecked(`${what} is not a URL`);
  const url = new URL(text.endsWith("/") ? text : `${text}/`);
  const { hash, password, protocol, search, username } = url;
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "")
    throw new NotChecked(`${what} is not an http or https URL without a user`);
  if (search !== "" || hash !== "") throw new NotChecked(`${what} has a query or a fragment`);
  return url;
}
