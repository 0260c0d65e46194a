// An event as a widget token shows it, always with its proof (docs/interface.md). A hidden member
// is absent from the event, and its salt from the proof: so a reader sees "hidden", and not "changed".

import { erasedParts, eventJsonWithout, PARTS, proofJson } from "@annals/event";
import { internal } from "@annals/errors";
import type { WidgetEvent } from "@annals/proto/ledger";
import { Type } from "typebox";
import { EventBody, ProofBody } from "../events/render-event.ts";
import { named, openDetail } from "../render/schema.ts";

const HIDDEN_PARTS = openDetail("hidden-parts");
const HIDDEN = "Absent if the token does not show it.";

const { context, diff, metadata, ...always } = EventBody.properties;

export const WidgetEventBody = named(
  "WidgetEvent",
  Type.Object(
    {
      ...always,
      context: Type.Optional(context ?? Type.Never()),
      diff: Type.Optional(diff ?? Type.Never()),
      metadata: Type.Optional(metadata ?? Type.Never()),
    },
    {
      description: `An event. context, diff, metadata and meta: ${HIDDEN.toLowerCase()}`,
      ...HIDDEN_PARTS,
    },
  ),
);

export const WidgetProofBody = named(
  "WidgetProof",
  Type.Object(
    {
      ...ProofBody.properties,
      salts: Type.Partial(ProofBody.properties.salts, {
        description: `By part. ${HIDDEN} Absent if the part is erased.`,
      }),
    },
    { description: "The data needed to recompute the hash, besides the event.", ...HIDDEN_PARTS },
  ),
);

export function renderWidgetEvent(given: WidgetEvent | undefined) {
  const { event, hidden = [] } = given ?? {};
  if (!event?.proof) throw internal("the ledger responded without an event");
  // `actor.meta` hides a member of a part, `diff` a part.
  const absent = new Set(hidden.filter((name) => !name.includes(".")));
  const erased = erasedParts(event.erased);
  const withheld = PARTS.filter(
    (part) => absent.has(part) || hidden.includes(`${part}.meta`) || erased.includes(part),
  );
  return { event: eventJsonWithout(absent, event), proof: proofJson(event.proof, withheld) };
}
