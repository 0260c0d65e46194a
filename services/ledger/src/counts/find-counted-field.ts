// Finds the field that a request counts by its name: that of a filter. Called by the RPCs of counts.

import { invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { type IndexedField, OUTCOME } from "../search/rules/in-parts.ts";
import { listSearchFields } from "../store/list-search-fields.ts";
import { columnField, type CountedField, partField } from "./rules/counted-field.ts";

export interface NamedField extends CountedField {
  /** Begins with the part; empty for one that every event shows. */
  readonly path: readonly string[];
}

const DECLARED = "field.";

/** `parameter` is what an error names. Throws `invalid`. */
export async function findCountedFields(
  database: Database,
  accountId: string,
  names: readonly string[],
  parameter: string,
): Promise<NamedField[]> {
  const declared = names.some((name) => name.startsWith(DECLARED))
    ? await database.run(listSearchFields, [accountId])
    : [];
  return names.map((name) => {
    const column = columnField(name);
    if (column) return { ...column, path: [] };
    const field = name === "outcome" ? OUTCOME : declaredOf(name, declared);
    if (field) return { ...partField(field), path: field.path };
    const message =
      "must be action, actor_id, actor_type, target_id, target_type, outcome, or field. and the name of a declared " +
      "field: POST /v1/search/fields declares one";
    throw invalid({ field: parameter, message });
  });
}

function declaredOf(
  name: string,
  declared: readonly (IndexedField & { readonly name: string })[],
): IndexedField | undefined {
  return declared.find((each) => DECLARED + each.name === name);
}
