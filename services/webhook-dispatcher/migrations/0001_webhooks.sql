-- Webhooks, how far each account's happenings were handed to them, and the deliveries to make and made.
--
-- Every primary key begins with the account, so that a distributed PostgreSQL shards by it. The service runs as
-- annals_webhooks, which owns nothing.

DO $$
BEGIN
  CREATE ROLE annals_webhooks NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- roles belong to the whole server; another database of it made this one
END
$$;

GRANT annals_webhooks TO CURRENT_USER;
GRANT USAGE ON SCHEMA webhooks TO annals_webhooks;
GRANT SELECT ON webhooks.migrations TO annals_webhooks;

CREATE TABLE webhooks.webhooks (
  account_id    text COLLATE "C" NOT NULL,
  id            text COLLATE "C" NOT NULL,
  url           text NOT NULL,
  events        text[] NOT NULL CHECK (cardinality(events) > 0),
  active        boolean NOT NULL,
  created_at    text COLLATE "C" NOT NULL, -- UTC, six fraction digits, as all times that are shown
  -- AES-256-GCM: nonce (12 bytes), ciphertext, tag (16 bytes); erased when the webhook is deleted.
  secret_key_id text,
  secret_sealed bytea,
  -- The webhook is told of nothing at or below these positions: what was there when it began to ask for the kind.
  after_events        bigint NOT NULL,
  after_verifications bigint NOT NULL,
  after_exports       bigint NOT NULL,
  -- Deliveries up to this number are not begun any more: the webhook was switched off after them.
  stopped_up_to bigint NOT NULL DEFAULT 0,
  deleted_at    text COLLATE "C", -- the row goes when its deliveries are gone
  PRIMARY KEY (account_id, id)
);

-- The sweep asks which accounts have subscribers.
CREATE INDEX webhooks_active ON webhooks.webhooks (account_id) WHERE active AND deleted_at IS NULL;
-- The clean-up asks which webhooks are gone.
CREATE INDEX webhooks_deleted ON webhooks.webhooks (account_id, id) WHERE deleted_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.webhooks TO annals_webhooks;

-- How far what an account's producers have is turned into deliveries. A cursor moves by compare-and-set, in the
-- transaction that stores the deliveries: that is why each is made once.
CREATE TABLE webhooks.cursors (
  account_id text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('events', 'verifications', 'exports')),
  position   bigint NOT NULL,
  PRIMARY KEY (account_id, kind)
);

GRANT SELECT, INSERT, UPDATE ON webhooks.cursors TO annals_webhooks;

CREATE TABLE webhooks.deliveries (
  account_id      text COLLATE "C" NOT NULL,
  webhook_id      text COLLATE "C" NOT NULL,
  number          bigint GENERATED ALWAYS AS IDENTITY, -- in the order of their making within a webhook
  id              text COLLATE "C" NOT NULL,
  payload_id      text COLLATE "C" NOT NULL,
  event           text NOT NULL,
  body            bytea, -- what is sent, the same at every attempt; gone when no attempt is to come
  created_at      timestamptz NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  succeeded       boolean NOT NULL DEFAULT false,
  status_code     integer, -- of the last attempt; null when no answer came
  attempted_at    timestamptz, -- when the last attempt ended
  next_attempt_at timestamptz, -- null when none is to come
  -- When it may be claimed: the time of the next attempt; while one is under way, the end of its lease. Null when done.
  due_at          timestamptz,
  -- Counts the claims. A result is taken only from the claim that is the last.
  fence           bigint NOT NULL DEFAULT 0,
  leased          boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, webhook_id, number)
);

-- The queue of each webhook.
CREATE INDEX deliveries_due ON webhooks.deliveries (account_id, webhook_id, due_at, number) WHERE due_at IS NOT NULL;
-- The history of each webhook.
CREATE INDEX deliveries_attempted ON webhooks.deliveries (account_id, webhook_id, number) WHERE attempts > 0;

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.deliveries TO annals_webhooks;

-- A queue's rows change three times and go: old versions are to be cleared early.
ALTER TABLE webhooks.deliveries SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
