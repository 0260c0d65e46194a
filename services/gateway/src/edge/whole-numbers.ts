// Whole numbers in a query string: digits and nothing else. The validator's own conversion would take
// `0x10` and `1e1` as well, which no client means.

import { invalid } from "@annals/errors";
import type { TObject } from "typebox";

const DIGITS = /^-?\d{1,16}$/;

/** A check of the members of `schema` that are whole numbers, where it has some. It throws `invalid`. */
export function wholeNumbersOf(schema: TObject): ((query: unknown) => void) | undefined {
  const names = Object.entries(schema.properties)
    .filter(([, property]) => "type" in property && property.type === "integer")
    .map(([name]) => name);
  if (names.length === 0) return undefined;
  return (query) => {
    const given = query as Readonly<Record<string, unknown>>;
    for (const field of names) {
      const value = given[field];
      if (typeof value === "string" && !DIGITS.test(value)) {
        throw invalid({ field, message: "must be a whole number" });
      }
    }
  };
}
