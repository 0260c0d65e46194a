// The person of a login: created at the first one, and from then on what the provider says now. Called by
// FinishLogin in the transaction of its session. A person is an issuer and a subject, and nothing else.

import { type Clock, newId, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { AUDIT } from "../store/audit.ts";
import { createPerson } from "./store/create-person.ts";
import { updatePerson } from "./store/update-person.ts";

export interface PersonOfLogin {
  readonly issuer: string;
  readonly subject: string;
  /** These are of the last login, and shown. */
  readonly provider: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly groups: readonly string[];
}

interface Deps {
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
}

/** The id of the person, whose row is locked until the transaction ends. Undefined: the person is blocked. */
export async function logInPerson(
  transaction: Database,
  { clock, random }: Deps,
  { email, groups, issuer, name, provider, subject }: PersonOfLogin,
): Promise<string | undefined> {
  const now = clock.nowText();
  const shown = [provider, name ?? null, email ?? null, groups, now] as const;
  const id = newId("usr", random);
  const [created] = await transaction.run(createPerson, [id, issuer, subject, ...shown]);
  if (!created) return (await transaction.run(updatePerson, [issuer, subject, ...shown]))[0]?.id;
  await AUDIT.add(transaction, {
    accountId: SYSTEM_ACCOUNT_ID,
    action: "annals.person.created",
    actor: { type: "person", id },
    target: { type: "person", id },
    metadata: { provider },
    occurredAt: now,
  });
  return id;
}
