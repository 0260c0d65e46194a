// What an operator changes: accounts, their names and plans, and their keys. Each change is one function, in
// a transaction of its own. Used by the operator's commands and by the admin API; never reachable over RPC or
// by clients, for the interface has no way to make an account.

import {
  SYSTEM_SCOPES,
  type Clock,
  newId,
  SCOPES,
  SYSTEM_ACCOUNT_ID,
  isIdOf,
} from "@annals/contract";
import { invalid, notFound } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import {
  accountChanged,
  digestOf,
  keyCreated,
  OPERATOR,
  type OperatorActor,
} from "./rules/audit-entries.ts";
import { afterLeases } from "../admissions/leases.ts";
import { type KeyMaker, type NewApiKey, newApiKey } from "../api-keys/rules/new-api-key.ts";
import type { AccountRow } from "../store/account-row.ts";
import { AUDIT } from "../store/audit.ts";
import { createAccount as createAccountStatement } from "./store/create-account.ts";
import { createApiKey } from "../store/create-api-key.ts";
import { deleteApiKey } from "../store/delete-api-key.ts";
import { findApiKey } from "./store/find-api-key.ts";
import { getAccount } from "./store/get-account.ts";
import { lockAccount } from "../store/lock-account.ts";
import { renameAccount } from "./store/rename-account.ts";
import { setPlan } from "./store/set-plan.ts";

export interface NewAccount {
  readonly account: AccountRow;
  /** The first key in full. Shown once. */
  readonly key: NewApiKey;
}

interface KeyAsked {
  readonly keyName: string;
  /** All of them by default; of the system account those that read. */
  readonly scopes?: readonly string[];
  readonly secret?: string;
  /** A time and addresses as clients give them. */
  readonly expiresAt?: string | undefined;
  readonly allowedIps?: readonly string[] | undefined;
}

/** Stores an account and its first key: neither is of use without the other. Undefined: the id is taken. */
export async function createAccount(
  transaction: Database,
  maker: KeyMaker,
  asked: KeyAsked & {
    readonly name: string;
    /** Null for the default. */
    readonly plan?: string | null | undefined;
    /** A random one by default. */
    readonly accountId?: string;
    /** Digest of a request that may be repeated with the same `accountId`. */
    readonly requestSha256?: Uint8Array;
  },
  actor: OperatorActor = OPERATOR,
): Promise<NewAccount | undefined> {
  const { accountId = newId("acct", maker.random), name, plan = null } = asked;
  const { requestSha256 = null } = asked;
  const createdAt = maker.clock.nowText();
  const [row] = await transaction.run(createAccountStatement, [
    accountId,
    name,
    createdAt,
    plan,
    requestSha256,
  ]);
  if (!row) return undefined;
  const created = { actor, metadata: { ...digestOf("name", name), plan } };
  await AUDIT.add(
    transaction,
    accountChanged(accountId, "annals.account.created", createdAt, created),
  );
  const key = await storeKey(transaction, maker, accountId, asked, actor);
  const account = { account_id: accountId, name, plan, created_at: createdAt, live_keys: "1" };
  return { account, key };
}

/**
 * Stores a key in an account that exists. The plan's limit of keys does not apply: the operator may always
 * get an account working again.
 */
export async function addKey(
  transaction: Database,
  maker: KeyMaker,
  asked: KeyAsked & { readonly accountId: string },
  actor: OperatorActor = OPERATOR,
): Promise<NewApiKey> {
  const [row] = await transaction.run(lockAccount, [asked.accountId]);
  if (!row) throw notFound("account", asked.accountId);
  return storeKey(transaction, maker, asked.accountId, asked, actor);
}

type AccountChange = "annals.account.renamed" | "annals.plan.changed";

interface AccountChanges {
  readonly name?: string | undefined;
  readonly plan?: string | null | undefined;
}

/**
 * Changes the members that are given. Once it has resolved, no request that begins later is admitted by the
 * plan that the account had. Throws `invalid` for a name of the system account.
 */
