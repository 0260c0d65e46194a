// A worker thread of check-pool.ts: checks the records that it gets, and returns results in their order.

import { parentPort, workerData } from "node:worker_threads";
import { checkerOf, checkRecords, type Format, type Records } from "./check-records.ts";

const checker = checkerOf(workerData as Format);

parentPort?.on("message", ({ bytes, ...records }: Records) => {
  // A Buffer arrives as a Uint8Array.
  const { buffer, byteOffset, length } = bytes;
  const asSent = { ...records, bytes: Buffer.from(buffer, byteOffset, length) };
  parentPort?.postMessage(checkRecords(checker, asSent));
});
