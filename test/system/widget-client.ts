// A client with a widget token, and what a reader checks of the events that it gets. Called by the tests of
// the widget routes.

import {
  canonicalJson,
  type JsonObject,
  leafHash,
  leafText,
  type Part,
  partDigest,
  PARTS,
} from "@annals/event";
import type { HttpClient } from "@annals/testing";
import { expect } from "vitest";
import type { Proof } from "./proof.ts";

/** A token that `client` creates, and a client that has it. */
export async function newToken(client: HttpClient, body: object = {}) {
  const created = await client.post("/v1/widget-tokens", body);
  expect(created.status, created.text).toBe(201);
  const { id, token } = created.body.data as { id: string; token: string };
  return { id, token, widget: client.as(token) };
}

type Shown = Readonly<Record<string, unknown>> & { readonly action: string };

/**
 * Recomputes the digest of each part of which there is the salt, and the hash from all digests. Resolves to
 * the parts that were recomputed; the others are hidden. Throws where something differs.
 */
export function recomputed(event: Shown, { chain, salts, digests }: Proof): Part[] {
  const shown = PARTS.filter((part) => salts[part] !== undefined);
  for (const part of shown) {
    const text = canonicalJson(event[part] as JsonObject);
    const digest = partDigest(Buffer.from(salts[part] ?? "", "hex"), text).toString("hex");
    if (digest !== digests[part]) throw new Error(`${part} differs`);
  }
  const text = (name: string) => String(event[name]);
  const leaf = leafText({
    action: event.action,
    chain,
    createdAt: text("created_at"),
    digests: Buffer.concat(PARTS.map((part) => Buffer.from(digests[part] ?? "", "hex"))),
    id: text("id"),
    occurredAt: text("occurred_at"),
    previousHash: text("previous_hash"),
    receivedAt: text("received_at"),
    sequenceNumber: Number(event["sequence_number"]),
  });
  if (leafHash(leaf) !== event["hash"]) throw new Error("the hash differs");
  return shown;
}
