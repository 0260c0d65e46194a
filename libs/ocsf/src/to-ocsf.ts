// Maps an event to OCSF (docs/sinks.md#formats). Called by what sends events to a SIEM. Nothing of the event
// may be lost: what has no attribute of the class stays in `unmapped`, and from-ocsf.ts makes the same event
// of the two. What is only copied, such as the address of a client, is in `unmapped` too.

import { isIP } from "node:net";
import { type Choice, chooseClass, type OcsfOverrides } from "./choose-class.ts";
import { OCSF_CLASSES, OCSF_VERSION, type OcsfClassName } from "./ocsf-classes.ts";
import { entityOf, namedOf, UNKNOWN_NAME, userOf } from "./ocsf-things.ts";
import type { Outcome } from "./read-action.ts";
import {
  defined,
  type Members,
  membersOf,
  messageOf,
  type SourceEvent,
  textOf,
  type Thing,
  thingOf,
  timeOf,
} from "./source-event.ts";

/** Members of `diff` that an entity holds. */
const STATES = ["before", "after"];
/** The longest text of an address in OCSF. */
const IP_MAX_LENGTH = 40;

const STATUSES: Readonly<Record<Outcome, { status_id: number; status: string }>> = {
  unknown: { status_id: 0, status: "Unknown" },
  success: { status_id: 1, status: "Success" },
  failure: { status_id: 2, status: "Failure" },
};

/** The parts of an event, as far as the class has attributes for them. */
interface Parts {
  readonly actor: Thing;
  readonly target: Thing;
  readonly diff: Members;
  readonly source: Members | undefined;
}

export function toOcsf(event: SourceEvent, overrides?: OcsfOverrides): Record<string, unknown> {
  const choice = chooseClass(event, overrides);
  const parts: Parts = {
    actor: thingOf(event.actor),
    // An authentication has no attribute for its target.
    target: choice.class === "authentication" ? restOnly(event.target) : thingOf(event.target),
    diff: membersOf(event.diff),
    source: sourceOf(event.context),
  };
  const agent = textOf(event.context, "user_agent");
  const unmapped = unmappedOf(event, choice.class, parts);
  return defined({
    ...classification(choice),
    time: Date.parse(timeOf(event) ?? "1970-01-01"),
    severity_id: 1,
    severity: "Informational",
    ...(choice.outcome && STATUSES[choice.outcome]),
    message: messageOf(event),
    metadata: metadataOf(event),
    actor: parts.actor.id === undefined ? undefined : { user: userOf(parts.actor) },
    src_endpoint: parts.source,
    http_request: agent === undefined ? undefined : { user_agent: agent },
    ...BY_CLASS[choice.class](event, choice, parts),
    unmapped: Object.keys(unmapped).length > 0 ? unmapped : undefined,
  });
}

function classification({ class: name, activity }: Choice): Members {
  const { uid, caption, category } = OCSF_CLASSES[name];
  return {
    category_uid: category.uid,
    category_name: category.name,
    class_uid: uid,
    class_name: caption,
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: uid * 100 + activity.id,
    type_name: `${caption}: ${activity.name}`,
  };
}

function metadataOf(event: SourceEvent): Members {
  const created = Date.parse(event.created_at ?? "");
  return defined({
    version: OCSF_VERSION,
    product: { name: "Annals", vendor_name: "Annals" },
    uid: event.id,
    event_code: event.action,
    sequence: event.sequence_number,
    tenant_uid: event.chain,
    original_time: event.occurred_at,
    logged_time: Number.isNaN(created) ? undefined : created,
  });
}

/** The attributes that the classes have of their own. */
const BY_CLASS: Readonly<
  Record<OcsfClassName, (event: SourceEvent, choice: Choice, parts: Parts) => Members>
> = {
  account_change: (_, __, { target }) => ({ user: userOf(target) }),
  // What a user logs in to is what writes the chain.
  authentication: ({ chain }, _, { actor }) => ({ user: userOf(actor), service: { uid: chain } }),
  entity_management: (_, __, { target, diff }) => ({
    entity: entityOf(target, diff["before"]),
    entity_result: diff["after"] === undefined ? undefined : entityOf(target, diff["after"]),
  }),
  user_access: (_, { privileges }, { target }) => ({ user: userOf(target), privileges }),
  group_management: (_, { privileges }, { target }) => ({
    group: namedOf(target),
    privileges: privileges.length > 0 ? privileges : undefined,
  }),
  api_activity: ({ action }, _, { actor, target, source }) => ({
    actor: { user: actor.id === undefined ? { name: UNKNOWN_NAME } : userOf(actor) },
    api: { operation: action },
    src_endpoint: source ?? { name: UNKNOWN_NAME },
    resources: target.id === undefined ? undefined : [namedOf(target)],
  }),
};

/** What is left of an event, under the names of its members. */
function unmappedOf(event: SourceEvent, name: OcsfClassName, { actor, target }: Parts): Members {
  const { id: _, chain: __, action: ___, ...others } = event;
  const { sequence_number: ____, occurred_at: _____, ...rest } = others;
  return defined({
    ...rest,
    actor: actor.rest,
    target: target.rest,
    diff: name === "entity_management" ? withoutStates(event.diff) : event.diff,
  });
}

function withoutStates(diff: object | undefined): object | undefined {
  const members = Object.entries(diff ?? {});
  const rest = members.filter(([name, value]) => !STATES.includes(name) || value === undefined);
  if (rest.length === members.length) return diff;
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function restOnly(part: object | undefined): Thing {
  return part === undefined ? {} : { rest: part };
}

/** The origin of a request: its address, or the name that the client gave in its place. */
function sourceOf(context: object | undefined): Members | undefined {
  const ip = textOf(context, "ip");
  if (ip === undefined) return undefined;
  return isIP(ip) !== 0 && ip.length <= IP_MAX_LENGTH ? { ip } : { name: ip };
}
