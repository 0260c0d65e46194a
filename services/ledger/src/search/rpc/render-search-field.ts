// A field as the RPCs return it.

import type { SearchFieldSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { fieldId } from "../rules/search-field.ts";
import type { FieldRow } from "../../store/list-search-fields.ts";

export function renderSearchField(row: FieldRow): MessageInitShape<typeof SearchFieldSchema> {
  const [fromBase, deleted] = [BigInt(row.from_base), BigInt(row.deleted)];
  const lag = fromBase > deleted ? fromBase - deleted : 0n;
  return {
    id: fieldId(row.field),
    name: row.name,
    path: [...row.path],
    type: row.type,
    ignoreCase: row.ignore_case,
    indexedFrom: deleted + lag + 1n,
    lagEvents: lag,
    createdAt: row.created_at,
    ...(row.measured_events !== null && {
      measured: {
        events: row.measured_events,
        bytes: row.measured_bytes ?? 0,
        uncounted: row.uncounted ?? 0,
      },
    }),
  };
}
