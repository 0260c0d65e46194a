// The bytes of a file of the export service, read no faster than the client takes them. Called by
// get-export-content.ts and archive-content.ts. A stream that breaks (a replica stops, a connection is
// drained) is reopened at its offset, so that a download may take as long as its client needs.

import { AnnalsError } from "@annals/errors";
import { setTimeout as pause } from "node:timers/promises";
import { type Admission, admittedBy } from "../admission/admission.ts";

/** Deadline of one stream; a longer download continues with the next. */
const STREAM_TIMEOUT_MS = 5 * 60_000;

/** Consecutive breaks without progress before the download fails: about 10 seconds. */
const MAX_BREAKS = 6;
const FIRST_PAUSE_MS = 100;

/** How long a download goes on with a key that was revoked. */
const READMIT_INTERVAL_MS = 5_000;

type Open = (
  offset: bigint,
  options: ReturnType<typeof admittedBy> & { readonly timeoutMs: number },
) => AsyncIterable<{ readonly chunk: Uint8Array }>;

/**
 * `open` begins a stream at an offset. Rejects with `unavailable`, and with `unauthenticated` once the key
 * was revoked. Ends when its reader stops.
 */
export async function* fileContent(
  open: Open,
  sizeBytes: bigint,
  admitted: {
    readonly admission: Admission;
    readonly readmit: () => Promise<Admission>;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Uint8Array> {
  let offset = 0n;
  let breaks = 0;
  let { admission } = admitted;
  let admittedAt = performance.now();
  const readmit = async (): Promise<void> => {
    if (performance.now() - admittedAt < READMIT_INTERVAL_MS) return;
    admission = await admitted.readmit();
    admittedAt = performance.now();
  };
  while (offset < sizeBytes) {
    try {
      await readmit();
      const options = { ...admittedBy(admission, admitted.signal), timeoutMs: STREAM_TIMEOUT_MS };
      for await (const { chunk } of open(offset, options)) {
        await readmit();
        yield chunk;
        offset += BigInt(chunk.length);
        breaks = 0;
      }
      if (offset < sizeBytes) throw new AnnalsError("internal", "the file is shorter than it was");
    } catch (error) {
      if (admitted.signal.aborted) return;
      if (!(error instanceof AnnalsError) || error.kind !== "unavailable") throw error;
      breaks += 1;
      if (breaks > MAX_BREAKS) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** breaks);
    }
  }
}
