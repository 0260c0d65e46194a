// Maps a CloudTrail record to an audit event, as README.md here says. It is pure, and it must never
// drop a member: what has no place of its own goes to `metadata` under its own name.

import type { CloudTrailRecord } from "./record.ts";

/** An event as `POST /v1/events` takes it. */
export interface MappedEvent {
  readonly action: string;
  readonly actor: { readonly id?: string; readonly type: string; readonly meta: object };
  readonly target?: { readonly id: string; readonly type?: string; readonly meta: object };
  readonly context: { readonly ip: string; readonly user_agent: string; readonly region: string };
  readonly diff?: { readonly after: object };
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly occurred_at: string;
}

export function mapRecord(record: CloudTrailRecord): MappedEvent {
  const {
    eventTime,
    eventName,
    userIdentity,
    resources,
    sourceIPAddress,
    userAgent,
    awsRegion,
    responseElements,
    ...others
  } = record;
  const isChange = !record.readOnly && responseElements !== null;
  const target = targetOf(resources);
  return {
    action: `${record.eventSource.split(".")[0]}.${eventName}`,
    actor: actorOf(userIdentity),
    ...(target && { target }),
    context: { ip: sourceIPAddress, user_agent: userAgent, region: awsRegion },
    ...(isChange && { diff: { after: responseElements } }),
    metadata: { ...others, ...(!isChange && { responseElements }) },
    occurred_at: eventTime,
  };
}

/** The interface's words for AWS's types of identity. */
const ACTOR_TYPES: Readonly<Record<string, string>> = {
  IAMUser: "user",
  Root: "user",
  AssumedRole: "role",
  Role: "role",
  AWSService: "service",
};

function actorOf(identity: CloudTrailRecord["userIdentity"]): MappedEvent["actor"] {
  const { arn, principalId, invokedBy, type } = identity;
  const id = arn ?? principalId ?? invokedBy;
  const known = type === undefined ? "service" : (ACTOR_TYPES[type] ?? type);
  return { ...(id !== undefined && { id }), type: known, meta: identity };
}

function targetOf(resources: CloudTrailRecord["resources"]): MappedEvent["target"] {
  const first = resources?.[0];
  if (first === undefined) return undefined;
  const { ARN: id, type } = first;
  return { id, ...(type !== undefined && { type }), meta: { resources } };
}
