-- Exports as bundles of evidence: another format of the file. Its head is that of the account's tree: the
-- size in head_sequence, the root in head_hash.

ALTER TABLE exports.jobs DROP CONSTRAINT jobs_format_check;
ALTER TABLE exports.jobs ADD CONSTRAINT jobs_format_check CHECK (format IN ('jsonl', 'csv', 'evidence'));

-- The bucket in which the head log is kept under object lock. A row is claimed by its time, so that replicas do
-- not upload twice. The table names no account. It is small, and a distributed PostgreSQL keeps it on one server.
CREATE TABLE exports.anchors (
  log    smallint NOT NULL CHECK (log > 0),
  bucket text COLLATE "C" NOT NULL,
  -- the size up to which full tiles are there, beyond the newest checkpoint in the bucket
  size   bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
  -- when the next checkpoint may be stored
  due_at timestamptz NOT NULL DEFAULT '-infinity',
  -- of the first attempt since the last success that failed
  failing_since timestamptz,
  PRIMARY KEY (log, bucket)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON exports.anchors TO annals_exports;
