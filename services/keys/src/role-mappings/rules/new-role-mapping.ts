// The rule of a new role mapping: a role in an account for a group of a provider, or for one of its subjects.
// Called by rpc/create-role-mapping.ts and by the operator's commands.

import {
  type Clock,
  MAPPED_ROLES,
  type MappedRole,
  newId,
  SYSTEM_ACCOUNT_ID,
} from "@annals/contract";
import { type FieldFault, invalid } from "@annals/errors";

/** Characters of a group, and of a subject. */
const MAX_LENGTH = 255;

/** Empty if not given. */
export interface GivenMapping {
  readonly accountId: string;
  readonly provider: string;
  readonly group: string;
  readonly subject: string;
  readonly role: string;
}

export interface NewRoleMapping {
  readonly id: string;
  readonly provider: string;
  readonly group: string | null;
  readonly subject: string | null;
  readonly role: MappedRole;
  readonly createdAt: string;
}

interface Maker {
  readonly clock: Pick<Clock, "nowText">;
  readonly random: (size: number) => Uint8Array;
}

/** `providers` are the names in the operator's file. Throws `invalid`. */
export function newRoleMapping(
  { clock, random }: Maker,
  { accountId, group, provider, role, subject }: GivenMapping,
  providers: readonly string[],
): NewRoleMapping {
  const faults = [
    ...providerFaults(provider, providers),
    ...holderFaults(group, subject),
    ...roleFaults(accountId, role),
  ];
  const [first, ...others] = faults;
  if (first) throw invalid(first, ...others);
  return {
    id: newId("rmap", random),
    provider,
    group: group || null,
    subject: subject || null,
    role: role as MappedRole,
    createdAt: clock.nowText(),
  };
}

function providerFaults(provider: string, providers: readonly string[]): FieldFault[] {
  if (providers.includes(provider)) return [];
  const names = providers.length === 0 ? "none is configured" : `one of ${providers.join(", ")}`;
  return [{ field: "provider", message: `must be an identity provider: ${names}` }];
}

function holderFaults(group: string, subject: string): FieldFault[] {
  if ((group === "") === (subject === ""))
    return [{ field: "", message: "The body must have either a group or a subject." }];
  const [field, text] = group === "" ? ["subject", subject] : ["group", group];
  if (Array.from(text).length > MAX_LENGTH)
    return [{ field, message: `must have at most ${MAX_LENGTH} characters` }];
  // PostgreSQL has no text with the first of them, and nobody sees the others.
  return /\p{Cc}/u.test(text) ? [{ field, message: "must not contain control characters" }] : [];
}

function roleFaults(accountId: string, role: string): FieldFault[] {
  if (!MAPPED_ROLES.some((each) => each === role))
    return [{ field: "role", message: `must be one of ${MAPPED_ROLES.join(", ")}` }];
  return accountId === SYSTEM_ACCOUNT_ID && role === "manager"
    ? [{ field: "role", message: "must not be manager in the system account" }]
    : [];
}
