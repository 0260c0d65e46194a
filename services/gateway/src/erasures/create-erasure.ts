// POST /v1/erasures (docs/lifecycle.md): asks for the erasure of parts of the events that are stored now.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { ERASURE_MEMBERS, ErasureBody, PartNames, renderErasure } from "./render-erasure.ts";
import { CLOSED, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Text = (description: string, example?: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description,
      ...(example !== undefined && { examples: [example] }),
    }),
  );

const Body = named(
  "NewErasure",
  Type.Object(
    {
      actor_id: Text("Select the events of this actor. Exactly one selector is required.", "u_7"),
      target_id: Text("Select the events about this target."),
      event_id: Text("Select this event. It is refused if a hold covers it."),
      parts: PartNames,
      reference: Text(
        "Your reference, such as the number of a case. It is stored in the chain and cannot be erased, so it must " +
          "not identify a person.",
        "case 7",
      ),
    },
    { ...CLOSED, ...ERASURE_MEMBERS },
  ),
);

export function createErasure({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Erase parts of events",
    description:
      "Selects events that are stored now. The erasure begins after a delay, by default 24 hours, and can be " +
      "cancelled until then. It empties the parts in the stored events and removes them from the filter index; the " +
      "hashes stay, so every proof stays valid. The chain records it as events `annals.erasure`. Files of exports " +
      "and backups keep the parts until they end by their own retention, and a webhook dispatcher may still send an " +
      "event that it has in memory.",
    feature: "lifecycle",
    body: Body,
    success: { status: 201, body: dataOf(ErasureBody) },
    planLimit: "count",
    handle: async ({ admission, body, signal }) => {
      const { actor_id: actorId, event_id: eventId, parts, reference, target_id: targetId } = body;
      const request = {
        accountId: admission.accountId,
        ...(actorId !== undefined && { actorId }),
        ...(targetId !== undefined && { targetId }),
        ...(eventId !== undefined && { eventId }),
        parts: [...parts],
        ...(reference !== undefined && { reference }),
      };
      const { erasure } = await ledger.createErasure(request, admittedBy(admission, signal));
      return { body: { data: renderErasure(erasure) } };
    },
  });
}
