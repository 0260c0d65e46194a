// Stores a session that begins now, by the clock of the database.

import { statement } from "@annals/postgres";
import type { Realm } from "../rules/realm.ts";

type Params = [
  id: string,
  personId: string,
  realm: Realm,
  secretSha256: Uint8Array,
  /** Null if the provider names none. */
  providerSid: string | null,
  /** Null if it is too large. */
  sealedIdToken: Uint8Array | null,
  idleMinutes: number,
  lifetimeMinutes: number,
];

export const createSession = statement<Params, never>(
  `/* keys.create-session */
INSERT INTO keys.sessions (id, person_id, realm, secret_sha256, rotated_at, provider_sid, sealed_id_token, created_at,
  idle_at, expires_at)
SELECT $1::text, $2::text, $3::text, $4::bytea, moment.now, $5::text, $6::bytea, moment.now,
  moment.now + $7::integer * interval '1 minute', moment.now + $8::integer * interval '1 minute'
FROM (SELECT statement_timestamp() AS now) AS moment
`,
  { route: "local" },
);
