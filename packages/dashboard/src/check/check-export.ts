// Verifies an export in a worker, so that the page stays responsive. Called by the exports screen. The worker
// has the file and nothing else: no key, no request.

import { BadLine, type Report, verify } from "annals-verify/browser";

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

let worker: string | undefined;

export async function checkExport(file: Blob, options: Options): Promise<Check> {
  const { name, sha256, onProgress, signal } = options;
  worker ??= workerUrl();
  try {
    const given = { worker, signal, ...(sha256 !== undefined && { sha256 }) };
    return { name, report: await verify(file, onProgress, given), fault: undefined };
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    const { line, message } = error;
    return {
      name,
      report: undefined,
      fault: line === undefined ? message : `Line ${line}: ${message}`,
    };
  }
}
