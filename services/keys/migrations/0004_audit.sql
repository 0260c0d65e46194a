-- What this service changes is recorded, and by whom.
--
-- audit_outbox: an entry for each change, added in its transaction. A worker hands it over to the ledger and then
--   deletes it. `number` is the order of the entries, `id` keeps the ledger from storing one twice.
-- *_by: the id of the API key that did it; null for the operator, and for what an earlier release did.
--
-- The system account holds what all services record. The constraint holds whatever the service does: no key can write
-- to its chain or make further keys and webhooks. The release before may not take it for the first account: its
-- keys have all scopes, which the constraint refuses.

CREATE TABLE keys.audit_outbox (
  account_id text COLLATE "C" NOT NULL,
  number     bigint GENERATED ALWAYS AS IDENTITY,
  id         text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
  event      text NOT NULL, -- JSON
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, number)
);

CREATE INDEX audit_outbox_order ON keys.audit_outbox (number);

GRANT SELECT, INSERT, DELETE ON keys.audit_outbox TO annals_keys;

ALTER TABLE keys.api_keys
  ADD COLUMN created_by text COLLATE "C",
  ADD COLUMN updated_by text COLLATE "C",
  ADD COLUMN revoked_by text COLLATE "C",
  ADD CONSTRAINT api_keys_system_reads CHECK (
    account_id <> 'acct_system' OR scopes <@ ARRAY['events:read', 'verify', 'export']);

GRANT UPDATE (updated_by, revoked_by) ON keys.api_keys TO annals_keys;

INSERT INTO keys.accounts (account_id, name, created_at)
VALUES ('acct_system', 'system', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
ON CONFLICT DO NOTHING;
