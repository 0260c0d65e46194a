// The data of a completed export without the values of an erasure. Called by worker/erased-copies.ts. It
// does no I/O.

import { type ErasedValues, namesErased } from "@annals/contract";

/** Returns the data of export.completed without its filter; undefined unless that names an erased value. */
export function withoutErased(data: string, erased: ErasedValues): string | undefined {
  const completed = JSON.parse(data);
  return namesErased(completed.filter ?? {}, erased)
    ? JSON.stringify({ ...completed, filter: {} })
    : undefined;
}
