// The role that an account's mappings give to a person. A part of every statement that finds one: that of
// admission, so that a mapping which is deleted gives nothing with the next request, and those that show it.

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
 * In a query that has a `token` with a session_id: the `session`, if it has not ended, and its `person`, if
 * they are not blocked. Each is looked up, whatever the statistics say (ADR 69). No row: there is none.
 */
export const LIVE_PERSON = `JOIN LATERAL (
    SELECT session.person_id, session.idle_at, session.expires_at
    FROM keys.sessions AS session
    WHERE session.id = token.session_id AND session.realm = 'dashboard'
      AND least(session.idle_at, session.expires_at) > clock_timestamp()
    LIMIT 1
  ) AS session ON true
  JOIN LATERAL (
    SELECT person.provider, person.issuer, person.subject, person.groups
    FROM keys.people AS person
    WHERE person.id = session.person_id AND person.blocked_at IS NULL
    LIMIT 1
  ) AS person ON true`;
