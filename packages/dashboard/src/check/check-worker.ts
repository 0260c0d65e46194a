// The worker of the exports screen: verifies one file and ends. Its file has a policy of its own, so that it
// can ask nobody for anything.

import type { Answer, Asked } from "./messages.ts";
import { Fault, verifyExport } from "./verify-export.ts";

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  // The page hears of a failure of the worker as of any error in it.
  answer(data).then((each) => postMessage(each), reportError);
});

async function answer({ file, sha256 }: Asked): Promise<Answer> {
  const onProgress = (done: number) => postMessage({ kind: "progress", done } satisfies Answer);
  try {
    return { kind: "valid", report: await verifyExport(file, { sha256, onProgress }) };
  } catch (error) {
    if (error instanceof Fault) return { kind: "invalid", fault: error.message };
    throw error;
  }
}
