-- What this service changes is recorded, and by whom.
--
-- audit_outbox: an entry for each change, added in its transaction. A worker hands it over to the ledger and then
--   deletes it. `number` is the order of the entries, `id` keeps the ledger from storing one twice.
-- *_by: the id of the API key that did it; null where the service did, and for what an earlier release did.

CREATE TABLE webhooks.audit_outbox (
  account_id text COLLATE "C" NOT NULL,
  number     bigint GENERATED ALWAYS AS IDENTITY,
  id         text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
  event      text NOT NULL, -- JSON
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, number)
);

CREATE INDEX audit_outbox_order ON webhooks.audit_outbox (number);

GRANT SELECT, INSERT, DELETE ON webhooks.audit_outbox TO annals_webhooks;

ALTER TABLE webhooks.webhooks
  ADD COLUMN created_by text COLLATE "C",
  ADD COLUMN updated_by text COLLATE "C",
  ADD COLUMN deleted_by text COLLATE "C";
