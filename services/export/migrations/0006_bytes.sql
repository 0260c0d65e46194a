-- The bytes of an account's exports are bounded: those of its files, and of those that are being written.
--
-- reserved_bytes: what the file may grow to that is being written, or that an attempt has left; it is reserved before
--   it is written. 0 where there is no such file. Of a completed export size_bytes counts in its place.
-- max_bytes: the maximum bytes of all files of the account, by its plan when the export was created. Null where the plan
--   sets none: then ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT applies.

ALTER TABLE exports.jobs
  ADD COLUMN reserved_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN max_bytes bigint;

GRANT UPDATE (reserved_bytes) ON exports.jobs TO annals_exports;
