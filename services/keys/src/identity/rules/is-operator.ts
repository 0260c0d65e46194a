// Whether a person is an operator: whom the identity file names now, of the person's own provider. Called
// when one logs in to the console, and by each request there.

import type { PeopleProvider } from "./identity.ts";

interface PersonOfProvider {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** Those of the last login. */
  readonly groups: readonly string[];
}

type Named = Pick<PeopleProvider, "issuer" | "name" | "operators">;

export function isOperator(
  { people }: { readonly people: readonly Named[] },
  { groups, issuer, provider, subject }: PersonOfProvider,
): boolean {
  const own = people.find((each) => each.name === provider && each.issuer === issuer);
  if (!own) return false;
  const { operators } = own;
  return (
    operators.subjects.includes(subject) || operators.groups.some((one) => groups.includes(one))
  );
}
