// The bytes of an export's file, read no faster than the client takes them. Called by get-export-content.ts.
// A stream that breaks (a replica stops, a connection is drained) is reopened at its offset, so that a
// download may take as long as its client needs.

import { AnnalsError } from "@annals/errors";
import type { ExportsService } from "@annals/proto/exports";
import type { Client } from "@connectrpc/connect";
import { setTimeout as pause } from "node:timers/promises";
import { type Admission, admittedBy } from "../../admission/admission.ts";

/** Deadline of one stream; a longer download continues with the next. */
const STREAM_TIMEOUT_MS = 5 * 60_000;

/** Consecutive breaks without progress before the download fails: about 10 seconds. */
const MAX_BREAKS = 6;
const FIRST_PAUSE_MS = 100;

/** How long a download goes on with a key that was revoked. */
const READMIT_INTERVAL_MS = 5_000;

/**
 * Rejects with `unavailable`, and with `unauthenticated` once the key was revoked. Ends when its reader
 * stops.
 */
export async function* exportContent(
  exports: Pick<Client<typeof ExportsService>, "streamExportContent">,
  file: { readonly accountId: string; readonly id: string; readonly sizeBytes: bigint },
  admitted: {
    readonly admission: Admission;
    readonly readmit: () => Promise<Admission>;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Uint8Array> {
  const { accountId, id, sizeBytes } = file;
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
      const pieces = exports.streamExportContent({ accountId, id, offset }, options);
      for await (const { chunk } of pieces) {
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
