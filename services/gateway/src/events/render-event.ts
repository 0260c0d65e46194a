// The shape of an event in the OpenAPI document (interface 6), its parts, and its proof. The text itself is
// made by libs/event. The parts are the same in requests and responses.

import {
  erasedParts,
  EVENT_MEMBERS,
  type EventMember,
  MAX_TEXT_LENGTH,
  type Part,
  PARTS,
  proofJson,
} from "@annals/event";
import type { StoredEvent } from "@annals/proto/ledger";
import { Type, type TSchema } from "typebox";
import {
  CLOSED,
  FreeForm,
  Hash,
  Id,
  named,
  openDetail,
  SequenceNumber,
  Time,
} from "../render/schema.ts";

/** What a third party needs besides the event to recompute its hash (docs/hash-chain.md). */
export function renderProof({ erased, proof }: StoredEvent): string {
  const given = proof ?? { chain: "", salts: new Uint8Array(), digests: new Uint8Array() };
  return proofJson(given, erasedParts(erased));
}

export const EventId = Id("evt", "0000000000001zttz581y73f7x");

const Text = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, description, examples: [example] });

export const Action = Text("What was done, such as `invoice.update`.", "invoice.update");

const Actor = named(
  "Actor",
  Type.Object(
    {
      id: Type.Optional(Text("Who acted.", "u_1")),
      type: Type.Optional(Text("What kind: user, service, api_key.", "user")),
      meta: Type.Optional(FreeForm("Free-form.", { email: "ada@example.com" })),
    },
    { ...CLOSED, description: "Who did it." },
  ),
);

const Target = named(
  "Target",
  Type.Object(
    {
      type: Type.Optional(Text("What kind of thing was acted upon.", "invoice")),
      id: Type.Optional(Text("Which one.", "inv_9")),
      meta: Type.Optional(FreeForm("Free-form.", { number: "2026-0009" })),
    },
    { ...CLOSED, description: "What the action was done to." },
  ),
);

const Diff = named(
  "Diff",
  Type.Object(
    {
      before: Type.Optional(FreeForm("Free-form.", { total: 1200 })),
      after: Type.Optional(FreeForm("Free-form.", { total: 1250 })),
    },
    { ...CLOSED, description: "What changed." },
  ),
);

/** What a client may send of each part, and gets back: {} if none was given. */
export const Parts = {
  actor: Actor,
  target: Target,
  context: FreeForm("Free-form: address, user agent, location.", { ip: "203.0.113.7" }),
  diff: Diff,
  metadata: FreeForm("Free-form.", { request: "r-77" }),
} satisfies Record<Part, TSchema>;

const MEMBERS: Readonly<Record<EventMember, TSchema>> = {
  ...Parts,
  id: EventId,
  sequence_number: SequenceNumber(),
  action: Action,
  hash: Hash(),
  previous_hash: Hash({
    description: "Hash of the preceding event; 64 zeros for the first event.",
    examples: ["60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"],
  }),
  occurred_at: Time({
    description: "When the event happened, according to the client. UTC, six fraction digits.",
  }),
  received_at: Time({ description: "When the service had received the complete request." }),
  created_at: Time({ description: "When the event was added to the chain." }),
};

const Erased = Type.Optional(
  Type.Array(Type.Enum([...PARTS]), {
    minItems: 1,
    uniqueItems: true,
    description:
      "The parts that were erased after the event was stored. Absent if it has all parts.",
    examples: [["actor"]],
    ...openDetail("erased-parts"),
  }),
);

export const EventBody = named(
  "Event",
  Type.Object(
    Object.fromEntries<TSchema>([
      ...(Object.keys(EVENT_MEMBERS) as EventMember[]).map((name): [string, TSchema] => [
        name,
        MEMBERS[name],
      ]),
      ["erased", Erased],
    ]),
  ),
);

const hexes = (pattern: string, example: string) =>
  Type.Object(
    Object.fromEntries(PARTS.map((part) => [part, Type.String({ pattern, examples: [example] })])),
  );

/** The parameter that asks for a proof, and the proof. */
export const PROOF = openDetail("proof");

export const ProofBody = named(
  "Proof",
  Type.Object(
    {
      v: Type.Literal(1),
      chain: Id("acct", "3t7p0v9k5c1q8z2m6x4r0w7d9a", "The account: `acct_` and an opaque string."),
      salts: Type.Partial(hexes("^[0-9a-f]{32}$", "00112233445566778899aabbccddeeff"), {
        description: "By part. Absent if the part is erased.",
      }),
      digests: hexes(
        "^[0-9a-f]{64}$",
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
      ),
    },
    { description: "The data needed to recompute the hash, besides the event.", ...PROOF },
  ),
);
