// Verifies an export in a worker, so that the page stays responsive. Called by the exports screen. The worker
// has the file and nothing else: no key, no request.

import type { Answer, Asked, Report } from "./messages.ts";

/** A file that was checked. */
export interface Check {
  readonly name: string;
  readonly report: Report | undefined;
  /** Why it does not verify; undefined if it does. */
  readonly fault: string | undefined;
}

interface Options {
  readonly name: string;
  readonly sha256: string | undefined;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

const WORKER = "check-worker.js";

/** What TypeScript's library does not know of yet. */
interface TrustedTypes {
  readonly createPolicy: (
    name: string,
    rules: { createScriptURL: () => string },
  ) => { createScriptURL: (text: string) => string };
}

/** The one script that this page may name while it runs: no text becomes the address of a script. */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("annals-dashboard", { createScriptURL: () => WORKER });
  return policy?.createScriptURL("") ?? WORKER;
}

let url: string | undefined;

export async function checkExport(file: Blob, options: Options): Promise<Check> {
  const { name, sha256, onProgress, signal } = options;
  url ??= workerUrl();
  const worker = new Worker(url, { type: "module" });
  try {
    return await new Promise<Check>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("The check was stopped.")));
      worker.addEventListener("error", () => reject(new Error("The check could not run.")));
      worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
        if (data.kind === "progress") onProgress(data.done);
        else if (data.kind === "valid") resolve({ name, report: data.report, fault: undefined });
        else resolve({ name, report: undefined, fault: data.fault });
      });
      const asked: Asked = { file, sha256 };
      worker.postMessage(asked);
    });
  } finally {
    worker.terminate();
  }
}
