// Maps an event to the Elastic Common Schema (docs/sinks.md#formats). Called by what sends events to
// Elasticsearch or OpenSearch. The fields of ECS hold what people search for; the parts of the event are
// whole under `annals`, which an index should map as `flattened`, since clients choose the members.

import { isIP } from "node:net";
import { type Choice, chooseClass } from "./choose-class.ts";
import type { Act } from "./read-action.ts";
import {
  defined,
  type Members,
  messageOf,
  type SourceEvent,
  textOf,
  type Thing,
  thingOf,
  timeOf,
} from "./source-event.ts";

/** The tag of github.com/elastic/ecs. A test compares the fields with an extract of it. */
const ECS_VERSION = "9.4.0";

/** What the acts are in ECS that are not changes of what is there. */
const TYPES: Readonly<Partial<Record<Act, string>>> = {
  create: "creation",
  read: "access",
  delete: "deletion",
  logon: "info",
  logoff: "info",
};

export function toEcs(event: SourceEvent): Record<string, unknown> {
  const choice = chooseClass(event);
  const [actor, target] = [thingOf(event.actor), thingOf(event.target)];
  const isGroup = choice.class === "group_management";
  const isUser = choice.class === "account_change" || choice.class === "user_access";
  const user = defined({ ...named(actor), target: isUser ? named(target) : undefined });
  const ip = textOf(event.context, "ip");
  const isAddress = ip !== undefined && isIP(ip) !== 0;
  const agent = textOf(event.context, "user_agent");
  const users = [actor.id, isUser ? target.id : undefined].filter((id) => id !== undefined);
  const related = defined({
    user: users.length > 0 ? [...new Set(users)] : undefined,
    ip: isAddress ? [ip] : undefined,
  });
  return defined({
    "@timestamp": timeOf(event),
    ecs: { version: ECS_VERSION },
    message: messageOf(event),
    event: eventOf(event, choice),
    organization: { id: event.chain },
    user: filled(user),
    group: isGroup ? named(target) : undefined,
    source: isAddress ? { ip } : undefined,
    user_agent: agent === undefined ? undefined : { original: agent },
    related: filled(related),
    annals: ownOf(event),
  });
}

function eventOf(event: SourceEvent, choice: Choice): Members {
  return defined({
    kind: "event",
    module: "annals",
    dataset: "annals.audit",
    action: event.action,
    id: event.id,
    sequence: event.sequence_number,
    outcome: choice.outcome,
    created: event.received_at,
    ingested: event.created_at,
    ...categorized(choice),
  });
}

function categorized({ class: name, act }: Choice): { category: string[]; type: string[] } {
  const type = act === undefined ? "info" : (TYPES[act] ?? "change");
  const inIam = type === "access" ? "info" : type;
  switch (name) {
    case "authentication":
      return {
        category: ["authentication"],
        type: [act === "logon" ? "start" : act === "logoff" ? "end" : "info"],
      };
    case "account_change":
    case "user_access":
      return { category: ["iam"], type: ["user", inIam] };
    case "group_management":
      return { category: ["iam"], type: ["group", inIam] };
    case "entity_management":
    case "api_activity":
      return { category: ["api"], type: [type] };
  }
}

function named({ id, name }: Thing): Members | undefined {
  return filled(defined({ id, name }));
}

/** What ECS has no fields for: the parts as they are, without empty ones, and the chain. */
function ownOf(event: SourceEvent): Members {
  const { id: _, action: __, sequence_number: ___, chain: ____, ...others } = event;
  const { received_at: _____, created_at: ______, ...own } = others;
  const isEmpty = (value: unknown): boolean =>
    typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(
    Object.entries(own).filter(([, value]) => value !== undefined && !isEmpty(value)),
  );
}

function filled(members: Members): Members | undefined {
  return Object.keys(members).length > 0 ? members : undefined;
}
