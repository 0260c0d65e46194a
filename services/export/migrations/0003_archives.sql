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
