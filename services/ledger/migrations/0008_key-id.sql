-- The id of the API key that an event was stored with. It is outside of the hash, so that hash format v1 stays as it
-- is. Null for events of the release before, which still runs on this schema.

ALTER TABLE ledger.payloads ADD COLUMN key_id text COLLATE "C";
