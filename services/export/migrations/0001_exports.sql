-- The schema of the export service: the exports of each account, the outbox of completed ones, the archives,
-- and what the audit records of changes.
--
-- Every primary key begins with the account, so that a distributed PostgreSQL shards by it. The service runs
-- as annals_exports, which owns nothing and can change neither what an export was asked for nor an entry of
-- an outbox.

DO $$
BEGIN
  CREATE ROLE annals_exports NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- roles belong to the server: another of its databases has created this one
END
$$;

GRANT annals_exports TO CURRENT_USER;
GRANT USAGE ON SCHEMA exports TO annals_exports;
GRANT SELECT ON exports.migrations TO annals_exports;

CREATE TABLE exports.jobs (
  account_id     text COLLATE "C" NOT NULL,
  id             text COLLATE "C" NOT NULL,
  format         text NOT NULL CHECK (format IN ('jsonl', 'csv', 'csv_bom', 'parquet', 'evidence')),
  include_proofs boolean NOT NULL,
  filter_json    text NOT NULL,  -- as the client sent it
  filter         bytea NOT NULL, -- annals.ledger.v1.EventFilter, bounded by the head at creation
  -- of a bundle of evidence: the size and the root of the account's tree
  head_sequence  bigint NOT NULL,
  head_hash      text NOT NULL,
  created_at     text COLLATE "C" NOT NULL, -- UTC, six fraction digits, as all times of Annals
  status         text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'completed', 'failed')),
  -- The fencing token of the lease: it grows with each lease, and what an earlier holder still writes is
  -- refused by it.
  lease_token    bigint NOT NULL DEFAULT 0,
  attempts       integer NOT NULL DEFAULT 0,
  due_at         timestamptz NOT NULL DEFAULT now(), -- when a worker may take it: the end of a lease, or of a pause
  -- of a completed export
  completed_at   text COLLATE "C",
  event_count    bigint,
  sha256         text,
  size_bytes     bigint,
  file           text, -- its name in the storage
  -- No client sees a deleted export. Its files are deleted first, then its row; not before due_at, when the
  -- lease of a worker that still writes has ended.
  deleted_at     text COLLATE "C",
  taken_at       timestamptz, -- when a worker last took it: accounts take turns by it
  -- the API key that did it; null if the service did
  created_by     text COLLATE "C",
  deleted_by     text COLLATE "C",
  -- The size that the file may grow to that is being written, or that an attempt has left. It is reserved
  -- before the file is written, and 0 without such a file. A completed export counts by its size_bytes.
  reserved_bytes bigint NOT NULL DEFAULT 0,
  -- The maximum bytes of all files of the account, by its plan when the export was created. Null if the
  -- plan sets none: then ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT applies.
  max_bytes      bigint,
  -- It found no room while others of its account were being written, and was put back. While the account has
  -- such an export, its exports are written one at a time. It is never reset: a completed or failed export
  -- does not count.
  waits_for_room boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, id),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL AND event_count IS NOT NULL AND sha256 IS NOT NULL
    AND size_bytes IS NOT NULL AND file IS NOT NULL))
);

CREATE INDEX jobs_newest ON exports.jobs (account_id, created_at DESC, id DESC);
CREATE INDEX jobs_oldest ON exports.jobs (created_at) WHERE deleted_at IS NULL;
CREATE INDEX jobs_turns ON exports.jobs (account_id, taken_at);
CREATE INDEX jobs_waiting ON exports.jobs (account_id, due_at, id) WHERE status IN ('pending', 'running');
CREATE INDEX jobs_unfinished ON exports.jobs (due_at) WHERE status IN ('pending', 'running');
CREATE INDEX jobs_deleted ON exports.jobs (account_id, id) WHERE deleted_at IS NOT NULL;

GRANT SELECT, INSERT, DELETE ON exports.jobs TO annals_exports;
GRANT UPDATE (status, lease_token, attempts, due_at, completed_at, event_count, sha256, size_bytes, file, deleted_at,
    taken_at, deleted_by, reserved_bytes, waits_for_room)
  ON exports.jobs TO annals_exports;

-- The outbox: completed exports, of which subscribers are notified, kept so that nothing depends on a notice
-- (docs/adr/0014-one-outbox.md). The service may delete entries that were read or are too old, and
-- change no more of one than the data.
CREATE TABLE exports.outbox (
  account_id text COLLATE "C" NOT NULL,
  -- from 1, one more each within its account, in the order of commits
  position   bigint NOT NULL CHECK (position > 0),
  event_name text NOT NULL,
  -- the JSON text of what the operation returned
  data       text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, position)
);

GRANT SELECT, INSERT, DELETE ON exports.outbox TO annals_exports;
-- A filter that names an erased value is taken out of its entry.
GRANT UPDATE (data) ON exports.outbox TO annals_exports;

