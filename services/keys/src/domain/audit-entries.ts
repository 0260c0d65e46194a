// Audit entries that several places of this service make. Called by rpc/create-api-key.ts and the operator's
// commands. They never hold a secret or its hash.

import type { NewApiKey } from "./new-api-key.ts";

interface Actor {
  readonly type: "api_key" | "operator";
  readonly id?: string | undefined;
}

/** Whoever runs a command of this service. */
export const OPERATOR: Actor = { type: "operator" };

type ShownKey = Pick<NewApiKey, "createdAt" | "id" | "name" | "scopes">;

export function keyCreated(accountId: string, actor: Actor, apiKey: ShownKey) {
  const { createdAt: occurredAt, id, name, scopes } = apiKey;
  const target = { type: "api_key", id };
  const action = "annals.key.created";
  return { accountId, action, actor, target, metadata: { name, scopes }, occurredAt } as const;
}

/** What the operator has done to an account. */
export function accountChanged<const Action extends string>(
  accountId: string,
  action: Action,
  occurredAt: string,
  changes: { readonly diff?: object; readonly metadata?: object },
) {
  const target = { type: "account", id: accountId };
  return { accountId, action, actor: OPERATOR, target, ...changes, occurredAt };
}
