// The ranges of values that a filter selects in a field, as ledger.values_of writes values (0001_ledger.sql).
// Called by in-parts.ts.

import { rangeOfText, type ValueRange } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { FieldValues } from "./event-filter.ts";

/** Throws `invalid`, which names the field, for a text that the type does not have. */
export function rangesOf({ ignoreCase, name, type, values }: FieldValues): ValueRange[] {
  return values.map((value) => {
    const range = rangeOfText(type, ignoreCase, value);
    if (typeof range !== "string") return range;
    throw invalid({ field: name === "outcome" ? name : `field.${name}`, message: range });
  });
}
