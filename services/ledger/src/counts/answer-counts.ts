// Answers requests for counts, for API keys and for widget tokens: checks what is asked, and renders what was
// counted. Called by the RPCs of counts, which say whose filter and fields are allowed.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import {
  EventFilterSchema,
  type FacetSchema,
  type FacetsRequest,
  type HistogramRequest,
  type HistogramSchema,
} from "@annals/proto/ledger";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { actionsOf, type EventFilter } from "../search/rules/event-filter.ts";
import { keysFrom, type KeyRange } from "../search/rules/segment.ts";
import { resolveFields } from "../search/resolve-fields.ts";
import { type CountBounds, countEvents, type Histogram } from "./count-events.ts";
import type { Times } from "./count-times.ts";
import { countValues, type Facet } from "./count-values.ts";
import { findCountedFields, type NamedField } from "./find-counted-field.ts";

const MAX_EDGES = 2_001;
const MAX_VALUES = 10;
const MAX_FIELDS = 6;
const MAX_LIMIT = 50;

export interface Asker {
  readonly database: Database;
  readonly accountId: string;
  readonly bounds: CountBounds;
  /**
   * The filter of what may be counted, given that of the request; undefined: no event. Throws for a filter,
   * or a field, that would tell what is hidden.
   */
  readonly allow: (own: EventFilter, fields: readonly NamedField[]) => EventFilter | undefined;
  /** Times between which a request counts that names none, given the filter of what it may count. */
  readonly times: (allowed: EventFilter) => Times | Promise<Times>;
}

export async function answerHistogram(
  asker: Asker,
  request: HistogramRequest | undefined,
): Promise<MessageInitShape<typeof HistogramSchema>> {
  const { accountId, allow, bounds, database, times } = asker;
  complete({ account_id: accountId });
  const { by = "", edges: given = [], filter, values } = request ?? {};
  const edges = given.map(Number);
  if (edges.length > MAX_EDGES || edges.some((edge, at) => edge <= (edges[at - 1] ?? -Infinity)))
    throw invalid({ field: "edges", message: `must ascend, and be at most ${MAX_EDGES}` });
  if ((values?.values.length ?? 0) > MAX_VALUES)
    throw invalid({ field: "values", message: `must be at most ${MAX_VALUES}` });
  const own = await resolveFields(database, accountId, filter ?? create(EventFilterSchema));
  const [field] = by === "" ? [] : await findCountedFields(database, accountId, [by], "by");
  const allowed = allow(own, field ? [field] : []);
  if (edges.length < 2) return times(allowed ?? own);
  if (!allowed) return { isComplete: true, countedFrom: 1n, values: values?.values ?? [] };
  const search = { accountId, filter: allowed, edges, by: field, values: values?.values, bounds };
  return renderHistogram(await countEvents(database, search));
}

function renderHistogram(found: Histogram): MessageInitShape<typeof HistogramSchema> {
  const { bars, isComplete, reached, total, values } = found;
  return {
    bars: bars.map(({ bar, count, value }) => ({
      bar,
      count: BigInt(count),
      ...(value !== undefined && { value: values.indexOf(value) }),
    })),
    values: [...values],
    total: BigInt(total),
    countedFrom: BigInt(reached),
    isComplete,
  };
}

export async function answerFacets(
  asker: Asker,
  request: FacetsRequest | undefined,
): Promise<MessageInitShape<typeof FacetSchema>[]> {
  const { accountId, allow, bounds, database } = asker;
  complete({ account_id: accountId });
  const { fields: names = [], filter, limit = 0, prefix = "" } = request ?? {};
  if (names.length < 1 || names.length > MAX_FIELDS)
    throw invalid({ field: "field", message: `must be 1 to ${MAX_FIELDS} names` });
  if (limit < 1 || limit > MAX_LIMIT)
    throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
  const own = await resolveFields(database, accountId, filter ?? create(EventFilterSchema));
  const fields = await findCountedFields(database, accountId, names, "field");
  const keys = prefix === "" ? undefined : keysBeginningWith(prefix, fields);
  const allowed = allow(own, fields);
  const [first, ...more] = fields;
  const found =
    allowed && first
      ? await countValues(database, {
          accountId,
          filter: allowed,
          fields: [first, ...more],
          keys,
          limit,
          bounds,
        })
      : [];
  return names.map((field, at) => renderFacet(field, found[at]));
}

/** Undefined: no event may be counted. */
function renderFacet(
  field: string,
  found: Facet | undefined,
): MessageInitShape<typeof FacetSchema> {
  return {
    field,
    values: (found?.values ?? []).map(({ count, value }) => ({ value, count: BigInt(count) })),
    other: BigInt(found?.other ?? 0),
    missing: BigInt(found?.missing ?? 0),
    distinct: BigInt(found?.distinct ?? 0),
    isComplete: found?.isComplete ?? true,
    events: BigInt(found?.events ?? 0),
    countedFrom: BigInt(found?.reached ?? 1),
  };
}

/** The keys of texts that begin with a prefix. Throws `invalid` if there is no one field of texts. */
function keysBeginningWith(prefix: string, fields: readonly NamedField[]): KeyRange {
  const [field, ...more] = fields;
  if (!field || more.length > 0 || field.type !== "string")
    throw invalid({
      field: "prefix",
      message: "can be given for one field, whose values are texts",
    });
  const text = field.ignoreCase
    ? prefix.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
    : prefix;
  const [range] = actionsOf({ actionPrefixes: [text] })?.ranges ?? [];
  return keysFrom(text, range?.to ?? null);
}
