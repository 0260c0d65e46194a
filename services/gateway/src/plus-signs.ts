// Reads a plus sign in a query string both ways. Called by register-routes.ts before validation. Forms encode
// a space as `+`, and many clients leave a plus sign as it is: nothing in the URL tells which it was. So a
// filter looks for both texts. It must never let a filter find nothing because it was read the other way.

import { MAX_ALL_FILTER_VALUES, MAX_FILTER_VALUES } from "@annals/contract";
import { invalid } from "@annals/errors";
import { parse } from "node:querystring";
import type { TObject } from "typebox";
import { FIELD_PARAMETER } from "./events/render-event-filter.ts";

type Query = Record<string, unknown>;

/** The parameter whose readings are no values of its own. */
const ONCE = "text";

const AMBIGUOUS =
  "has a bare +, which counts as two values: write %2B for a plus sign, %20 for a space";

/**
 * Adds the other reading to the members of `schema` that take several texts; undefined if it has none. Throws
 * `invalid` if that makes too many values.
 */
export function plusSigns(schema: TObject): ((url: string, query: Query) => void) | undefined {
  const names = Object.entries(schema.properties)
    .filter(([, property]) => "type" in property && Array.isArray(property.type))
    .map(([name]) => name);
  if (names.length === 0) return undefined;
  const isField = hasFields(schema);
  const once = names.filter((name) => name === ONCE);
  return (url, query) => {
    for (const name of once)
      if (Array.isArray(query[name])) throw invalid({ field: name, message: "can be given once" });
    const [, ...parts] = url.split("?");
    const text = parts.join("?");
    if (!text.includes("+")) return;
    const plain = parse(text.replaceAll("+", "%2B"), "&", "=", { maxKeys: 0 });
    let count = 0;
    let ambiguous: string | undefined;
    const fields = isField ? Object.keys(query).filter((name) => FIELD_PARAMETER.test(name)) : [];
    for (const name of [...names, ...fields]) {
      const given = [query[name] ?? []].flat();
      const both = [...new Set([...given, ...[plain[name] ?? []].flat()])];
      count += name === ONCE ? 0 : both.length;
      if (both.length <= new Set(given).size) continue;
      query[name] = both;
      if (name === ONCE) continue;
      ambiguous = name;
      if (both.length > MAX_FILTER_VALUES) throw invalid({ field: name, message: AMBIGUOUS });
    }
    if (ambiguous !== undefined && count > MAX_ALL_FILTER_VALUES)
      throw invalid({ field: ambiguous, message: AMBIGUOUS });
  };
}

const hasFields = (schema: TObject): boolean => "patternProperties" in schema;
