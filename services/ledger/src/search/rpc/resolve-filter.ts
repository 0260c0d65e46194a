// ResolveFilter: a filter as it is stored with exports and widget tokens, which know no declared fields. It
// has the path and the type of each field, and its values are ones of the type.

import { complete, invalid } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import {
  EventFilterSchema,
  ExcludedValuesSchema,
  FieldValuesSchema,
  type LedgerService,
} from "@annals/proto/ledger";
import { create, toBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { resolveFields } from "../resolve-fields.ts";
import type { FieldValues } from "../rules/event-filter.ts";
import { inPartsOf } from "../rules/in-parts.ts";

/** It is part of each admission of a widget token. */
const MAX_BYTES = 8_192;

interface Deps {
  readonly database: Pool;
}

export function resolveFilter({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["resolveFilter"] {
  return async ({ accountId, filter = create(EventFilterSchema) }, { signal }) => {
    complete({ account_id: accountId });
    const own = database.forAccount(accountId, signal);
    const { fields, not } = await resolveFields(own, accountId, filter);
    const resolved = create(EventFilterSchema, {
      ...filter,
      fields: fieldsOf(fields),
      ...(filter.not && {
        not: create(ExcludedValuesSchema, { ...filter.not, fields: fieldsOf(not?.fields) }),
      }),
    });
    // Throws for a value that its type does not have.
    inPartsOf(resolved);
    if (toBinary(EventFilterSchema, resolved).length > MAX_BYTES)
      throw invalid({ field: "filter", message: `must have at most ${MAX_BYTES} bytes` });
    return { filter: resolved };
  };
}

function fieldsOf(fields: readonly FieldValues[] = []) {
  return fields.map(({ path, values, ...field }) =>
    create(FieldValuesSchema, { ...field, path: [...path], values: [...values] }),
  );
}
