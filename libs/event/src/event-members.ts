// The one definition of an event: its members, its five parts, and their orders. The JSON, the CSV, the leaf
// of the hash, the proof, the OpenAPI document and the ledger's rows are made from this table; if a text
// is written out for speed, and for the .proto fields, a type or a test holds it to the table. Never change
// the order of PARTS: hash format v1 rests on it (docs/adding-a-field.md).

/**
 * The parts: JSON objects that may hold personal data. In the order of their salts, their digests and the
 * stored record.
 */
export const PARTS = ["actor", "context", "diff", "metadata", "target"] as const;

export type Part = (typeof PARTS)[number];

/** What filters compare: the id and the type inside `actor` and `target`, stored next to these parts. */
export const COPIES = ["actor_id", "actor_type", "target_id", "target_type"] as const;

export type Copy = (typeof COPIES)[number];

/**
 * The members of an event in the order of its JSON. `text`:
 * what the client chose; `part`: a canonical JSON object.
 */
export const EVENT_MEMBERS = {
  id: "id",
  sequence_number: "number",
  action: "text",
  actor: "part",
  target: "part",
  context: "part",
  diff: "part",
  metadata: "part",
  hash: "hash",
  previous_hash: "hash",
  occurred_at: "time",
  received_at: "time",
  created_at: "time",
} as const satisfies Readonly<Record<string, MemberKind>> & Readonly<Record<Part, "part">>;

export type MemberKind = "id" | "number" | "text" | "part" | "hash" | "time";

export type EventMember = keyof typeof EVENT_MEMBERS;

/** The parts in the order of an event's JSON. */
export const JSON_PARTS = Object.keys(EVENT_MEMBERS).filter((name): name is Part =>
  (PARTS as readonly string[]).includes(name),
);

/** Characters of an event's id, and of a hash as hexadecimal: both are ASCII. */
export const ID_LENGTH = 30;
export const HASH_HEX_LENGTH = 64;

/** `previous_hash` as `previousHash`: the names that protobuf-es gives to the fields of the .proto files. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** An event as texts. A part is its canonical text; empty stands for {}. `erased`: see erased-parts.ts. */
export type EventText = {
  readonly erased?: number;
} & {
  readonly [Name in EventMember as CamelCase<Name>]: (typeof EVENT_MEMBERS)[Name] extends "number"
    ? number | bigint
    : string;
};
