-- The schema of the webhook dispatcher: webhooks, how far each account's outbox entries were handed to them,
-- deliveries, sinks, what the audit records of changes, and what is to sign or keep the log of evidence.
--
-- Every table but that of the log has the account, so that a distributed PostgreSQL shards by it. The service
-- runs as annals_webhooks, which owns nothing.

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
  -- The secret before the last rotation: deliveries are signed with both until it expires. Sealed like the other.
  previous_secret_key_id text,
  previous_secret_sealed bytea,
  previous_secret_until  timestamptz,
  -- The webhook receives nothing at or below these positions: what was there when it began to ask for the kind.
  after_events        bigint NOT NULL,
  after_verifications bigint NOT NULL,
  after_exports       bigint NOT NULL,
  after_checkpoints   bigint NOT NULL,
  -- JSON: the values that an event must have to be delivered (webhooks/rules/webhook-filter.ts). Null: all events are. It acts on
  -- events after a position. Those up to it that are not queued yet are judged by the filters before it: a JSON array, each
  -- with the position after which it acted (webhooks/rules/filter-history.ts).
  filter          text CHECK (octet_length(filter) <= 4096),
  filter_after    bigint NOT NULL DEFAULT 0,
  earlier_filters text,
  -- Deliveries up to this number are not begun any more: the webhook was disabled after them.
  stopped_up_to    bigint NOT NULL DEFAULT 0,
  -- True only while none of its deliveries is pending: the scan for due deliveries leaves it out. Who stores deliveries
  -- holds the row locked and has seen it false; the clean-up sets it under a lock that excludes them.
  is_drained       boolean NOT NULL DEFAULT false,
  -- A range is replayed only to a webhook that has taken a delivery. Null before that, and again with another URL.
  first_success_at timestamptz,
  failing_since    timestamptz, -- end of the first failed attempt since the last success; null after a success
  disabled_at      timestamptz, -- when the service disabled it; null if it did not, and once it is activated
  disabled_reason  text,
  -- The id of the API key that did it; null if the service did.
  created_by text COLLATE "C",
  updated_by text COLLATE "C",
  deleted_by text COLLATE "C",
  deleted_at text COLLATE "C", -- the row goes when its deliveries are gone
  PRIMARY KEY (account_id, id)
);

-- The sweep asks which accounts have subscribers, and a claim for the webhooks of some accounts.
CREATE INDEX webhooks_active ON webhooks.webhooks (account_id, id) WHERE active AND deleted_at IS NULL;
-- The scan for due deliveries.
CREATE INDEX webhooks_queued ON webhooks.webhooks (account_id, id)
  WHERE active AND deleted_at IS NULL AND NOT is_drained;
-- The clean-up asks which webhooks are gone.
CREATE INDEX webhooks_deleted ON webhooks.webhooks (account_id, id) WHERE deleted_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.webhooks TO annals_webhooks;

-- How far what an account's producers have is turned into deliveries. A cursor moves by compare-and-set, in the
-- transaction that stores the deliveries: that is why each is made once. A position of `checkpoints` is the
-- number of an epoch.
CREATE TABLE webhooks.cursors (
  account_id text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('events', 'verifications', 'exports', 'checkpoints')),
  position   bigint NOT NULL,
  PRIMARY KEY (account_id, kind)
);

GRANT SELECT, INSERT, UPDATE ON webhooks.cursors TO annals_webhooks;

-- Without a primary key: `number` is unique by its sequence, and every statement finds a delivery in its queue or in the
-- history. An index of all deliveries would be written twice for each, and PostgreSQL would now and then prefer it to that
-- of the queues, read a whole queue and sort it.
CREATE TABLE webhooks.deliveries (
  account_id   text COLLATE "C" NOT NULL,
  webhook_id   text COLLATE "C" NOT NULL,
  number       bigint GENERATED ALWAYS AS IDENTITY, -- in the order of their making within a webhook
  id           text COLLATE "C" NOT NULL,
  payload_id   text COLLATE "C" NOT NULL,
  event        text NOT NULL,
  position     bigint, -- of its entry in the account's sequence; null for a test
  -- What is sent. Null for an event, which is read from the chain at its position when it is sent; and when no
  -- attempt is to come.
  body         bytea,
  bytes        integer NOT NULL, -- of what is sent, approximately
  created_at   timestamptz NOT NULL,
  attempts     integer NOT NULL DEFAULT 0,
  succeeded    boolean NOT NULL DEFAULT false,
  -- Whether the attempt in flight is counted in `attempts` already: the claim before it ended without a result.
  is_counted   boolean NOT NULL DEFAULT false,
  status_code  integer, -- of the last attempt; null when no answer came
  failure      text, -- why the last attempt failed (outbound/delivery-failure.ts); null after a success
  attempted_at timestamptz, -- when the last attempt ended; of one that is counted before its end, when it began
  due_at       timestamptz, -- when the next attempt is due; null when none is to come
  -- A claim is a lease: nobody else claims the delivery before. Null when no attempt is in flight. No index has it,
  -- so a claim changes no index as long as its page has free space (a HOT update).
  leased_until timestamptz,
  -- Counts the claims. A result is taken only from the claim that is the last.
  fence        bigint NOT NULL DEFAULT 0
) WITH (
  fillfactor = 60,
  -- Two of a delivery's three versions are dead within seconds, and the index of the queues keeps an entry for each
  -- delivery until a vacuum: a claim steps over those that lie before the first one due. So a vacuum comes after a
  -- number of dead rows rather than after a share of the table, which holds weeks of history, and goes at full speed.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 100000,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0
);

