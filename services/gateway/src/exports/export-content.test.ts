// Guarantee: a download goes on for five seconds at most with a key or token that admits no more: then it is
// asked for again, and the download ends with the refusal. The seconds are those of a clock that is moved.

import { AnnalsError } from "@annals/errors";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Admission } from "../admission/admission.ts";
import { fileContent } from "./export-content.ts";

const ADMISSION = { requestId: "req_1", statement: "s" } as Admission;
const CHUNK = new Uint8Array(10);
const CHUNKS = 5;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

function download(readmit: () => Promise<Admission>) {
  const opened: bigint[] = [];
  async function* open(offset: bigint) {
    opened.push(offset);
    for (let at = 0; at < CHUNKS; at += 1) yield { chunk: CHUNK };
  }
  const { signal } = new AbortController();
  const admitted = { admission: ADMISSION, readmit, signal };
  return fileContent(open, BigInt(CHUNK.length * CHUNKS), admitted);
}

/** How many chunks come, one every `ms`, and what ends them. */
async function read(content: AsyncGenerator<Uint8Array>, ms: number) {
  let chunks = 0;
  try {
    for await (const _ of content) {
      chunks += 1;
      vi.advanceTimersByTime(ms);
    }
    return { chunks, end: "complete" };
  } catch (error) {
    return { chunks, end: error instanceof AnnalsError ? error.kind : error };
  }
}

test.each(["unauthenticated", "scope_missing"] as const)(
  "it ends after five seconds when the answer is %s",
  async (kind) => {
    const refuse = async () => {
      throw new AnnalsError(kind, "no more");
    };
    // The fourth one would come 5.1 s after the start.
    expect(await read(download(refuse), 1_700)).toEqual({ chunks: 3, end: kind });
  },
);

test("it is complete when it is admitted each time, and asks every five seconds", async () => {
  let asked = 0;
  const admit = async () => {
    asked += 1;
    return ADMISSION;
  };
  expect(await read(download(admit), 2_500)).toEqual({ chunks: CHUNKS, end: "complete" });
  expect(asked).toBe(2);
});
