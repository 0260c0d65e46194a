// Fixtures of people: rows of those who have logged in, and of what they may do. Imported by tests only.

import { keyHash, mintAccessToken, newId, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { randomBytes } from "node:crypto";
import {
  type AcceptedIssuers,
  type AcceptedProviders,
  entryParams,
} from "../identity/accepted-entries.ts";
import type { NamedOperators } from "../identity/operator-params.ts";
import { createRoleMapping } from "../role-mappings/store/create-role-mapping.ts";
import { newSessionCookie } from "../sessions/rules/session-cookie.ts";

export const OKTA = {
  name: "okta",
  issuer: "https://okta.example",
  accounts: "*",
} as const;

type Provider = AcceptedProviders["current"]["people"][number];
type Operators = NamedOperators["current"]["people"][number]["operators"];

const NOBODY: Operators = { groups: [], subjects: [] };

export const identitiesOf = (
  ...people: readonly (Provider & { readonly operators?: Operators })[]
): AcceptedProviders & AcceptedIssuers & NamedOperators => ({
  current: { people: people.map((one) => ({ operators: NOBODY, ...one })), workloads: [] },
});

export const IDENTITIES = identitiesOf(OKTA);

export const PROVIDER_PARAMS = entryParams(IDENTITIES.current.people);

type Owner = Pick<TestDatabase, "query">;

export interface StoredPerson {
  readonly personId: string;
  readonly subject: string;
}

export async function storePerson(
  owner: Owner,
  {
    groups = [],
    issuer = OKTA.issuer,
    provider = OKTA.name,
    createdAt = systemClock().nowText(),
  }: {
    readonly groups?: readonly string[];
    readonly issuer?: string;
    readonly provider?: string;
    readonly createdAt?: string;
  } = {},
): Promise<StoredPerson> {
  const [personId, subject] = [newId("usr"), newId("key")];
  await owner.query(
    `INSERT INTO keys.people (id, issuer, subject, provider, name, email, groups, created_at, last_login_at)
     VALUES ($1, $2, $3, $4, 'Ada', 'ada@example.com', $5, $6, $6)`,
    [personId, issuer, subject, provider, groups, createdAt],
  );
  return { personId, subject };
}

export interface StoredSession extends StoredPerson {
  readonly sessionId: string;
  /** The value of its cookie. */
  readonly cookie: string;
}

/** A session that ends in eight hours, and in one without input. */
export async function storeSession(
  owner: Owner,
  person: StoredPerson,
  { realm = "dashboard" } = {},
): Promise<StoredSession> {
  const sessionId = newId("ses");
  const { secretSha256, text } = newSessionCookie(randomBytes);
  await owner.query(
    `INSERT INTO keys.sessions (id, person_id, realm, secret_sha256, rotated_at, created_at, idle_at, expires_at)
     VALUES ($1, $2, $3, $4, now(), now(), now() + interval '1 hour', now() + interval '8 hours')`,
    [sessionId, person.personId, realm, secretSha256],
  );
  return { ...person, sessionId, cookie: text };
}

export async function storeMapping(
  database: Pool,
  accountId: string,
  role: string,
  {
    group = null,
    provider = OKTA.name,
    subject = null,
  }: { group?: string | null; provider?: string; subject?: string | null },
): Promise<string> {
  const id = newId("rmap");
  const now = systemClock().nowText();
  await database.run(createRoleMapping, [accountId, id, provider, group, subject, role, null, now]);
  return id;
}

/** The hash of an access token in a slot of the person. */
export async function storeAccessToken(
  owner: Owner,
  accountId: string,
  { personId, sessionId }: StoredSession,
  slot = 1,
): Promise<Buffer> {
  const secretSha256 = keyHash(mintAccessToken("annals", randomBytes));
  await owner.query(
    `INSERT INTO keys.access_tokens (account_id, id, secret_sha256, session_id, person_id, slot, created_at, expires_at)
     VALUES ($1, $2 || '/' || $4::integer, $5, $3, $2, $4::integer, now(), now() + interval '10 minutes')`,
    [accountId, personId, sessionId, slot, secretSha256],
  );
  return secretSha256;
}