-- Logical replication tells rows apart by all columns.
ALTER TABLE webhooks.deliveries REPLICA IDENTITY FULL;

-- The queue of each webhook. A delivery that is claimed is found by its time and number.
CREATE INDEX deliveries_due ON webhooks.deliveries (account_id, webhook_id, due_at, number) WHERE due_at IS NOT NULL;
-- The history of each webhook.
CREATE INDEX deliveries_attempted ON webhooks.deliveries (account_id, webhook_id, number) WHERE attempts > 0;

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.deliveries TO annals_webhooks;
-- Whoever disables a webhook takes a number; and a distributed PostgreSQL takes all of them by the rights of the service.
GRANT USAGE ON SEQUENCE webhooks.deliveries_number_seq TO annals_webhooks;

-- What was not queued for a webhook, because its account had too many pending deliveries: a counted range. In a table of
-- its own, so that the fan-out, which shares the rows of webhooks with others, changes none of them.
CREATE TABLE webhooks.drops (
  account_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  count      bigint NOT NULL,
  -- The first and last event; null if no event is among them.
  first_sequence_number bigint,
  last_sequence_number  bigint,
  last_at    timestamptz NOT NULL,
  PRIMARY KEY (account_id, webhook_id)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.drops TO annals_webhooks;

-- What this service changes is recorded: an entry for each change, added in its transaction. A worker hands it over to
-- the ledger and then deletes it. `number` is the order of the entries, `id` keeps the ledger from storing one twice.
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
-- A distributed PostgreSQL takes the numbers by the rights of the service.
GRANT USAGE ON SEQUENCE webhooks.audit_outbox_number_seq TO annals_webhooks;

-- How many changes of an account were recorded in a minute, by action: beyond a number they are only counted
-- (libs/postgres/src/audit-windows.ts). A row is added to in the transaction of the change, and deleted when its
-- minute is over.
CREATE TABLE webhooks.audit_windows (
  account_id text COLLATE "C" NOT NULL,
  minute     text COLLATE "C" NOT NULL, -- UTC, 2026-01-31T09:30
  action     text COLLATE "C" NOT NULL,
  changes    bigint NOT NULL,
  PRIMARY KEY (account_id, minute, action)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.audit_windows TO annals_webhooks;

-- Sinks: where an account's events are sent in order (docs/sinks.md). The ledger is their queue: a sink has one row with
-- one cursor, and no row for an event.
CREATE TABLE webhooks.sinks (
  account_id    text COLLATE "C" NOT NULL,
  id            text COLLATE "C" NOT NULL,
  -- The name of the operator's sink, whose type, format, configuration and filter are in a file. Null: one of the account.
  operator      text COLLATE "C",
  type          text CHECK (type ~ '^[a-z0-9_]{1,40}$'), -- one of libs/interface
  format        text CHECK (format IN ('annals', 'ocsf', 'ecs', 'cloudevents')),
  -- JSON, sealed as the secrets of webhooks are: the configuration has the secrets of the receiver.
  config_key_id text,
  config_sealed bytea CHECK (octet_length(config_sealed) <= 16384),
  -- JSON: the values that an event must have to be sent. Null: all events are.
  filter        text CHECK (octet_length(filter) <= 4096),
  leave_out     text[] NOT NULL,
  include_proof boolean NOT NULL,
  -- JSON: classes of OCSF by action. Null: those of the service.
  mapping       text CHECK (octet_length(mapping) <= 16384),
  active        boolean NOT NULL,
  created_at    text COLLATE "C" NOT NULL, -- UTC, six fraction digits
  created_by    text COLLATE "C",
  updated_by    text COLLATE "C",
  -- The last event that the receiver has acknowledged, or that the filter left out. It moves by compare-and-set.
  cursor        bigint NOT NULL CHECK (cursor >= 0),
  -- The end of the batch that was begun, for a bucket: it is sent again with the same bounds after a crash.
  pending_to    bigint,
  -- Counts the replays: a bucket's objects are named by it, so that none replaces one of an earlier run.
  replays       integer NOT NULL DEFAULT 0,
  -- What the receiver needs to know of the batch before: for a bucket, the hash of its last manifest.
  receiver_state text,
  -- Since the last checkpoint: the first number, and how many events were sent.
  checkpoint_from  bigint NOT NULL,
  checkpoint_count bigint NOT NULL DEFAULT 0,
  checkpoint_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  -- Number and hash of the newest event that was sent.
  sent_number   bigint,
  sent_hash     text,
  due_at        timestamptz NOT NULL DEFAULT statement_timestamp(),
  -- A claim is a lease, and `fence` counts the claims: only the last one moves the cursor.
  leased_until  timestamptz,
  fence         bigint NOT NULL DEFAULT 0,
  -- Claims since the last result whose lease ended without one: their processes ended, perhaps by this sink.
  lost_claims   integer NOT NULL DEFAULT 0,
  -- Failed attempts since the last success.
  attempts      integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- Whether the audit says that the sink has failed for a day.
  failure_recorded boolean NOT NULL DEFAULT false,
  last_error    text,
  last_delivered_at timestamptz,
  -- JSON: the ranges that are never sent, with the reason, and whether the receiver is yet to be told (sinks/rules/sink.ts).
  lost          text,
  -- What is done with a single event that the receiver refuses for good.
  on_rejected   text NOT NULL DEFAULT 'stop' CHECK (on_rejected IN ('stop', 'skip')),
  -- JSON: what the receiver has refused, and how small the next batches are for it (sinks/rules/sink-refusals.ts). Null: nothing.
  refusals      text,
  PRIMARY KEY (account_id, id),
  CHECK (num_nonnulls(type, format, config_key_id, config_sealed) = CASE WHEN operator IS NULL THEN 4 ELSE 0 END)
) WITH (fillfactor = 50);

-- The scan for due sinks.
CREATE INDEX sinks_active ON webhooks.sinks (account_id, id) WHERE active;

-- An account has one row for each sink of the operator.
CREATE UNIQUE INDEX sinks_operator ON webhooks.sinks (account_id, operator) WHERE operator IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.sinks TO annals_webhooks;

-- What anchors the checkpoints of the log: the witnesses of the policy, the time stamping authority, and the
-- bucket under object lock. A row is claimed by its time, so that replicas do not ask twice. The table names no
-- account. It is small, and a distributed PostgreSQL keeps it on one server.
CREATE TABLE webhooks.anchors (
  kind   text COLLATE "C" NOT NULL CHECK (kind IN ('witness', 'timestamp', 'bucket')),
  name   text COLLATE "C" NOT NULL, -- of a bucket: with the number of the log
  -- of the newest checkpoint that it has seen; of a bucket: up to which full tiles are there, beyond its newest checkpoint
  size   bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
  -- the newest checkpoint that it has signed or keeps: the proof, if the log does not have it later
  checkpoint text,
  -- when it may be asked next
  due_at timestamptz NOT NULL DEFAULT '-infinity',
  -- of the first request since its last signature or copy that gave none
  failing_since timestamptz,
  PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON webhooks.anchors TO annals_webhooks;

-- The events that an account has replayed to webhooks and sinks in a day. One row for each account,
-- of the last day of UTC in which there was something to count.
CREATE TABLE webhooks.daily_uses (
  account_id text COLLATE "C" PRIMARY KEY,
  day        date NOT NULL,
  used       bigint NOT NULL CHECK (used >= 0)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON webhooks.daily_uses TO annals_webhooks;

-- The test of a sink that an account has in progress. One row for each account that has tested one: a test
-- may begin when the time of the one before is over, whichever dispatcher it came to.
CREATE TABLE webhooks.sink_tests (
  account_id text COLLATE "C" PRIMARY KEY,
  fence      bigint NOT NULL,
  until      timestamptz NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON webhooks.sink_tests TO annals_webhooks;

-- What requests with an idempotency key have created, so that a retry gets it again (libs/postgres/src/idempotent-requests.ts).
CREATE TABLE webhooks.idempotent_requests (
  account_id      text COLLATE "C" NOT NULL,
  operation       text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_sha256  bytea NOT NULL CHECK (octet_length(request_sha256) = 32),
  -- what was created, without its secrets
  response        bytea NOT NULL,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (account_id, operation, idempotency_key)
);

CREATE INDEX idempotent_requests_created_at ON webhooks.idempotent_requests (created_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.idempotent_requests TO annals_webhooks;
