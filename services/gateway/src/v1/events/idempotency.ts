// Retries without duplicates (docs/open-details.md): the Idempotency-Key header, and the digest
// that tells whether a request with a known key is the same request.

import { MAX_TEXT_LENGTH, PARTS } from "@annals/event";
import { hash } from "node:crypto";
import { Type } from "typebox";
import { OPEN } from "../../render/schema.ts";
import type { Answer } from "../../route.ts";
import type { AppendRequest, Appended } from "./event-appends.ts";

export const IdempotencyHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TEXT_LENGTH,
      description:
        "A retry with the same key and body within 24 hours adds nothing and gets the first answer.",
      examples: ["invoice-9-update-3"],
      ...OPEN,
    }),
  ),
});

const REPLAYED = { "idempotent-replayed": "true" } as const;

/** The same for the document. */
export const REPLAYED_HEADER = {
  "Idempotent-Replayed": Type.Literal("true", {
    description: "Only where the answer repeats that of an earlier request.",
    ...OPEN,
  }),
};

/** The headers of the answer to an append: whether it repeats an earlier answer. */
export function replayHeaders({ replayed }: Appended): Pick<Answer, "headers"> {
  return replayed ? { headers: REPLAYED } : {};
}

/**
 * The members of an append that idempotency needs. `occurredAts` are as the client sent them: a request
 * without one is the same request at any time. `form` distinguishes one event from a batch of one, whose
 * answer has another shape.
 */
export function idempotency(
  key: string | undefined,
  form: "event" | "batch",
  events: AppendRequest["events"],
  occurredAts: readonly (string | undefined)[],
): { readonly idempotencyKey: string; readonly requestSha256: Uint8Array } {
  if (key === undefined) return { idempotencyKey: "", requestSha256: new Uint8Array() };
  const said = events.map((event, index) => [
    event.action,
    occurredAts[index] ?? null,
    ...PARTS.map((part) => event[part]),
  ]);
  return {
    idempotencyKey: key,
    requestSha256: hash("sha256", JSON.stringify([form, said]), "buffer"),
  };
}