export async function updateAccount(
  database: Pool,
  clock: Clock,
  accountId: string,
  changes: AccountChanges,
  actor: OperatorActor = OPERATOR,
): Promise<AccountRow> {
  const changed = database.transaction((transaction) =>
    storeChanges(transaction, clock, accountId, { ...changes, actor }),
  );
  return changes.plan === undefined ? changed : afterLeases(changed);
}

async function storeChanges(
  transaction: Database,
  clock: Clock,
  accountId: string,
  { actor, name, plan }: AccountChanges & { readonly actor: OperatorActor },
): Promise<AccountRow> {
  if (name !== undefined && accountId === SYSTEM_ACCOUNT_ID) {
    throw invalid({
      field: "name",
      message: "must be omitted: the system account cannot be renamed",
    });
  }
  const at = clock.nowText();
  const record = (action: AccountChange, before: object, after: object): Promise<void> =>
    AUDIT.add(
      transaction,
      accountChanged(accountId, action, at, { actor, diff: { before, after } }),
    );
  if (name !== undefined) {
    const [row] = await transaction.run(renameAccount, [accountId, name]);
    const before = digestOf("name", row?.name_before ?? "");
    if (row) await record("annals.account.renamed", before, digestOf("name", name));
  }
  if (plan !== undefined) {
    const [row] = await transaction.run(setPlan, [accountId, plan]);
    if (row) await record("annals.plan.changed", { plan: row.plan_before }, { plan });
  }
  return findAccount(transaction, accountId);
}

export async function findAccount(database: Database, accountId: string): Promise<AccountRow> {
  const [row] = await database.run(getAccount, [accountId]);
  if (!row) throw notFound("account", accountId);
  return row;
}

/**
 * Revokes a live key permanently and resolves to its account. Once it has resolved, no request that begins
 * later is admitted.
 */
export async function revokeKey(
  database: Pool,
  clock: Clock,
  id: string,
  actor: OperatorActor = OPERATOR,
): Promise<string> {
  return afterLeases(
    database.transaction((transaction) => storeRevocation(transaction, clock, id, actor)),
  );
}

async function storeRevocation(
  transaction: Database,
  clock: Clock,
  id: string,
  actor: OperatorActor,
): Promise<string> {
  const [found] = isIdOf("key", id) ? await transaction.run(findApiKey, [id]) : [];
  if (!found) throw notFound("API key", id);
  const { account_id: accountId } = found;
  const occurredAt = clock.nowText();
  const [revoked] = await transaction.run(deleteApiKey, [
    accountId,
    id,
    occurredAt,
    actor.id ?? null,
  ]);
  if (!revoked) throw notFound("API key", id);
  const target = { type: "api_key", id };
  const action = "annals.key.revoked";
  await AUDIT.add(transaction, { accountId, action, actor, target, occurredAt });
  return accountId;
}

async function storeKey(
  transaction: Database,
  maker: KeyMaker,
  accountId: string,
  { allowedIps, expiresAt, keyName, scopes: asked, secret }: KeyAsked,
  actor: OperatorActor,
): Promise<NewApiKey> {
  const allowed = accountId === SYSTEM_ACCOUNT_ID ? SYSTEM_SCOPES : SCOPES;
  const scopes = asked ?? allowed;
  const refused = scopes.find((scope) => !allowed.some((each) => each === scope));
  if (refused !== undefined) {
    const message = `${refused} is not for a key of the system account: it has ${SYSTEM_SCOPES.join(", ")}`;
    throw invalid({ field: "scopes", message });
  }
  const apiKey = newApiKey(maker, {
    name: keyName,
    scopes,
    allowedIps,
    expiresAt,
    ...(secret !== undefined && { secret }),
  });
  await transaction.run(createApiKey, [
    accountId,
    apiKey.id,
    apiKey.name,
    apiKey.keyPrefix,
    apiKey.secretSha256,
    apiKey.scopes,
    apiKey.createdAt,
    apiKey.isMinted,
    actor.id ?? null,
    apiKey.expiresAt,
    apiKey.allowedIps,
  ]);
  await AUDIT.add(transaction, keyCreated(accountId, actor, apiKey));
  return apiKey;
}
