// A GET request with bounds: its time, the bytes of its response, and the host that it is for. Called by
// log-client.ts, witness-views.ts and s3-files.ts. It follows no redirect, so a key goes where the caller
// sent it alone.

import { escapeHidden } from "@annals/event/text";
import { NotChecked } from "./evidence/evidence-fault.ts";

/** For the whole of a response. */
const TIMEOUT_MS = 30_000;

/**
 * The body of a response of status 200. Throws NotChecked, whose message has the address and why, and nothing
 * of the headers, which may hold a key.
 */
export async function boundedGet(
  url: URL,
  most: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  const failed = (why: string) => new NotChecked(`GET ${escapeHidden(url.href)}: ${why}`);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, { headers, redirect: "manual", signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw failed(`the response has status ${response.status}`);
    }
    const bytes = await readAtMost(response, most);
    if (bytes === undefined) throw failed(`the response has over ${most} bytes`);
    return bytes;
  } catch (error) {
    if (error instanceof NotChecked) throw error;
    throw failed(signal.aborted ? `timed out after ${TIMEOUT_MS / 1000} s` : codeOf(error));
  }
}

/** Undefined where there are more. */
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