-- The last position of each account's outbox. The writer of an entry holds this row's lock until it has
-- committed: that makes the positions gapless, and visible in their order.
CREATE TABLE exports.outbox_heads (
  account_id text COLLATE "C" PRIMARY KEY,
  position   bigint NOT NULL CHECK (position > 0)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON exports.outbox_heads TO annals_exports;

-- What this service changes is recorded: an entry for each change, added in its transaction. A worker hands
-- it over to the ledger and then deletes it. `number` is the order of the entries, `id` keeps the ledger from
-- storing one twice.
CREATE TABLE exports.audit_outbox (
  account_id text COLLATE "C" NOT NULL,
  number     bigint GENERATED ALWAYS AS IDENTITY,
  id         text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
  event      text NOT NULL, -- JSON
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, number)
);

CREATE INDEX audit_outbox_order ON exports.audit_outbox (number);

GRANT SELECT, INSERT, DELETE ON exports.audit_outbox TO annals_exports;
-- A distributed PostgreSQL takes the numbers by the rights of the service.
GRANT USAGE ON SEQUENCE exports.audit_outbox_number_seq TO annals_exports;

-- How many changes of an account were recorded in a minute, by action: beyond a number they are only counted
-- (libs/postgres/src/audit-windows.ts). A row is added to in the transaction of the change, and deleted when
-- its minute is over.
CREATE TABLE exports.audit_windows (
  account_id text COLLATE "C" NOT NULL,
  minute     text COLLATE "C" NOT NULL, -- UTC, 2026-01-31T09:30
  action     text COLLATE "C" NOT NULL,
  changes    bigint NOT NULL,
  PRIMARY KEY (account_id, minute, action)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON exports.audit_windows TO annals_exports;

-- Archives: what retention deletes, kept in files (docs/lifecycle.md#archives). A row is a piece of an
-- account's chain, the events of one month at most, in two files.

CREATE TABLE exports.archives (
  account_id      text COLLATE "C" NOT NULL,
  from_sequence   bigint NOT NULL CHECK (from_sequence > 0),
  to_sequence     bigint NOT NULL CHECK (to_sequence >= from_sequence),
  id              text COLLATE "C" NOT NULL,
  month           text COLLATE "C" NOT NULL, -- UTC, such as 2026-01
  -- the size and the root of the account's tree that its evidence begins with
  head_sequence   bigint NOT NULL CHECK (head_sequence >= to_sequence),
  head_hash       text NOT NULL,
  created_at      text COLLATE "C" NOT NULL,
  -- `ending`: its time is over, and no list has it while the ledger is asked for holds. `ended`: it is to be deleted
  status          text NOT NULL DEFAULT 'writing' CHECK (status IN ('writing', 'completed', 'ending', 'ended')),
  -- As those of exports.jobs: who writes, and until when. The token is part of the names of the files.
  lease_token     bigint NOT NULL DEFAULT 0,
  due_at          timestamptz NOT NULL DEFAULT now(),
  -- Its files lack what records of erasures up to this number name.
  records_through bigint NOT NULL,
  -- whether there may be files of other leases
  has_leftovers   boolean NOT NULL DEFAULT true,
  -- of one that was completed: the lease that wrote its files, and what is in them. The text is the uncompressed one
  written_at      text COLLATE "C",
  file_token      bigint,
  text_bytes      bigint,
  text_sha256     text,
  events_bytes    bigint,
  events_sha256   text,
  evidence_bytes  bigint,
  evidence_sha256 text,
  PRIMARY KEY (account_id, from_sequence),
  CHECK ((status <> 'writing') = (written_at IS NOT NULL AND file_token IS NOT NULL AND text_bytes IS NOT NULL
    AND text_sha256 IS NOT NULL AND events_bytes IS NOT NULL AND events_sha256 IS NOT NULL
    AND evidence_bytes IS NOT NULL AND evidence_sha256 IS NOT NULL))
) WITH (fillfactor = 50);

CREATE INDEX archives_newest ON exports.archives (account_id, created_at DESC, id DESC);

GRANT SELECT, INSERT, DELETE ON exports.archives TO annals_exports;
GRANT UPDATE (status, lease_token, due_at, records_through, has_leftovers, written_at, file_token, text_bytes, text_sha256,
    events_bytes, events_sha256, evidence_bytes, evidence_sha256)
  ON exports.archives TO annals_exports;

-- The events that the exports of an account have read in a day. One row for each account,
-- of the last day of UTC in which there was something to count.
CREATE TABLE exports.daily_uses (
  account_id text COLLATE "C" PRIMARY KEY,
  day        date NOT NULL,
  used       bigint NOT NULL CHECK (used >= 0)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON exports.daily_uses TO annals_exports;
