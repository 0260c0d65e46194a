// Retries without duplicates (docs/interface.md): the Idempotency-Key header, and the digest
// that tells whether a request with a known key is the same request.

import { MAX_TEXT_LENGTH } from "@annals/event";
import { invalid } from "@annals/errors";
import { createHash } from "node:crypto";
import { Type } from "typebox";
import { openDetail } from "../render/schema.ts";
import type { RouteResponse } from "../route.ts";
import type { Appended } from "./event-appends.ts";
import type { EventForm, NewEvents } from "./new-events.ts";

/** What the keys of items of intake begin with, and no key of a client may. */
export const INTAKE_PREFIX = "intake:";

const RETRIES = openDetail("idempotency-key");

export const IdempotencyHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TEXT_LENGTH,
      description:
        "A retry with the same key and body stores nothing and gets the first response, as long as keys are kept " +
        `(\`idempotency_hours\` of GET /v1/usage). It must not begin with \`${INTAKE_PREFIX}\`.`,
      examples: ["invoice-9-update-3"],
      ...RETRIES,
    }),
  ),
});

const REPLAYED = { "idempotent-replayed": "true" } as const;

/** The same header in the OpenAPI document. */
export const REPLAYED_HEADER = {
  "Idempotent-Replayed": Type.Literal("true", {
    description: "Present only if the response repeats that of an earlier request.",
    ...RETRIES,
  }),
};

/** The headers of the response to an append: whether it repeats an earlier response. */
export function replayHeaders({ replayed }: Appended): Pick<RouteResponse, "headers"> {
  return replayed ? { headers: REPLAYED } : {};
}

/**
 * Throws `invalid` for a key that belongs to intake: it could keep an item of another source out of the log.
 */
export function refuseIntakeKey(key: string | undefined): void {
  if (key?.startsWith(INTAKE_PREFIX) !== true) return;
  const message = `must not begin with "${INTAKE_PREFIX}", as the keys of the items of intake do`;
  throw invalid({ field: "Idempotency-Key", message });
}

/**
 * The members of an append that idempotency needs. The digest is of the canonical events as the client gave
 * them: a request without `occurred_at` is the same request at any time. `form` distinguishes one event from
 * a batch of one, whose response has another shape.
 */
export function idempotency(
  key: string | undefined,
  form: EventForm,
  { bytes }: Pick<NewEvents, "bytes">,
): { readonly idempotencyKey: string; readonly requestSha256: Uint8Array } {
  if (key === undefined) return { idempotencyKey: "", requestSha256: new Uint8Array() };
  const requestSha256 = createHash("sha256").update(form).update(bytes).digest();
  return { idempotencyKey: key, requestSha256 };
}
