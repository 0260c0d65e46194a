// The worker of browser.ts: verifies the Blob that it is sent, and posts how far it is and the result. The
// checks are those of the command; browser-node.ts replaces what they use of Node.

import { BadLine } from "./bad-line.ts";
import type { CheckMessage, CheckRequest } from "./browser.ts";
import { checkRecords } from "./check-records.ts";
import { CHUNK_BYTES, type Source, verifySource } from "./verify-source.ts";

/** What a worker has, without the types of the DOM. */
declare const self: {
  addEventListener(
    type: "message",
    listener: (message: { readonly data: CheckRequest }) => void,
  ): void;
  postMessage(message: CheckMessage): void;
};

self.addEventListener("message", ({ data: { file, sha256 } }) => {
  const onProgress = (done: number, total: number): void =>
    self.postMessage({ kind: "progress", done, total });
  verifySource(
    sourceOf(file),
    (checker) => ({
      size: 0,
      check: async (records) => checkRecords(checker, records),
      close: async () => {},
    }),
    { onProgress, sha256 },
  ).then(
    (report) => self.postMessage({ kind: "valid", report }),
    (error: unknown) => self.postMessage(messageOf(error)),
  );
});

function messageOf(error: unknown): CheckMessage {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof BadLine
    ? { kind: "invalid", message, line: error.line }
    : { kind: "failed", message };
}

function sourceOf(file: Blob): Source {
  const read = async (from: number, to: number) =>
    Buffer.from(await file.slice(from, to).arrayBuffer());
  return {
    size: file.size,
    read,
    chunks: async function* chunks() {
      for (let at = 0; at < file.size; at += CHUNK_BYTES)
        yield await read(at, Math.min(file.size, at + CHUNK_BYTES));
    },
  };
}
