// The role that an account's mappings give to a person, and whether one is an operator. A part of every
// statement that finds that: those of admission, so that a mapping which is deleted, or an operator whom the
// file names no more, gives nothing with the next request, and those that show it.

import type { Realm } from "../sessions/rules/realm.ts";

import { fileEntries } from "./file-entries.ts";

/**
 * In a query that has the row `person` of keys.people: a join with the mapping that decides, as `mapped`. The
 * highest role wins, `none` beats all, and of mappings of one role the oldest is named. No row: no role. The
 * groups, of up to 64 KiB, are hashed once and not read for each mapping.
 * `account` is an expression.
 */
export const mappedRole = (account: string): string => `JOIN LATERAL (
    SELECT mapping.id, mapping.role, mapping.group_name
    FROM keys.role_mappings AS mapping
    WHERE mapping.account_id = ${account} AND mapping.provider = person.provider
      AND (mapping.subject = person.subject OR mapping.group_name IN (SELECT unnest(person.groups)))
    ORDER BY array_position(ARRAY['viewer', 'auditor', 'manager', 'none'], mapping.role) DESC,
      mapping.created_at, mapping.id
    LIMIT 1
  ) AS mapped ON mapped.role <> 'none'`;

/**
 * In the same query: a join with the provider of the person, as the operator's file has it now. No row: the
 * file has none of that name and issuer now, or not for this account. The parameters are
 * {@link EntryParams}, from the given number on.
 */
export const acceptedProvider = (
  account: string,
  first: number,
): string => `JOIN ${fileEntries(first)} AS provider ON provider.name = person.provider AND provider.issuer = person.issuer
    AND (provider.accounts IS NULL OR ${account} = ANY (provider.accounts::text[]))`;

/**
 * In a query that has a `token` with a session_id: the `session`, if it is of the realm and has not ended,
 * and its `person`, if they are not blocked. Each is looked up, whatever the statistics say (ADR 69). No row:
 * there is none.
 */
export const livePerson = (realm: Realm): string => `JOIN LATERAL (
    SELECT session.person_id, session.idle_at, session.expires_at
    FROM keys.sessions AS session
    WHERE session.id = token.session_id AND session.realm = '${realm}'
      AND least(session.idle_at, session.expires_at) > clock_timestamp()
    LIMIT 1
  ) AS session ON true
  JOIN LATERAL (
    SELECT person.provider, person.issuer, person.subject, person.groups
    FROM keys.people AS person
    WHERE person.id = session.person_id AND person.blocked_at IS NULL
    LIMIT 1
  ) AS person ON true`;

/**
 * In the same query: a condition that the operator's file names the person as an operator now. The parameters
 * are {@link OperatorParams}, from the given number on.
 */
export const isOperatorNow = (first: number): string => `EXISTS (
      SELECT 1
      FROM unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[])
        AS operator (name, issuer, group_name, subject)
      WHERE operator.name = person.provider AND operator.issuer = person.issuer
        AND (operator.subject = person.subject OR operator.group_name IN (SELECT unnest(person.groups)))
    )`;

/** For each operator a name and an issuer of a provider, and a group or a subject of it. */
export type OperatorParams = [
  names: readonly string[],
  issuers: readonly string[],
  groups: readonly (string | null)[],
  subjects: readonly (string | null)[],
];
