// Retries of the POSTs that create something else than events (docs/interface.md): the Idempotency-Key
// header, and the digest that tells whether a request with a known key is the same request. Called by their
// routes.

import { AnnalsError } from "@annals/errors";
import { jsonSha256, type JsonValue, MAX_TEXT_LENGTH } from "@annals/event";
import { Type } from "typebox";
import { openDetail } from "./schema.ts";

const ONCE = openDetail("idempotent-creation");

export const OnceHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TEXT_LENGTH,
      description:
        "A retry with the same key and body creates nothing and gets what the first request created, without its " +
        "secret, as long as keys are kept (`idempotency_hours` of GET /v1/usage).",
      examples: ["deploy-42"],
      ...ONCE,
    }),
  ),
});

export const ONCE_HEADER = {
  "Idempotent-Replayed": Type.Literal("true", {
    description: "Present only if an earlier request with the same key created what is shown.",
    ...ONCE,
  }),
};

/** The members of an RPC's request. The digest is of the body's values, however they are written. */
export function askedOnce(
  { "idempotency-key": key }: { readonly "idempotency-key"?: string },
  body: unknown,
): { readonly idempotencyKey: string; readonly requestSha256: Uint8Array } {
  if (key === undefined) return { idempotencyKey: "", requestSha256: new Uint8Array() };
  return { idempotencyKey: key, requestSha256: Buffer.from(jsonSha256(body as JsonValue), "hex") };
}

/**
 * Resolves to what `create` makes. A request may be refused that was valid when it was sent first, since a
 * field that it names was deleted: then `replay` says what the first request with its key created.
 */
export async function createdOnce<Created extends { readonly replayed: boolean }>(
  { idempotencyKey }: ReturnType<typeof askedOnce>,
  create: () => Promise<Created>,
  replay: () => Promise<Created>,
): Promise<Created> {
  try {
    return await create();
  } catch (error) {
    const isInvalid = error instanceof AnnalsError && error.kind === "invalid";
    if (!isInvalid || idempotencyKey === "") throw error;
    const earlier = await replay();
    if (earlier.replayed) return earlier;
    throw error;
  }
}

/** The headers of the response. */
export function onceHeaders(replayed: boolean): { readonly headers?: Record<string, string> } {
  return replayed ? { headers: { "idempotent-replayed": "true" } } : {};
}
