// MeasureEvents: the sizes of the events of an account after a number, for the webhook dispatcher: the
// events of a replay are counted before it is queued, and read when it is sent. A webhook with a filter needs
// the values that filters read, too, and one that names fields those of the fields.

import { complete, internal, invalid } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { EventValuesSchema, LedgerService } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SearchTurns } from "../../search/search-turns.ts";
import { retainedAfter } from "../../search/read-events.ts";
import { placeOf } from "../../search/rules/in-parts.ts";
import { measureFields } from "../store/measure-fields.ts";
import {
  type EventSizeRow,
  measureEvents as measureEventsStatement,
} from "../store/measure-events.ts";

const MAX_EVENTS = 1_000;
const MAX_FIELDS = 16;
/** Maximum bytes of parts that one call reads for the values of fields. */
const MAX_BYTES = 1024 * 1024;

interface Deps {
  readonly database: Pool;
  readonly searches: SearchTurns;
}

export function measureEvents({
  database,
  searches,
}: Deps): ServiceImpl<typeof LedgerService>["measureEvents"] {
  return async ({ accountId, afterSequence, fields, includeValues, limit }, { signal }) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_EVENTS) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_EVENTS}` });
    }
    if (fields.length > MAX_FIELDS)
      throw invalid({ field: "fields", message: `must have at most ${MAX_FIELDS} items` });
    const own = database.forAccount(accountId, signal);
    const range = [accountId, afterSequence, limit] as const;
    const rows: readonly MeasuredRow[] =
      fields.length > 0 && includeValues
        ? await searches
            .of(accountId, "service", signal)
            .run(measureFields, [...range, MAX_BYTES, JSON.stringify(fields.map(placeOf))])
        : await own.run(measureEventsStatement, [...range, includeValues]);
    const first = afterSequence + 1n;
    if (BigInt(rows[0]?.sequence_number ?? 0) !== first) {
      const retainedFrom = await retainedAfter(own, accountId, first);
      if (retainedFrom !== undefined) return { retainedFrom };
    }
    const last = afterSequence + BigInt(rows.length);
    if (rows.length > 0 && BigInt(rows.at(-1)?.sequence_number ?? 0) !== last) {
      throw internal(`an event of ${accountId} is missing before ${last}`);
    }
    return {
      bytes: rows.map(({ bytes }) => bytes),
      values: includeValues ? rows.map(valuesOf) : [],
    };
  };
}

type MeasuredRow = EventSizeRow & { readonly keys?: readonly (readonly string[])[] };

function valuesOf(row: MeasuredRow): MessageInitShape<typeof EventValuesSchema> {
  return {
    action: row.action ?? "",
    ...(row.actor_id !== null && { actorId: row.actor_id }),
    ...(row.actor_type !== null && { actorType: row.actor_type }),
    ...(row.target_id !== null && { targetId: row.target_id }),
    ...(row.target_type !== null && { targetType: row.target_type }),
    fields: (row.keys ?? []).map((keys) => ({ keys: [...keys] })),
  };
}
