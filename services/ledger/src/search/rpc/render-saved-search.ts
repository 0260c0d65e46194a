// A saved search as the RPCs return it.

import type { SavedSearchSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { NamedField } from "../rules/saved-search.ts";
import type { SavedSearchRow } from "../store/saved-searches.ts";

export function renderSavedSearch(row: SavedSearchRow): MessageInitShape<typeof SavedSearchSchema> {
  const fields: NamedField[] = JSON.parse(row.fields);
  return {
    id: row.id,
    name: row.name,
    filterJson: row.filter,
    viewJson: row.view,
    fields: fields.map(({ path, ...field }) => ({ ...field, path: [...path] })),
    hasErased: row.has_erased,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
