// A worker thread of check-pool.ts: checks the records that it gets, and returns results in their order.

import { parentPort, workerData } from "node:worker_threads";
import type { RecordKind } from "./check-pool.ts";
import { checkerOf, checkRecords, END, type Records } from "./check-records.ts";
import { eventChecks } from "./evidence/check-events.ts";

const check = checkOf(workerData as RecordKind);

parentPort?.on("message", take);

function take(message: Records | typeof END): void {
  if (message === END) {
    // Without a listener the thread ends. Deno's port has no close().
    parentPort?.off("message", take);
    return;
  }
  const { bytes, ...records } = message;
  // A Buffer arrives as a Uint8Array.
  const { buffer, byteOffset, length } = bytes;
  const asSent = { ...records, bytes: Buffer.from(buffer, byteOffset, length) };
  parentPort?.postMessage(check(asSent));
}

function checkOf(kind: RecordKind): (records: Records) => unknown {
  if (kind === "evidence") return eventChecks();
  const checker = checkerOf(kind);
  return (records) => checkRecords(checker, records);
}
