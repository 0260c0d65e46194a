-- What was not queued for a webhook, because its account had too many pending deliveries: a counted range. In a table of
-- its own, so that the fan-out, which shares the rows of webhooks with others, changes none of them.

CREATE TABLE webhooks.drops (
  account_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  count      bigint NOT NULL,
  -- The first and last event; null where only verifications and exports were dropped.
  first_sequence_number bigint,
  last_sequence_number  bigint,
  last_at    timestamptz NOT NULL,
  PRIMARY KEY (account_id, webhook_id)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.drops TO annals_webhooks;
