-- A webhook whose receiver has failed for days is disabled, with a reason that its owner sees.

ALTER TABLE webhooks.webhooks
  ADD COLUMN failing_since timestamptz, -- end of the first failed attempt since the last success; null after a success
  ADD COLUMN disabled_at timestamptz, -- when the service disabled it; null where it did not, and once it is activated
  ADD COLUMN disabled_reason text;
