// The result of a verification in the OpenAPI document (docs/interface.md). The text itself is made by
// libs/contract, as that of the webhook is.

import { INVALID_REASONS } from "@annals/contract";
import { Type } from "typebox";
import { CoveredBody, NullableCovered } from "../log/render-log.ts";
import { Count, Hash, Id, named, Nullable, openDetail, Time } from "../render/schema.ts";

const Head = Type.Object({
  sequence_number: Count({
    description: "Sequence number of the chain's last event; 0 for an empty chain.",
    examples: [42],
  }),
  hash: Hash(),
});

const FirstInvalid = Type.Object({
  sequence_number: Type.Integer(),
  event_id: Nullable(Id("evt", "0000000000001zttz581y73f7x"), {
    description: "Null if no event has this number.",
  }),
  reason: Type.Enum([...INVALID_REASONS]),
});

export const VerificationBody = named(
  "Verification",
  Type.Object({
    valid: Type.Boolean(),
    checked: Count({ description: "Number of events that were checked.", examples: [42] }),
    from_sequence: Count({ description: "First event of the range.", examples: [1] }),
    to_sequence: Count({ description: "Last event of the range.", examples: [42] }),
    erased: Count({
      description:
        "Number of erased parts in the range. With first_invalid, at least of those before it.",
      examples: [0],
      ...openDetail("verify-erased"),
    }),
    retained_from: Count({
      description: "First event of the chain that retention has not deleted.",
      examples: [1],
      ...openDetail("verify-retained"),
    }),
    head: Head,
    first_invalid: Nullable(FirstInvalid, {
      description: "The first event that does not verify; null for a valid chain.",
      examples: [null],
    }),
    covered: NullableCovered(CoveredBody),
    verified_at: Time(),
  }),
);
