// `annals-verify/browser`: verifies an export in the reader's browser, in a worker, so that the page stays
// responsive. The file never leaves the browser.

import { BadLine } from "./bad-line.ts";
import type { Report } from "./verify-source.ts";

export { BadLine } from "./bad-line.ts";
export type { Manifest, Place } from "./manifest.ts";
export type { Report } from "./verify-source.ts";

/** What the worker is sent. */
export interface CheckRequest {
  readonly file: Blob;
  readonly sha256: string | undefined;
}

/** What it posts: the last one is not `progress`. */
export type CheckMessage =
  | { readonly kind: "progress"; readonly done: number; readonly total: number }
  | { readonly kind: "valid"; readonly report: Report }
  | { readonly kind: "invalid"; readonly message: string; readonly line: number | undefined }
  | { readonly kind: "failed"; readonly message: string };

export interface BrowserOptions {
  /** The SHA-256 that the service shows for the export. */
  readonly sha256?: string;
  /** Ends the worker; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
  /** URL of `browser-worker.js` of this package. By default it is next to the module. */
  readonly worker?: string | URL;
}

/**
 * Rejects with BadLine naming the first line that is not valid, and with Error if nothing was checked.
 */
export async function verify(
  file: Blob,
  onProgress?: (done: number, total: number) => void,
  options: BrowserOptions = {},
): Promise<Report> {
  const { sha256, signal, worker = new URL("./browser-worker.js", import.meta.url) } = options;
  signal?.throwIfAborted();
  const thread = new Worker(worker, { type: "module" });
  try {
    return await new Promise<Report>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
      thread.addEventListener("error", ({ message }) =>
        reject(new Error(message || "the worker of annals-verify cannot be loaded")),
      );
      thread.addEventListener("message", ({ data }: { readonly data: CheckMessage }) => {
        if (data.kind === "progress") onProgress?.(data.done, data.total);
        else if (data.kind === "valid") resolve(data.report);
        else if (data.kind === "invalid") reject(new BadLine(data.message, data.line));
        else reject(new Error(data.message));
      });
      thread.postMessage({ file, sha256 } satisfies CheckRequest);
    });
  } finally {
    thread.terminate();
  }
}
