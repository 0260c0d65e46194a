// Integers in a query string are digits and nothing else. Called by register-routes.ts before validation: the
// validator's own conversion would accept `0x10` and `1e1` as well.

import { invalid } from "@annals/errors";
import type { TObject } from "typebox";

const DIGITS = /^-?\d{1,16}$/;

/** A check of the integer members of `schema`; undefined if it has none. The check throws `invalid`. */
export function queryIntegers(schema: TObject): ((query: unknown) => void) | undefined {
  const names = Object.entries(schema.properties)
    .filter(([, property]) => "type" in property && property.type === "integer")
    .map(([name]) => name);
  if (names.length === 0) return undefined;
  return (query) => {
    const given = query as Readonly<Record<string, unknown>>;
    for (const field of names) {
      const value = given[field];
      if (typeof value === "string" && !DIGITS.test(value)) {
        throw invalid({ field, message: "must be an integer" });
      }
    }
  };
}
