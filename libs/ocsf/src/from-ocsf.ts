// Makes the event of what to-ocsf.ts made of it. Called by who reads events back from a SIEM, to verify or
// to move them. It reads only what to-ocsf.ts writes: an event of another product gives one that has less,
// and never an error.

import { OCSF_CLASSES } from "./ocsf-classes.ts";
import { fromNamed, fromTyped } from "./ocsf-things.ts";
import { defined, type Members, membersOf, type SourceEvent, textOf } from "./source-event.ts";

export function fromOcsf(ocsf: Readonly<Record<string, unknown>>): SourceEvent {
  const metadata = membersOf(ocsf["metadata"]);
  const unmapped = membersOf(ocsf["unmapped"]);
  const event = {
    ...unmapped,
    id: textOf(metadata, "uid"),
    sequence_number: metadata["sequence"],
    chain: textOf(metadata, "tenant_uid") ?? "",
    action: textOf(metadata, "event_code") ?? "",
    occurred_at: textOf(metadata, "original_time"),
    actor: merged(unmapped["actor"], fromTyped(membersOf(ocsf["actor"])["user"])),
    target: merged(unmapped["target"], targetOf(ocsf)),
    diff: merged(unmapped["diff"], diffOf(ocsf)),
  };
  return defined(event) as unknown as SourceEvent;
}

/** A part: what was left of it, and what was placed elsewhere. */
function merged(rest: unknown, placed: Members): unknown {
  return Object.keys(placed).length === 0 ? rest : { ...membersOf(rest), ...placed };
}

function targetOf(ocsf: Members): Members {
  switch (ocsf["class_uid"]) {
    case OCSF_CLASSES.account_change.uid:
    case OCSF_CLASSES.user_access.uid:
      return fromTyped(ocsf["user"]);
    case OCSF_CLASSES.entity_management.uid:
      return fromTyped(ocsf["entity"]);
    case OCSF_CLASSES.group_management.uid:
      return fromNamed(ocsf["group"]);
    case OCSF_CLASSES.api_activity.uid: {
      const { resources } = ocsf;
      return fromNamed(Array.isArray(resources) ? resources[0] : undefined);
    }
    default:
      return {};
  }
}

function diffOf(ocsf: Members): Members {
  const before = membersOf(ocsf["entity"])["data"];
  const after = membersOf(ocsf["entity_result"])["data"];
  return defined({ before, after });
}
