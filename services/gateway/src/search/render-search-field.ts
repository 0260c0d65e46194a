// A declared field as JSON (docs/search-fields.md).

import { FIELD_TYPES, SIMPLE_NAME } from "@annals/contract";
import { internal } from "@annals/errors";
import type { SearchField } from "@annals/proto/ledger";
import { Type } from "typebox";
import {
  Count,
  Id,
  named,
  Nullable,
  openDetail,
  SequenceNumber,
  TextOrTexts,
  Time,
} from "../render/schema.ts";

export const SearchFieldId = Id("field", "16");

/** What a field is declared with, and what a response shows of it. */
export const FIELD_MEMBERS = openDetail("search-field-members");

const MAX_PATH_LENGTH = 1_024;
const MAX_PATH_ITEMS = 10;

export const FieldPath = TextOrTexts(
  { maxItems: MAX_PATH_ITEMS, maxLength: MAX_PATH_LENGTH },
  {
    description:
      "Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or " +
      "`target.meta`, and names of members below it. An array if a name has other characters than A to Z, a to z, " +
      "0 to 9, _ and -. An array in an event gives each of its elements.",
    examples: ["context.ip"],
  },
);

export const FieldName = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Filters name it as `field.` and this. Default: the path.",
  examples: ["ip"],
});

export const FieldTypeBody = Type.Enum([...FIELD_TYPES], {
  description:
    "What a value is read as. A value that is not of the type is not found by the field.",
  examples: ["ip"],
});

export const IgnoreCase = Type.Boolean({
  description: "Only for strings: whether a to z and A to Z are the same. Default: false.",
  examples: [false],
});

export const SearchFieldBody = named(
  "SearchField",
  Type.Object(
    {
      id: SearchFieldId,
      name: FieldName,
      path: FieldPath,
      type: FieldTypeBody,
      ignore_case: IgnoreCase,
      status: Type.Enum(["building", "ready"], {
        description:
          "`building`: older events are still put into its index. Filters find them meanwhile, but more slowly.",
        examples: ["building"],
      }),
      indexed_from: SequenceNumber({
        description: "The first event from which on its index has all that were indexed.",
      }),
      lag_events: Count({
        description: "Older events, which its index does not have yet.",
        examples: [41],
      }),
      measured_events: Count({
        description:
          "Events of which `bytes_per_event` and `uncounted` are: 65,536 of the newest that the index has, or 4,096 " +
          "while it has no such part; 0 before that.",
        examples: [65_536],
      }),
      bytes_per_event: Nullable(Type.Number({ minimum: 0, examples: [5.25] }), {
        description:
          "What its index took of them when they were indexed, by event: of all, also of those without a value. " +
          "Null if `measured_events` is 0.",
      }),
      uncounted: Nullable(Count({ examples: [0] }), {
        description:
          "Those of them whose values are too many or too long for its index, so that every search of the field " +
          "compares them. Null if `measured_events` is 0.",
      }),
      created_at: Time(),
    },
    FIELD_MEMBERS,
  ),
);

export function renderSearchField(field: SearchField | undefined) {
  if (!field) throw internal("the ledger responded without a field");
  const { createdAt, id, ignoreCase, indexedFrom, lagEvents, measured, name, path, type } = field;
  return {
    id,
    name,
    path: path.every((step) => SIMPLE_NAME.test(step)) ? path.join(".") : path,
    type,
    ignore_case: ignoreCase,
    status: lagEvents > 0n ? ("building" as const) : ("ready" as const),
    indexed_from: Number(indexedFrom),
    lag_events: Number(lagEvents),
    measured_events: measured?.events ?? 0,
    bytes_per_event: measured ? Math.round((measured.bytes / measured.events) * 100) / 100 : null,
    uncounted: measured?.uncounted ?? null,
    created_at: createdAt,
  };
}
