// Audit entries that several places of this service make. Called by handlers and the operator's commands.
// They never hold a secret or its hash. What a client chose, such as a name, is in them as a digest: the
// chain keeps them permanently, and a name may be a person's.

import type { AuditClientType } from "@annals/contract";
import { jsonSha256, type JsonValue } from "@annals/event";
import type { NewApiKey } from "../../api-keys/rules/new-api-key.ts";

interface Actor {
  readonly type: AuditClientType | "operator";
  readonly id?: string | undefined;
}

/** A person of the console has an id. */
export interface OperatorActor extends Actor {
  readonly type: "operator";
}

/** Whoever runs a command of this service, or has a token of the admin API. */
export const OPERATOR: OperatorActor = { type: "operator" };

type ShownKey = Pick<
  NewApiKey,
  "allowedIps" | "createdAt" | "expiresAt" | "id" | "name" | "scopes"
>;

export function keyCreated(accountId: string, actor: Actor, apiKey: ShownKey) {
  const { createdAt: occurredAt, id, name, scopes } = apiKey;
  const target = { type: "api_key", id };
  const action = "annals.key.created";
  const metadata = { ...digestOf("name", name), scopes, ...restrictions(apiKey) };
  return { accountId, action, actor, target, metadata, occurredAt } as const;
}

/** When a key expires, and a digest of where it may be used from: an address may be a person's. */
export function restrictions({
  allowedIps,
  expiresAt,
}: Pick<NewApiKey, "allowedIps" | "expiresAt">): Readonly<Record<string, string>> {
  return {
    ...(expiresAt !== null && { expires_at: expiresAt }),
    ...(allowedIps !== null && digestOf("allowed_ips", [...allowedIps])),
  };
}

/** `{name_sha256: …}`: a reader who knows the name can tell that it was this one. */
export function digestOf(name: string, value: JsonValue): Readonly<Record<string, string>> {
  return { [`${name}_sha256`]: jsonSha256(value) };
}

/** What the operator has done to an account. */
export function accountChanged<const Action extends string>(
  accountId: string,
  action: Action,
  occurredAt: string,
  changes: { readonly actor: OperatorActor; readonly diff?: object; readonly metadata?: object },
) {
  const target = { type: "account", id: accountId };
  return { accountId, action, target, ...changes, occurredAt };
}
