-- Sinks: where an account's events are sent in order (docs/sinks.md). The ledger is their queue: a sink has one row with
-- one cursor, and no row for an event.
CREATE TABLE webhooks.sinks (
  account_id    text COLLATE "C" NOT NULL,
  id            text COLLATE "C" NOT NULL,
  -- The name of the operator's sink, whose type, format, configuration and filter are in a file. Null: one of the account.
  operator      text COLLATE "C",
  type          text CHECK (type IN ('http', 'splunk_hec', 'otlp_http', 'syslog', 's3')),
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
  -- Failed attempts since the last success.
  attempts      integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- Whether the audit says that the sink has failed for a day.
  failure_recorded boolean NOT NULL DEFAULT false,
  last_error    text,
  last_delivered_at timestamptz,
  -- JSON: the ranges that retention had deleted before they were sent.
  lost          text,
  PRIMARY KEY (account_id, id),
  CHECK (num_nonnulls(type, format, config_key_id, config_sealed) = CASE WHEN operator IS NULL THEN 4 ELSE 0 END)
) WITH (fillfactor = 50);

-- The scan for due sinks.
CREATE INDEX sinks_active ON webhooks.sinks (account_id, id) WHERE active;

-- An account has one row for each sink of the operator.
CREATE UNIQUE INDEX sinks_operator ON webhooks.sinks (account_id, operator) WHERE operator IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.sinks TO annals_webhooks;
