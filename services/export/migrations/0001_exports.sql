-- The jobs of the export service and its outbox.
--
-- Every primary key begins with the account, so that a distributed PostgreSQL shards by it. The service runs as
-- annals_exports, which owns nothing and cannot delete a job.

DO $$
BEGIN
  CREATE ROLE annals_exports NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- roles belong to the whole server; another database of it made this one
END
$$;

GRANT annals_exports TO CURRENT_USER;
GRANT USAGE ON SCHEMA exports TO annals_exports;
GRANT SELECT ON exports.migrations TO annals_exports;

CREATE TABLE exports.jobs (
  account_id     text COLLATE "C" NOT NULL,
  id             text COLLATE "C" NOT NULL,
  format         text NOT NULL CHECK (format IN ('jsonl', 'csv')),
  include_proofs boolean NOT NULL,
  filter_json    text NOT NULL,  -- as the client sent it
  filter         bytea NOT NULL, -- annals.ledger.v1.EventFilter, bounded by the head at creation
  head_sequence  bigint NOT NULL,
  head_hash      text NOT NULL,
  created_at     text COLLATE "C" NOT NULL, -- UTC, six fraction digits, as all times of Annals
  status         text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'completed', 'failed')),
  -- Who works on it. The token grows by one with each taking: what an earlier holder still writes is refused by it.
  lease_token    bigint NOT NULL DEFAULT 0,
  attempts       integer NOT NULL DEFAULT 0,
  due_at         timestamptz NOT NULL DEFAULT now(), -- may be taken from then on: the end of the lease, or of a pause
  -- Of a completed job.
  completed_at   text COLLATE "C",
  event_count    bigint,
  sha256         text,
  size_bytes     bigint,
  file           text, -- its name in the storage
  PRIMARY KEY (account_id, id),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL AND event_count IS NOT NULL AND sha256 IS NOT NULL
    AND size_bytes IS NOT NULL AND file IS NOT NULL))
);

CREATE INDEX jobs_newest ON exports.jobs (account_id, created_at DESC, id DESC);
CREATE INDEX jobs_unfinished ON exports.jobs (due_at) WHERE status IN ('pending', 'running');

GRANT SELECT, INSERT ON exports.jobs TO annals_exports;
GRANT UPDATE (status, lease_token, attempts, due_at, completed_at, event_count, sha256, size_bytes, file)
  ON exports.jobs TO annals_exports;

-- What subscribers are told of: one gapless row of positions an account.
CREATE TABLE exports.outbox (
  account_id text COLLATE "C" NOT NULL,
  position   bigint NOT NULL CHECK (position > 0),
  event_name text NOT NULL,
  data       text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, position)
);

GRANT SELECT, INSERT ON exports.outbox TO annals_exports;
