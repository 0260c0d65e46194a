// An event as a client sends it (interface 6): its schema, for the OpenAPI document and for bodies that are
// not plain. Used by the routes that create events.

import { Type, type Static } from "typebox";
import { Action, Parts } from "./render-event.ts";
import { CLOSED, GivenTime, named } from "../render/schema.ts";

export const newEventMembers = {
  actor: Type.Optional(Parts.actor),
  target: Type.Optional(Parts.target),
  context: Type.Optional(Parts.context),
  diff: Type.Optional(Parts.diff),
  metadata: Type.Optional(Parts.metadata),
  occurred_at: Type.Optional(GivenTime("Default: the time of receipt.")),
};

export const NewEventBody = named(
  "NewEvent",
  Type.Object({ action: Action, ...newEventMembers }, CLOSED),
);

export type NewEvent = Static<typeof NewEventBody>;
