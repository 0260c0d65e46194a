-- The bytes of an account's exports are bounded: those of its files, and of those that are being written.
--
-- reserved_bytes: what the file may grow to that is being written, or that an attempt has left; it is reserved before
--   it is written. 0 where there is no such file. Of a completed export size_bytes counts in its place.
-- max_bytes: what all files of the account may have together, as its plan said when the export was asked for. Null where
--   the plan did not say it: then ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT does.

ALTER TABLE exports.jobs
  ADD COLUMN reserved_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN max_bytes bigint;

GRANT UPDATE (reserved_bytes) ON exports.jobs TO annals_exports;
