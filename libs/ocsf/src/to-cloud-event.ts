// Maps an event to a CloudEvent 1.0 in the JSON format (docs/sinks.md#formats). Called by what sends events
// to receivers of CloudEvents, Annals among them: its intake reads the attributes back to the members that
// they come from. The whole event is the data, so attributes may leave out what they must not have.

import { createHash } from "node:crypto";
import { defined, type SourceEvent, textOf, timeOf } from "./source-event.ts";

/** What the type String must not have (CloudEvents 1.0.2, section 3.1). */
// oxlint-disable-next-line no-control-regex -- it finds control characters
const UNFIT = /[\0-\x1f\x7f-\x9f\p{Noncharacter_Code_Point}\p{Surrogate}]/u;
const UNFIT_ALL = new RegExp(UNFIT, "gu");
const OUTCOMES: readonly string[] = ["success", "failure", "unknown"];
/** Digits of the largest exact integer, so that texts of numbers are in their order. */
const SEQUENCE_DIGITS = 16;

/** `source` is a URI reference; with the id it names the event. */
export function toCloudEvent(event: SourceEvent, source: string): Record<string, unknown> {
  const outcome = textOf(event.metadata, "outcome");
  const time = timeOf(event);
  return defined({
    specversion: "1.0",
    id: event.id ?? digestOf(event),
    source,
    type: event.action.replaceAll(UNFIT_ALL, "\u{fffd}"),
    time,
    subject: fit(textOf(event.target, "id")),
    targettype: fit(textOf(event.target, "type")),
    actorid: fit(textOf(event.actor, "id")),
    actortype: fit(textOf(event.actor, "type")),
    outcome: outcome !== undefined && OUTCOMES.includes(outcome) ? outcome : undefined,
    sequence: event.sequence_number?.toString().padStart(SEQUENCE_DIGITS, "0"),
    datacontenttype: "application/json",
    data: event,
  });
}

function fit(text: string | undefined): string | undefined {
  return text !== undefined && UNFIT.test(text) ? undefined : text;
}

/** The id of what has none: of the same content, the same. */
function digestOf(event: SourceEvent): string {
  return createHash("sha256").update(JSON.stringify(event)).digest("hex");
}
