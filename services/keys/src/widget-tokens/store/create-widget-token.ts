// Stores a new widget token. Only the SHA-256 of its secret is ever written.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  tokenPrefix: string,
  secretSha256: Uint8Array,
  /** An EventFilter in binary. */
  filter: Uint8Array,
  filterJson: string,
  parts: readonly string[],
  origins: readonly string[],
  viewerId: string | null,
  viewerName: string | null,
  /** The id of a key or of a person. */
  createdBy: string,
  createdAt: string,
  expiresAt: string,
  /** Of a person. */
  sessionId: string | null,
];

export const createWidgetToken = statement<Params, never>(
  `/* keys.create-widget-token */
INSERT INTO keys.widget_tokens (account_id, id, token_prefix, secret_sha256, filter, filter_json, parts, origins,
  viewer_id, viewer_name, created_by, created_at, expires_at, session_id)
VALUES ($1::text, $2::text, $3::text, $4::bytea, $5::bytea, $6::text, $7::text[], $8::text[],
  $9::text, $10::text, $11::text, $12::text, $13::text, $14::text)
`,
  { route: "local" },
);
