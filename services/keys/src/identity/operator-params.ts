// The operators whom the identity file names, as parameters of the statements that look for one. Called by
// what admits widget tokens. Whom the file names no more is none from the next statement on.

import type { OperatorParams } from "../store/mapped-role.ts";
import type { PeopleProvider } from "./rules/identity.ts";

interface People {
  readonly people: readonly Pick<PeopleProvider, "issuer" | "name" | "operators">[];
}

/** What the operator's file says now. */
export interface NamedOperators {
  readonly current: People;
}

const made = new WeakMap<People, OperatorParams>();

/** Made once of each version of the file. */
export function operatorParams({ current }: NamedOperators): OperatorParams {
  const known = made.get(current);
  if (known) return known;
  const named = current.people.flatMap(({ issuer, name, operators: { groups, subjects } }) => [
    ...groups.map((group) => ({ name, issuer, group, subject: null })),
    ...subjects.map((subject) => ({ name, issuer, group: null, subject })),
  ]);
  const params: OperatorParams = [
    named.map(({ name }) => name),
    named.map(({ issuer }) => issuer),
    named.map(({ group }) => group),
    named.map(({ subject }) => subject),
  ];
  made.set(current, params);
  return params;
}
