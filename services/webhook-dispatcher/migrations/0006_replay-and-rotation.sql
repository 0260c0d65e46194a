-- What clients ask for beside the interface: a delivery again, and a new signing secret beside the old one.

ALTER TABLE webhooks.deliveries
  ADD COLUMN position bigint; -- of its entry; null for a test, and where an earlier release stored it

-- The secret before the last rotation: deliveries are signed with both until it expires. Sealed as the other.
ALTER TABLE webhooks.webhooks
  ADD COLUMN previous_secret_key_id text,
  ADD COLUMN previous_secret_sealed bytea,
  ADD COLUMN previous_secret_until timestamptz;
